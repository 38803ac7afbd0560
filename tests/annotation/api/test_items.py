"""An annotator's program sees and does what their page does, no more: same value, same rules, same refusals."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.actions import labelling
from annotation.models import Assignment, BlindLabel, Comment, Draft, LabelVoid, Review, Study
from benchmark.core import text
from tests.api_clients import Caller, body_of

pytestmark = pytest.mark.django_db

YES_NO = {"result": True, "noticed": False, "evidence": {"result": ["R3"], "noticed": []}}
AGREE = {"result": "agree", "noticed": "unsure", "comment": "hm", "version": 0}


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    """Two items in the hands of one annotator, of two tasks."""
    return make_study()


@pytest.fixture
def caller(study: Study) -> Caller:
    """The annotator's program."""
    return Caller(study.seats.get().account)


@pytest.fixture
def place(study: Study) -> Assignment:
    """The first of the two."""
    return study.seats.get().assignments.first()


@pytest.fixture
def path(place: Assignment) -> str:
    """Its address."""
    return f"items/{place.public_id}"


def set_status(study: Study, status: str) -> None:
    Study.objects.filter(pk=study.pk).update(status=status)


def kind(response: Any, status: int = 409) -> str:
    """The name of a problem."""
    assert response.status_code == status, response.content
    return response.json()["type"].partition("#")[2]


def lock(place: Assignment) -> None:
    labelling.submit_blind(assignment=place, **YES_NO)


def test_a_program_can_label_and_review_to_the_end(caller: Caller, study: Study) -> None:
    for _ in range(4):
        upcoming = caller.get("queue").json()["studies"][0]["next"]
        item = caller.get(f"items/{upcoming}").json()
        if item["stage"] == "blind":
            assert caller.post(f"items/{upcoming}/blind", YES_NO).status_code == 200
        else:
            assert caller.post(f"items/{upcoming}/review", AGREE).status_code == 200
    queue = caller.get("queue").json()
    assert queue["studies"][0]["next"] is None
    assert "Thank you" in queue["studies"][0]["sentence"]
    assert [one["review"] for one in queue["finished"]] == ["reviewed", "reviewed"]
    assert (BlindLabel.objects.count(), Review.objects.count()) == (2, 2)


def test_an_item_shows_the_trajectory_and_the_first_showing_is_noted(
    caller: Caller, place: Assignment, path: str
) -> None:
    item = caller.get(path).json()
    assert item["stage"] == "blind"
    assert item["case"]["task"]["head"] == place.item.rollout.task
    assert [step["number"] for step in item["case"]["prefix"] + item["case"]["continuation"]] == [
        *("P1", "P2"),
        *("R1", "R2", "R3"),
    ]
    assert item["case"]["answer"]["head"] == "The user read about sports last."
    assert list(item["questions"]) == ["result", "noticed"]
    assert item["progress"] == {"position": 1, "total": 2, "done": 0}
    assert item["draft"]["version"] == 0
    place.refresh_from_db()
    assert place.first_shown is not None


def test_before_the_review_no_automatic_label_is_there(caller: Caller, study: Study, place: Assignment) -> None:
    Study.objects.update(review=Study.ReviewMode.AT_END)
    blind = caller.get(f"items/{place.public_id}").json()
    lock(place)
    later = caller.get(f"items/{place.public_id}").json()
    assert later["stage"] == "later"
    assert later["locked"] == YES_NO
    for shown in (blind, later):
        assert not {"automatic", "review"} & set(shown)


def test_an_open_review_shows_both_labels_with_their_reasons(caller: Caller, place: Assignment, path: str) -> None:
    lock(place)
    item = caller.get(path).json()
    assert item["stage"] == "review"
    assert item["automatic"]["result"] == {
        "label": False,
        "rationale": "The answer is wrong.",
        "evidence": ["R3"],
    }
    assert item["automatic"]["noticed"]["label"] is True
    assert item["review"] == {"version": 0, "result": "", "noticed": "", "comment": ""}
    place.refresh_from_db()
    assert place.review_opened_at is not None


