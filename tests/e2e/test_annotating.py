"""An annotator at work in a real browser: keys, drafts, two tabs, a lost connection, an expired session, no script."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.models import Assignment, BlindLabel, Draft, Review, Study
from benchmark.models import Account

pytestmark = [pytest.mark.django_db(transaction=True)]

WORD = "#draft-word"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    """Three items in one annotator's hands."""
    return make_study(rollouts=3)


@pytest.fixture
def places(study: Study) -> list[Assignment]:
    """The three places in their order."""
    return list(Assignment.objects.filter(item__study=study).order_by("order"))


@pytest.fixture
def open_page(
    live_server: Any, places: list[Assignment], signed_in: Callable[..., Client], browser: Browser
) -> Iterator[Callable[..., Page]]:
    """A page of the signed-in annotator at one of the places; each call opens a tab in the same browser profile."""
    contexts: list[BrowserContext] = []

    def open_at(place: Assignment, **options: Any) -> Page:
        if not contexts or options:
            contexts.append(browser.new_context(base_url=live_server.url, **options))
            session = signed_in(place.seat.account).cookies[settings.SESSION_COOKIE_NAME].value
            contexts[-1].add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
        page = contexts[-1].new_page()
        page.goto(f"/queue/{place.public_id}/")
        return page

    yield open_at
    for context in contexts:
        context.close()


def test_everything_can_be_done_by_keyboard(open_page: Callable[..., Page], places: list[Assignment]) -> None:
    page = open_page(places[0])
    for key in ("1", "4", "j", "j", "j", "e"):
        page.keyboard.press(key)
    expect(page.locator("[name=noticed_evidence]")).to_have_value("R1")
    expect(page.locator(WORD)).to_have_text("draft saved")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage h2")).to_have_text("Review")
    expect(page.locator("#R1")).to_be_visible()
    for key in ("2", "6"):
        page.keyboard.press(key)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage .good")).to_contain_text("Review saved")
    page.keyboard.press("n")
    expect(page).to_have_url(re.compile(places[1].public_id))
    expect(page.locator("#item-bar")).to_contain_text("2 of 3")
    expect(page.locator("#stage")).to_have_attribute("data-stage", "blind")
    label = BlindLabel.objects.get()
    assert (label.result, label.noticed, label.evidence["noticed"]) == (True, False, ["R1"])
    review = Review.objects.get()
    assert (review.result, review.noticed) == ("disagree", "unsure")


def test_where_reviews_come_later_a_submit_leads_straight_to_the_next_item(
    study: Study, open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    Study.objects.update(review=Study.ReviewMode.AT_END)
    page = open_page(places[0])
    page.keyboard.press("2")
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile(places[1].public_id))
    expect(page.locator(WORD)).to_have_text("locked; its review comes later")
    expect(page.locator("#task")).to_be_focused()
    assert page.evaluate("scrollY") == 0
    page.go_back()
    expect(page).to_have_url(re.compile(places[0].public_id))
    expect(page.locator("#stage h2")).to_have_text("Locked")


