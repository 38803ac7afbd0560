"""The queue tells what is open, done and next, and in words why there is nothing; consent comes first."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.actions import labelling
from annotation.models import Assignment, Consent, ConsentText, LabelVoid, Seat, Study
from annotation.report.queue import finished_items, next_place, progress_of, queues_of
from benchmark.models import Account

pytestmark = pytest.mark.django_db

YES: dict[str, Any] = {"result": True, "noticed": False, "evidence": {}}


@pytest.fixture
def person(make_account: Callable[..., Account]) -> Account:
    """Who labels."""
    return make_account("annotator", "ann")


def places_of(study: Study) -> list[Assignment]:
    return list(Assignment.objects.filter(item__study=study).order_by("seat", "order"))


def lock(place: Assignment, seconds: float = 0) -> None:
    Assignment.objects.filter(pk=place.pk).update(first_shown=timezone.now() - timedelta(hours=1))
    labelling.submit_blind(assignment=place, **YES, seconds=seconds)


def test_next_is_the_first_unlabelled_item_in_the_seats_order(
    make_study: Callable[..., Study], person: Account, signed_in: Callable[..., Client]
) -> None:
    places = places_of(make_study(rollouts=3, seats=[person]))
    client = signed_in(person)
    for place in places:
        assert client.get("/queue/next/").url == f"/queue/{place.public_id}/"
        lock(place)
    assert client.get("/queue/next/").url == f"/queue/{places[0].public_id}/"
    for place in places:
        labelling.open_review(assignment=place)
        labelling.submit_review(assignment=place, result="agree", noticed="agree", comment="", version=0)
    assert client.get("/queue/next/").url == "/queue/"


def test_places_that_were_taken_away_are_neither_counted_nor_next(
    make_study: Callable[..., Study], person: Account
) -> None:
    first, second, third = places_of(make_study(rollouts=3, seats=[person]))
    Assignment.objects.filter(pk=second.pk).update(released_at=timezone.now())
    assert next_place(first) == third.public_id
    assert (progress_of(third).position, progress_of(third).total) == (2, 2)
    assert queues_of(person)[0].total == 2


def test_what_follows_an_item_stands_after_it_before_what_was_passed_over(
    make_study: Callable[..., Study], person: Account
) -> None:
    first, second, third = places_of(make_study(rollouts=3, seats=[person]))
    assert next_place(second) == third.public_id
    assert next_place(third) == first.public_id
    lock(third)
    assert next_place(second) == first.public_id
    lock(first)
    assert next_place(second) == third.public_id
    labelling.open_review(assignment=third)
    labelling.submit_review(assignment=third, result="agree", noticed="agree", comment="", version=0)
    assert next_place(second) == first.public_id


def test_time_left_is_the_mean_active_time_times_what_is_left(
    make_study: Callable[..., Study], person: Account
) -> None:
    places = places_of(make_study(rollouts=13, seats=[person]))
    for place, seconds in zip(places, (60, 120), strict=False):
        lock(place, seconds)
    assert queues_of(person)[0].time_left == ""
    lock(places[2], 180)
    queue = queues_of(person)[0]
    assert queue.seconds_left == pytest.approx(120 * 10)
    assert queue.time_left == "about 20 min"


def test_reviews_are_counted_as_open_done_or_waiting(
    make_study: Callable[..., Study], make_rollout: Callable[..., Any], person: Account
) -> None:
    rollouts = [make_rollout(group="one"), make_rollout(group="one"), make_rollout(), make_rollout(), make_rollout()]
    places = places_of(make_study(rollouts=rollouts, seats=[person]))
    for place in (places[0], *places[2:]):
        lock(place)
    labelling.open_review(assignment=places[2])
    labelling.submit_review(assignment=places[2], result="agree", noticed="agree", comment="", version=0)
    LabelVoid.objects.create(label=places[3].blind_label, reason="test", who=person)
    queue = queues_of(person)[0]
    assert (queue.done, queue.to_review, queue.waiting) == (4, 1, 1)
    said = {item.public_id: item.review for item in finished_items(person, 50)}
    assert [said.get(place.public_id) for place in places] == ["later", None, "reviewed", "set aside", "open"]


@pytest.mark.parametrize(
    ("status", "words"), [("draft", "not started"), ("paused", "is paused"), ("closed", "is closed and takes no more")]
)
def test_a_study_that_stands_still_says_so(
    make_study: Callable[..., Study],
    person: Account,
    signed_in: Callable[..., Client],
    status: str,
    words: str,
) -> None:
    make_study(seats=[person], status=status)
    page = signed_in(person).get("/queue/").content.decode()
    assert words in page
    assert "/queue/next/" not in page


def test_an_empty_queue_says_why(
    make_study: Callable[..., Study], person: Account, signed_in: Callable[..., Client]
) -> None:
    client = signed_in(person)
    assert "You have no study." in client.get("/queue/").content.decode()
    study = make_study(rollouts=0, seats=[person])
    assert "No items have been dealt to you yet." in client.get("/queue/").content.decode()
    Seat.objects.filter(study=study).update(left_at=timezone.now())
    assert "You have left this study." in client.get("/queue/").content.decode()


def test_a_queue_that_is_done_says_so_or_what_its_reviews_wait_for(
    make_study: Callable[..., Study], make_rollout: Callable[..., Any], person: Account
) -> None:
    here = make_study(rollouts=[make_rollout(group="one")], seats=[person])
    there = make_study(rollouts=[make_rollout(group="one")], seats=[person])
    lock(places_of(here)[0])
    sentences = {queue.name: queue for queue in queues_of(person) if queue.next_id is None}
    assert "your other studies" in next(iter(sentences.values())).sentence
    lock(places_of(there)[0])
    for study in (here, there):
        place = places_of(study)[0]
        labelling.open_review(assignment=place)
        labelling.submit_review(assignment=place, result="agree", noticed="agree", comment="", version=0)
    assert {queue.sentence for queue in queues_of(person)} == {
        "You have labelled and reviewed everything here. Thank you."
    }


def test_the_finished_list_goes_on_where_it_was_cut(make_study: Callable[..., Study], person: Account) -> None:
    places = places_of(make_study(rollouts=5, seats=[person]))
    for place in places:
        lock(place)
    newest_first = [place.public_id for place in reversed(places)]
    assert [item.public_id for item in finished_items(person, 2)] == newest_first[:2]
    assert [item.public_id for item in finished_items(person, 9, before=newest_first[1])] == newest_first[2:]


def test_a_task_in_the_finished_list_cannot_turn_the_line_around(
    make_study: Callable[..., Study], make_rollout: Callable[..., Any], person: Account
) -> None:
    lock(places_of(make_study(rollouts=[make_rollout(task="\u202eabc")], seats=[person]))[0])
    assert finished_items(person, 1)[0].task == "⟨U+202E⟩abc"


def test_consent_comes_before_the_first_item_and_is_recorded_with_its_version(
    make_study: Callable[..., Study], person: Account, signed_in: Callable[..., Client]
) -> None:
    study = make_study(seats=[person], consent="We keep your *answers*.")
    place = places_of(study)[0]
    client = signed_in(person)
    item, consent = f"/queue/{place.public_id}/", f"/queue/{place.public_id}/consent/"
    assert client.get(item).url == consent
    assert client.post(f"{item}submit/", {"result": "yes", "noticed": "no"}).url == consent
    assert "<em>answers</em>" in client.get(consent).content.decode()
    assert client.post(consent, {"version": "7"}).status_code == 200
    assert not Consent.objects.exists()
    assert client.post(consent, {"version": "1"}).url == item
    agreed = Consent.objects.get()
    assert (agreed.seat, agreed.text.version) == (place.seat, 1)
    assert client.get(item).status_code == 200


def test_a_new_consent_text_is_asked_for_again(
    make_study: Callable[..., Study], person: Account, signed_in: Callable[..., Client]
) -> None:
    study = make_study(seats=[person], consent="First.")
    place = places_of(study)[0]
    labelling.agree_to_study(seat=place.seat, text=ConsentText.objects.get())
    client = signed_in(person)
    assert client.get(f"/queue/{place.public_id}/").status_code == 200
    ConsentText.objects.create(study=study, version=2, text="Second.")
    assert client.get(f"/queue/{place.public_id}/").url == f"/queue/{place.public_id}/consent/"


def test_the_queue_asks_the_database_as_often_for_200_items_as_for_10(
    make_study: Callable[..., Study], make_account: Callable[..., Account], signed_in: Callable[..., Client]
) -> None:
    counts = []
    for size in (10, 200):
        person = make_account()
        for place in places_of(make_study(rollouts=size, seats=[person]))[: size // 2]:
            lock(place)
        client = signed_in(person)
        client.get("/queue/")
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get("/queue/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 6