def test_a_study_with_one_question_asks_takes_and_reveals_that_one_only(make_study: Callable[..., Study]) -> None:
    study = make_study(asks_noticed=False)
    caller, place = Caller(study.seats.get().account), study.seats.get().assignments.first()
    path = f"items/{place.public_id}"
    assert list(caller.get(path).json()["questions"]) == ["result"]
    refused = caller.post(f"{path}/blind", YES_NO)
    assert kind(refused, 422) == "invalid"
    assert [one["pointer"] for one in refused.json()["errors"]] == ["/noticed"]
    assert caller.post(f"{path}/blind", {"result": True}).status_code == 200
    assert list(caller.get(path).json()["automatic"]) == ["result"]


def test_a_set_aside_label_opens_nothing(caller: Caller, study: Study, place: Assignment, path: str) -> None:
    lock(place)
    LabelVoid.objects.create(label=place.blind_label, reason="slept", who=study.owner)
    assert caller.get(path).json()["stage"] == "set_aside"
    assert kind(caller.post(f"{path}/review", AGREE)) == "review-not-open"


def test_submitting_twice_locks_once_and_answers_alike(caller: Caller, path: str) -> None:
    first, again = caller.post(f"{path}/blind", YES_NO), caller.post(f"{path}/blind", YES_NO)
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json() == {"id": path.removeprefix("items/"), **YES_NO}
    assert BlindLabel.objects.count() == 1


def test_other_answers_after_the_lock_are_refused_and_the_first_stand(caller: Caller, path: str) -> None:
    caller.post(f"{path}/blind", YES_NO)
    for body in ({**YES_NO, "result": False}, {}):
        refused = caller.post(f"{path}/blind", body)
        assert kind(refused) == "locked-otherwise"
        assert refused.json()["locked"] == YES_NO
    assert BlindLabel.objects.get().result is True


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, ["/result", "/noticed"]),
        ({"result": True, "noticed": None}, ["/noticed"]),
        ({"result": "maybe", "noticed": True}, ["/result"]),
        ({"result": "yes", "noticed": 1}, ["/result", "/noticed"]),
        ({"result": "off", "noticed": "f"}, ["/result", "/noticed"]),
        ({**YES_NO, "evidence": {"result": ["R9"]}}, ["/evidence/result"]),
        ({**YES_NO, "evidence": {"result": ["\ud800"]}}, ["/evidence/result/0"]),
        ({**YES_NO, "evidence": {"reslt": ["R3"]}}, ["/evidence/reslt"]),
        ({**YES_NO, "seconds": -1}, ["/seconds"]),
        ({**YES_NO, "notice": True}, ["/notice"]),
        ([], [""]),
    ],
)
def test_what_is_missing_or_wrong_is_pointed_to_and_nothing_is_locked(
    caller: Caller, path: str, body: Any, pointers: list[str]
) -> None:
    refused = caller.post(f"{path}/blind", body)
    assert kind(refused, 422) == "invalid"
    assert sorted(one["pointer"] for one in refused.json()["errors"]) == sorted(pointers)
    assert not BlindLabel.objects.exists()


def test_a_number_beyond_any_float_is_no_time(caller: Caller, path: str) -> None:
    body = b'{"result": true, "noticed": true, "seconds": 1e999}'
    refused = caller.client.post(f"/api/v1/{path}/blind", body, content_type="application/json")
    assert [one["pointer"] for one in refused.json()["errors"]] == ["/seconds"]


@pytest.mark.parametrize(("status", "word"), [("paused", "paused"), ("closed", "closed")])
def test_a_study_that_stands_takes_no_label(caller: Caller, study: Study, path: str, status: str, word: str) -> None:
    set_status(study, status)
    refused = caller.post(f"{path}/blind", YES_NO)
    assert kind(refused) == "study-closed"
    assert word in refused.json()["detail"]
    assert word in caller.get(path).json()["refusal"]
    assert not BlindLabel.objects.exists()