def test_a_run_of_submits_never_leads_back_to_a_locked_item(
    make_study: Callable[..., Study], open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    study = make_study(rollouts=5, seats=[places[0].seat.account], review=Study.ReviewMode.AT_END)
    run = list(Assignment.objects.filter(item__study=study).order_by("order"))
    page = open_page(run[0])
    for following in run[1:]:
        page.keyboard.press("1")
        page.keyboard.press("4")
        page.keyboard.press("Control+Enter")
        expect(page).to_have_url(re.compile(following.public_id))
    assert BlindLabel.objects.count() == len(run) - 1


def test_the_item_fetched_ahead_counts_as_shown_only_when_it_comes_into_view(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    Study.objects.update(review=Study.ReviewMode.AT_END)
    page = open_page(places[0])
    with page.expect_response(f"**/queue/{places[1].public_id}/"):
        page.keyboard.press("1")
    assert Assignment.objects.get(pk=places[1].pk).first_shown is None
    page.keyboard.press("3")
    with page.expect_response("**/shown/"):
        page.keyboard.press("Control+Enter")
    assert Assignment.objects.get(pk=places[1].pk).first_shown is not None


def test_a_missing_answer_is_said_beside_its_question_and_gets_the_focus(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    page = open_page(places[0])
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#noticed-error")).to_be_visible()
    expect(page.locator("[name=noticed]").first).to_be_focused()
    expect(page.locator("[name=result][value=yes]")).to_be_checked()
    assert not BlindLabel.objects.exists()


def test_no_key_works_while_somebody_types(open_page: Callable[..., Page], places: list[Assignment]) -> None:
    page = open_page(places[0])
    page.locator("[name=result_evidence]").focus()
    page.keyboard.type("1 3 e ? g")
    expect(page.locator("[name=result_evidence]")).to_have_value("1 3 e ? g")
    expect(page.locator(":checked[name=result], :checked[name=noticed]")).to_have_count(0)
    expect(page.locator("#keys")).not_to_be_visible()


def test_question_mark_shows_all_keys_and_g_the_guidelines(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    page = open_page(places[0])
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    expect(page.locator("#guidelines")).to_contain_text("Work alone.")
    page.locator("#guidelines >> text=Close").click()
    expect(page.locator("#guidelines")).not_to_be_visible()


def test_what_was_answered_offline_is_kept_and_saved_when_the_connection_is_back(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    page = open_page(places[0])
    page.context.set_offline(True)
    page.keyboard.press("1")
    expect(page.locator(WORD)).to_have_text("offline: kept in this browser")
    page.keyboard.press("4")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage-note")).to_contain_text("The connection is lost")
    expect(page.locator("[name=noticed][value=no]")).to_be_checked()
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator(WORD)).to_have_text("draft saved", timeout=10_000)
    draft = Draft.objects.get()
    assert (draft.result, draft.noticed) == (True, False)


def test_an_answer_typed_offline_comes_back_after_a_reload(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    page = open_page(places[0])
    page.route("**/draft/", lambda route: route.abort())
    page.keyboard.press("2")
    expect(page.locator(WORD)).to_have_text("offline: kept in this browser")
    page.unroute("**/draft/")
    page.reload()
    expect(page.locator("[name=result][value=no]")).to_be_checked()
    expect(page.locator(WORD)).to_have_text("draft saved")
    assert Draft.objects.get().result is False


def test_an_expired_session_says_so_and_keeps_the_draft_through_the_sign_in(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    page = open_page(places[0])
    Session.objects.all().delete()
    page.keyboard.press("1")
    page.keyboard.press("3")
    expect(page.locator("#stage-note")).to_contain_text("You are signed out")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage-note")).to_contain_text("You are signed out")
    expect(page.locator("[name=result][value=yes]")).to_be_checked()
    page.click("text=Sign in again")
    page.fill("[name=username]", places[0].seat.account.username)
    page.fill("[name=password]", "long enough to pass")
    page.click("main button")
    expect(page).to_have_url(re.compile(places[0].public_id))
    expect(page.locator("[name=noticed][value=yes]")).to_be_checked()
    expect(page.locator(WORD)).to_have_text("draft saved")


def test_a_second_tab_with_other_answers_is_told_and_can_settle_it(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    first, second = open_page(places[0]), open_page(places[0])
    first.keyboard.press("1")
    expect(first.locator(WORD)).to_have_text("draft saved")
    second.evaluate("localStorage.clear()")
    second.keyboard.press("2")
    expect(second.locator(WORD)).to_contain_text("another tab saved Result yes")
    expect(second.locator("[name=result][value=no]")).to_be_checked()
    second.click("text=Keep what is here")
    expect(second.locator(WORD)).to_have_text("draft saved")
    assert Draft.objects.get().result is False


def test_a_submit_against_a_locked_item_shows_both_and_changes_nothing(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    first, second = open_page(places[0]), open_page(places[0])
    for page, keys in ((first, "13"), (second, "24")):
        for key in keys:
            page.keyboard.press(key)
        page.keyboard.press("Control+Enter")
        expect(page.locator("#stage h2").first).to_be_visible()
    expect(second.locator("#stage")).to_contain_text("Locked with other answers")
    expect(second.locator("#stage tbody tr").first).to_have_text(re.compile("Result\\s*yes\\s*no"))
    assert BlindLabel.objects.get().result is True


def test_two_clicks_on_submit_are_one_label(open_page: Callable[..., Page], places: list[Assignment]) -> None:
    page = open_page(places[0])
    page.keyboard.press("1")
    page.keyboard.press("3")
    page.locator("#blind .go").dblclick()
    expect(page.locator("#stage h2")).to_have_text("Review")
    assert BlindLabel.objects.count() == 1


def test_a_paused_study_says_so_and_keeps_what_was_answered(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    page = open_page(places[0])
    Study.objects.update(status=Study.Status.PAUSED)
    page.keyboard.press("1")
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage-note")).to_contain_text("This study is paused")
    expect(page.locator("[name=result][value=yes]")).to_be_checked()
    expect(page.locator(WORD)).to_have_text("draft saved")
    assert Draft.objects.get().result is True


def test_leaving_the_page_at_once_still_saves_the_draft(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    page = open_page(places[0])
    page.keyboard.press("2")
    page.goto("/queue/")
    page.goto(f"/queue/{places[0].public_id}/")
    expect(page.locator("[name=result][value=no]")).to_be_checked()
    expect(page.locator(WORD)).to_have_text("draft saved")
    assert Draft.objects.get().result is False


def test_submitting_and_signing_out_leave_nothing_in_the_browser(
    open_page: Callable[..., Page], places: list[Assignment]
) -> None:
    page = open_page(places[0])
    page.keyboard.press("1")
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stage h2")).to_have_text("Review")
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('rite-draft:'))") == []
    page.goto(f"/queue/{places[1].public_id}/")
    page.keyboard.press("2")
    expect(page.locator(WORD)).to_have_text("draft saved")
    assert len(page.evaluate("Object.keys(localStorage)")) == 1
    page.click(".menu-button")
    page.click("text=Sign out")
    page.wait_for_url("**/accounts/login/**")
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('rite-draft:'))") == []


def test_the_page_works_without_script(
    open_page: Callable[..., Page], places: list[Assignment], make_account: Callable[..., Account]
) -> None:
    page = open_page(places[0], java_script_enabled=False)
    page.check("[name=result][value=yes]", force=True)
    page.fill("[name=result_evidence]", "r2, R1")
    page.click("text=Submit")
    expect(page.locator("#noticed-error")).to_be_visible()
    page.check("[name=noticed][value=no]", force=True)
    page.click("text=Submit")
    expect(page.locator("#stage h2")).to_have_text("Review")
    assert BlindLabel.objects.get().evidence["result"] == ["R1", "R2"]
    page.check("[name=result][value=agree]", force=True)
    page.check("[name=noticed][value=disagree]", force=True)
    page.fill("textarea", "Compare R2.")
    page.click("text=Save the review")
    expect(page.locator("#stage .good")).to_be_visible()
    page.click("#stage >> text=Next")
    expect(page.locator("#item-bar")).to_contain_text("2 of 3")
