"""Drafting, locking and reviewing: what an annotator says once stands, and nothing else is kept of it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.actions import labelling
from annotation.models import Assignment, BlindLabel, Comment, Draft, LabelVoid, Review, Study, StudyClosed

pytestmark = pytest.mark.django_db

YES_NO: dict[str, Any] = {"result": True, "noticed": False, "evidence": {"result": ["R3"], "noticed": []}}
NO_NO: dict[str, Any] = {**YES_NO, "result": False}
AGREE = {"result": "agree", "noticed": "unsure", "comment": "", "version": 0}


@pytest.fixture
def place(make_study: Callable[..., Study]) -> Assignment:
    """The first of two places of one annotator."""
    return Assignment.objects.filter(item__study=make_study()).first()


def lock_all(study: Study) -> list[Assignment]:
    """Label everything in the study."""
    places = list(Assignment.objects.filter(item__study=study))
    for place in places:
        labelling.submit_blind(assignment=place, **YES_NO)
    return places


def set_status(place: Assignment, status: str) -> None:
    Study.objects.filter(pk=place.item.study_id).update(status=status)


def test_locking_twice_with_the_same_answers_is_one_label(place: Assignment) -> None:
    first = labelling.submit_blind(assignment=place, **YES_NO)
    assert labelling.submit_blind(assignment=place, **YES_NO) == first
    assert BlindLabel.objects.count() == 1


def test_locking_twice_keeps_the_first_labels(place: Assignment) -> None:
    labelling.submit_blind(assignment=place, **YES_NO)
    with pytest.raises(labelling.LockedOtherwise) as conflict:
        labelling.submit_blind(assignment=place, **NO_NO)
    assert conflict.value.label.result is True
    assert BlindLabel.objects.get().result is True


def test_a_submit_drops_the_draft_and_records_the_guidelines_it_was_made_under(place: Assignment) -> None:
    labelling.save_draft(assignment=place, **YES_NO, version=0)
    label = labelling.submit_blind(assignment=place, **YES_NO)
    assert not Draft.objects.exists()
    assert label.guidelines.version == 1
    assert label.evidence == {"result": ["R3"], "noticed": []}


def test_a_late_draft_does_not_come_back_after_the_submit(place: Assignment) -> None:
    labelling.submit_blind(assignment=place, **YES_NO)
    with pytest.raises(labelling.AlreadyLocked):
        labelling.save_draft(assignment=place, **NO_NO, version=0)
    assert not Draft.objects.exists()


def test_a_draft_is_one_row_that_is_overwritten(place: Assignment) -> None:
    assert labelling.save_draft(assignment=place, **YES_NO, version=0).version == 1
    assert labelling.save_draft(assignment=place, **NO_NO, version=1).version == 2
    assert Draft.objects.get().result is False


def test_a_stale_tab_cannot_overwrite_the_draft_of_another(place: Assignment) -> None:
    labelling.save_draft(assignment=place, **YES_NO, version=0)
    with pytest.raises(labelling.StaleDraft) as stale:
        labelling.save_draft(assignment=place, **NO_NO, version=0)
    assert stale.value.draft.result is True
    assert Draft.objects.get().result is True


def test_a_draft_sent_again_after_a_lost_answer_is_no_conflict(place: Assignment) -> None:
    labelling.save_draft(assignment=place, **YES_NO, version=0)
    assert labelling.save_draft(assignment=place, **YES_NO, version=0).version == 1


def test_a_paused_study_keeps_drafts_and_refuses_submits(place: Assignment) -> None:
    set_status(place, Study.Status.PAUSED)
    labelling.save_draft(assignment=place, **YES_NO, version=0)
    with pytest.raises(StudyClosed, match="paused"):
        labelling.submit_blind(assignment=place, **YES_NO)
    assert Draft.objects.get().result is True


def test_a_closed_study_takes_neither_drafts_nor_labels_and_keeps_the_draft(place: Assignment) -> None:
    labelling.save_draft(assignment=place, **YES_NO, version=0)
    set_status(place, Study.Status.CLOSED)
    with pytest.raises(StudyClosed, match="closed"):
        labelling.save_draft(assignment=place, **NO_NO, version=1)
    with pytest.raises(StudyClosed, match="closed"):
        labelling.submit_blind(assignment=place, **YES_NO)
    assert Draft.objects.get().result is True
    assert not BlindLabel.objects.exists()


def test_a_replayed_submit_after_the_close_finds_its_label(place: Assignment) -> None:
    first = labelling.submit_blind(assignment=place, **YES_NO)
    set_status(place, Study.Status.CLOSED)
    assert labelling.submit_blind(assignment=place, **YES_NO) == first


def test_a_place_that_was_taken_away_cannot_be_labelled(place: Assignment) -> None:
    Assignment.objects.filter(pk=place.pk).update(released_at=timezone.now())
    with pytest.raises(Assignment.DoesNotExist):
        labelling.submit_blind(assignment=place, **YES_NO)


def test_who_left_the_study_cannot_label(place: Assignment) -> None:
    place.seat.left_at = timezone.now()
    place.seat.save()
    with pytest.raises(Assignment.DoesNotExist):
        labelling.save_draft(assignment=place, **YES_NO, version=0)


def test_active_time_is_the_largest_total_reported_and_never_more_than_the_clock(place: Assignment) -> None:
    place.first_shown = timezone.now() - timedelta(seconds=100)
    place.save()
    for seconds in (40, 25, 40):
        labelling.record_time(assignment=place, seconds=seconds)
    place.refresh_from_db()
    assert place.active_seconds == 40
    labelling.record_time(assignment=place, seconds=99_999)
    place.refresh_from_db()
    assert place.active_seconds == pytest.approx(100, abs=2)
    assert labelling.submit_blind(assignment=place, **YES_NO, seconds=60).active_seconds == place.active_seconds


def test_seconds_before_an_item_was_shown_do_not_count(place: Assignment) -> None:
    labelling.record_time(assignment=place, seconds=30)
    place.refresh_from_db()
    assert place.active_seconds == 0


def test_the_first_showing_is_kept(place: Assignment) -> None:
    labelling.mark_shown(assignment=place)
    place.refresh_from_db()
    first = place.first_shown
    labelling.mark_shown(assignment=place)
    labelling.mark_shown(assignment=Assignment(pk=place.pk))
    place.refresh_from_db()
    assert place.first_shown == first is not None


def test_a_review_opens_once_the_item_is_locked(place: Assignment) -> None:
    assert not labelling.open_review(assignment=place)
    labelling.submit_blind(assignment=place, **YES_NO)
    assert labelling.open_review(assignment=place)
    place.refresh_from_db()
    assert place.review_opened_at is not None


def test_a_review_waits_until_every_item_of_its_task_is_locked_in_any_study(
    make_study: Callable[..., Study], make_rollout: Callable[..., Any], make_account: Callable[..., Any]
) -> None:
    person = make_account()
    here = make_study(rollouts=[make_rollout(group="unit-1")], seats=[person])
    there = make_study(rollouts=[make_rollout(group="unit-1")], seats=[person])
    mine = lock_all(here)[0]
    assert not labelling.open_review(assignment=mine)
    mine.refresh_from_db()
    assert mine.review_opened_at is None
    lock_all(there)
    assert labelling.open_review(assignment=mine)


def test_a_review_does_not_wait_for_somebody_else(
    make_study: Callable[..., Study], make_rollout: Callable[..., Any]
) -> None:
    study = make_study(rollouts=[make_rollout(group="unit-1")], seats=2)
    mine = study.seats.first().assignments.first()
    labelling.submit_blind(assignment=mine, **YES_NO)
    assert labelling.open_review(assignment=mine)


def test_at_end_holds_every_review_until_the_last_blind_label(make_study: Callable[..., Study]) -> None:
    study = make_study(rollouts=2, review=Study.ReviewMode.AT_END)
    first, second = Assignment.objects.filter(item__study=study)
    labelling.submit_blind(assignment=first, **YES_NO)
    assert not labelling.open_review(assignment=first)
    labelling.submit_blind(assignment=second, **YES_NO)
    assert labelling.open_review(assignment=first)


def test_a_voided_label_opens_no_review(place: Assignment) -> None:
    label = labelling.submit_blind(assignment=place, **YES_NO)
    LabelVoid.objects.create(label=label, reason="slept", who=place.item.study.owner)
    assert not labelling.open_review(assignment=place)


def test_a_review_cannot_be_written_before_it_was_opened(place: Assignment) -> None:
    labelling.submit_blind(assignment=place, **YES_NO)
    with pytest.raises(labelling.ReviewNotOpen):
        labelling.submit_review(assignment=place, **AGREE)


def test_changing_a_review_adds_a_version_and_keeps_the_old_one(place: Assignment) -> None:
    labelling.submit_blind(assignment=place, **YES_NO)
    labelling.open_review(assignment=place)
    labelling.submit_review(assignment=place, **AGREE)
    labelling.submit_review(assignment=place, **{**AGREE, "result": "disagree", "comment": "Look at R2.", "version": 1})
    assert list(Review.objects.values_list("version", "result")) == [(1, "agree"), (2, "disagree")]
    assert Comment.objects.get().review.version == 2


def test_the_same_review_twice_is_one_version(place: Assignment) -> None:
    labelling.submit_blind(assignment=place, **YES_NO)
    labelling.open_review(assignment=place)
    labelling.submit_review(assignment=place, **AGREE)
    labelling.submit_review(assignment=place, **AGREE)
    assert Review.objects.count() == 1


def test_a_stale_tab_cannot_overrule_a_newer_review(place: Assignment) -> None:
    labelling.submit_blind(assignment=place, **YES_NO)
    labelling.open_review(assignment=place)
    labelling.submit_review(assignment=place, **AGREE)
    with pytest.raises(labelling.ReviewChanged) as changed:
        labelling.submit_review(assignment=place, **{**AGREE, "result": "disagree"})
    assert changed.value.review.result == "agree"
    assert Review.objects.count() == 1


@pytest.mark.parametrize("status", [Study.Status.PAUSED, Study.Status.CLOSED])
def test_no_review_is_taken_while_the_study_stands_still(place: Assignment, status: str) -> None:
    labelling.submit_blind(assignment=place, **YES_NO)
    labelling.open_review(assignment=place)
    set_status(place, status)
    with pytest.raises(StudyClosed):
        labelling.submit_review(assignment=place, **AGREE)
    assert not Review.objects.exists()