def test_a_draft_is_kept_by_version(caller: Caller, path: str) -> None:
    assert caller.put(f"{path}/draft", {"result": True}).json()["version"] == 1
    saved = caller.put(f"{path}/draft", {**YES_NO, "version": 1}).json()
    assert saved == {"version": 2, **YES_NO}
    assert caller.get(path).json()["draft"] == saved
    stale = caller.put(f"{path}/draft", {"result": False, "version": 1})
    assert kind(stale) == "stale-draft"
    assert stale.json()["draft"] == saved
    assert Draft.objects.get().result is True


def test_a_draft_after_the_submit_is_refused(caller: Caller, path: str) -> None:
    caller.put(f"{path}/draft", {"result": True})
    caller.post(f"{path}/blind", YES_NO)
    assert not Draft.objects.exists()
    assert kind(caller.put(f"{path}/draft", {"result": False})) == "already-locked"


def test_a_paused_study_keeps_drafts(caller: Caller, study: Study, path: str) -> None:
    set_status(study, "paused")
    assert caller.put(f"{path}/draft", {"result": True}).status_code == 200
    set_status(study, "closed")
    assert kind(caller.put(f"{path}/draft", {"result": False, "version": 1})) == "study-closed"


def test_a_review_before_its_time_is_refused_in_the_same_words_whatever_is_missing(
    caller: Caller, place: Assignment, path: str
) -> None:
    before = caller.post(f"{path}/review", AGREE)
    Study.objects.update(review=Study.ReviewMode.AT_END)
    lock(place)
    after = caller.post(f"{path}/review", AGREE)
    assert kind(before) == kind(after) == "review-not-open"
    assert before.content == after.content
    assert not Review.objects.exists()


def test_a_review_can_be_changed_by_version(caller: Caller, place: Assignment, path: str) -> None:
    lock(place)
    assert caller.post(f"{path}/review", AGREE).json() == {**AGREE, "version": 1}
    changed = {**AGREE, "result": "disagree", "version": 1}
    assert caller.post(f"{path}/review", changed).json()["version"] == 2
    stale = caller.post(f"{path}/review", {**AGREE, "noticed": "agree"})
    assert kind(stale) == "review-changed"
    assert stale.json()["review"]["version"] == 2
    assert Comment.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, ["/result", "/noticed"]),
        ({**AGREE, "result": "perhaps"}, ["/result"]),
        ({**AGREE, "comment": "x" * 4001}, ["/comment"]),
        ({**AGREE, "comment": "a\x00b"}, ["/comment"]),
        ({**AGREE, "comment": "\udfff"}, ["/comment"]),
    ],
)
def test_a_review_that_is_not_valid_is_pointed_to(
    caller: Caller, place: Assignment, path: str, body: Any, pointers: list[str]
) -> None:
    lock(place)
    refused = caller.post(f"{path}/review", body)
    assert kind(refused, 422) == "invalid"
    assert sorted(one["pointer"] for one in refused.json()["errors"]) == sorted(pointers)
    assert not Review.objects.exists()


def test_a_submit_sent_again_with_its_key_gets_the_same_answer_whatever_came_since(
    caller: Caller, study: Study, place: Assignment, path: str
) -> None:
    key = {"Idempotency-Key": "label-1"}
    first = caller.post(f"{path}/blind", YES_NO, **key)
    set_status(study, "closed")
    Assignment.objects.filter(pk=place.pk).update(released_at=timezone.now())
    again = caller.post(f"{path}/blind", YES_NO, **key)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert kind(caller.post(f"{path}/blind", {**YES_NO, "result": False}, **key), 422) == "key-reused"
    assert BlindLabel.objects.count() == 1


def test_an_old_review_sent_again_with_its_key_overrules_nothing(caller: Caller, place: Assignment, path: str) -> None:
    lock(place)
    first = caller.post(f"{path}/review", AGREE, **{"Idempotency-Key": "one"})
    caller.post(f"{path}/review", {**AGREE, "result": "disagree", "version": 1}, **{"Idempotency-Key": "two"})
    again = caller.post(f"{path}/review", AGREE, **{"Idempotency-Key": "one"})
    assert again.content == first.content
    assert Review.objects.last().result == "disagree"


