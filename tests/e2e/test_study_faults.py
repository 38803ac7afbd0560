"""What a researcher does while somebody labels: close, reopen, void, move a place, take a person off a seat."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.actions import seats, studies
from annotation.models import Assignment, BlindLabel, Study
from tests.e2e.conftest import Visits

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    """Two items, each in the hands of two of three people: A1 and A2 have both, A3 has none yet."""
    study = make_study(rollouts=2, seats=3, labels_per_item=2)
    Assignment.objects.filter(seat__number=3).delete()
    return study


@pytest.fixture
def place(study: Study) -> Assignment:
    """The first item of A1."""
    places = Assignment.objects.filter(seat__number=1).select_related("seat__account", "item__study")
    return places.order_by("order")[0]


@pytest.fixture
def page(visits: Visits, place: Assignment) -> Page:
    """A1 at the first item, both questions answered, nothing submitted."""
    tab = visits.tab(place.seat.account)
    tab.goto(f"/queue/{place.public_id}/")
    for key in "14":
        tab.keyboard.press(key)
    expect(tab.locator("#draft-word")).to_have_text("draft saved")
    return tab


def test_a_study_closed_meanwhile_says_so_and_the_draft_is_there_when_it_reopens(page: Page, study: Study) -> None:
    studies.close(study=study, who=study.owner)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage-note")).to_contain_text("closed")
    expect(page.locator("[name=noticed][value=no]")).to_be_checked()
    assert not BlindLabel.objects.exists()
    studies.reopen(study=study, who=study.owner)
    page.reload()
    expect(page.locator("[name=result][value=yes]")).to_be_checked()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage h2")).to_have_text("Review")


def test_a_place_moved_meanwhile_says_so_and_keeps_the_answers_on_the_page(
    page: Page, place: Assignment, study: Study
) -> None:
    moved = seats.reassign(assignment=place, who=study.owner, reason="ill")
    assert [seat for _, seat in moved.moved] == [3]
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage-note")).to_contain_text("no longer yours to label")
    expect(page.locator("[name=result][value=yes]")).to_be_checked()
    assert not BlindLabel.objects.exists()


def test_who_leaves_keeps_what_was_submitted_and_the_rest_goes_to_somebody_else(
    visits: Visits, page: Page, place: Assignment, study: Study
) -> None:
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage h2")).to_have_text("Review")
    page.goto("/accounts/studies/")
    page.get_by_role("link", name=re.compile("Leave|Give up")).click()
    page.locator("main form button").last.click()
    page.goto("/queue/")
    expect(page.locator("main")).to_contain_text("You have left this study. What you submitted stays.")
    assert BlindLabel.objects.get().assignment_id == place.pk
    other = visits.tab(study.seats.get(number=3).account)
    other.goto("/queue/")
    expect(other.locator("main")).to_contain_text("0 of 1 labelled")


def test_a_label_made_void_is_told_to_its_writer_and_its_place_goes_to_who_never_had_it(
    visits: Visits, page: Page, study: Study
) -> None:
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage h2")).to_have_text("Review")
    researcher = visits.tab(study.owner)
    researcher.goto(f"/studies/{study.pk}/items/")
    researcher.get_by_role("link", name=re.compile("[Vv]oid")).first.click()
    researcher.get_by_label("Reason").fill("Answered for another item.")
    researcher.locator("main form button.danger").click()
    expect(researcher.locator("main")).to_contain_text(re.compile("void"))
    page.reload()
    expect(page.locator("#stage h2")).to_have_text("Set aside")
    assert BlindLabel.objects.get().void.reason == "Answered for another item."
    other = visits.tab(study.seats.get(number=3).account)
    other.goto("/queue/next/")
    expect(other.locator("#stage")).to_have_attribute("data-stage", "blind")
    assert visits.complaints == []


def test_back_after_a_submit_shows_the_locked_item_and_never_an_open_form(page: Page, place: Assignment) -> None:
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage h2")).to_have_text("Review")
    page.goto("/queue/")
    page.go_back()
    expect(page.locator("#stage h2")).to_have_text("Review")
    expect(page.locator("#blind")).to_have_count(0)
    page.keyboard.press("n")
    expect(page.locator("#stage")).to_have_attribute("data-stage", "blind")
    page.go_back()
    expect(page).to_have_url(re.compile(place.public_id))
    expect(page.locator("#blind")).to_have_count(0)
    assert BlindLabel.objects.count() == 1