def test_what_is_not_theirs_and_what_is_not_there_answer_alike(
    caller: Caller, make_study: Callable[..., Study], place: Assignment
) -> None:
    theirs = Assignment.objects.get(item__study=make_study(rollouts=1))
    Assignment.objects.filter(pk=place.pk).update(released_at=timezone.now())
    answers = set()
    for public_id in (theirs.public_id, place.public_id, theirs.item.public_id, "nobodysplace"):
        for response in (
            caller.get(f"items/{public_id}"),
            caller.put(f"items/{public_id}/draft", YES_NO),
            caller.post(f"items/{public_id}/blind", YES_NO),
            caller.post(f"items/{public_id}/review", AGREE),
            caller.get(f"items/{public_id}/texts/task"),
            caller.get("rollouts/1"),
            caller.get("studies"),
            caller.get("no/such/path"),
        ):
            answers.add((response.status_code, response.content, str(sorted(response.headers.items()))))
    assert len(answers) == 1
    assert answers.pop()[0] == 404


def test_before_consent_every_address_leads_to_its_page(make_study: Callable[..., Study]) -> None:
    study = make_study(consent="I agree.")
    caller, place = Caller(study.seats.get().account), study.seats.get().assignments.first()
    assert caller.get("queue").json()["studies"][0]["consent_due"] is True
    for response in (
        caller.get(f"items/{place.public_id}"),
        caller.post(f"items/{place.public_id}/blind", YES_NO),
        caller.get(f"items/{place.public_id}/texts/task"),
    ):
        assert kind(response, 403) == "consent-due"
        assert response.json()["consent"] == f"http://testserver/queue/{place.public_id}/consent/"
    assert not BlindLabel.objects.exists()
    place.refresh_from_db()
    assert place.first_shown is None


def test_a_long_observation_comes_whole_or_in_ranges(make_study: Callable[..., Study], make_rollout: Any) -> None:
    source = text.write({"rows": ["灯 💡"] * 5_000})
    steps = [{"kind": "call", "actor": "agent", "tool": "T", "observation": source, "head": "x", "characters": 9_999}]
    study = make_study(rollouts=[make_rollout(prefix_count=0, step_count=1, steps=steps)])
    caller, place = Caller(study.seats.get().account), study.seats.get().assignments.first()
    path = f"items/{place.public_id}/texts/observation-R1"
    assert body_of(caller.get(path)).decode() == source
    part = caller.get(path, headers={"Range": "bytes=2-5"})
    assert (part.status_code, body_of(part)) == (206, b"rows")
    assert caller.get(f"items/{place.public_id}/texts/observation-R2").status_code == 404


def test_older_finished_items_are_asked_for_by_the_last_one(make_study: Callable[..., Study]) -> None:
    study = make_study(rollouts=52)
    places = list(study.seats.get().assignments.all())
    for one in places:
        lock(one)
    caller = Caller(study.seats.get().account)
    first = caller.get("queue").json()
    assert len(first["finished"]) == 50
    older = caller.get("queue", data={"before": first["older"]}).json()
    assert [one["id"] for one in older["finished"]] == [places[1].public_id, places[0].public_id]
    assert older["older"] is None


def test_every_answer_of_a_study_is_kept_out_of_caches(caller: Caller, path: str) -> None:
    for asked in ("queue", path, f"{path}/texts/task", "items/nobodysplace", "schema"):
        assert caller.get(asked).headers["Cache-Control"] == "no-store"


def test_an_item_takes_as_many_queries_among_60_as_among_2(
    make_study: Callable[..., Study], caller: Caller, path: str
) -> None:
    big = make_study(rollouts=60)
    other, theirs = Caller(big.seats.get().account), big.seats.get().assignments.first()
    caller.get("queue"), other.get("queue")
    counts = []
    for who, where in ((caller, path), (other, f"items/{theirs.public_id}")):
        who.get(where)
        with CaptureQueriesContext(connection) as item:
            who.get(where)
        with CaptureQueriesContext(connection) as queue:
            who.get("queue")
        counts.append((len(item), len(queue)))
    assert counts[0] == counts[1]
    assert counts[0][0] <= 8
    assert counts[0][1] <= 6
