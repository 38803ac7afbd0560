"""Submits, leaving and closing at the same moment: every place ends as labelled or as somebody else's, and nobody gets an error."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from annotation.actions import labelling, seats
from annotation.actions.studies import close
from annotation.models import Assignment, BlindLabel, Study, StudyClosed

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*jobs: Callable[[], object]) -> list[BaseException]:
    """Run all jobs in threads that start together; gives what they raised."""
    barrier = threading.Barrier(len(jobs))

    def run(job: Callable[[], object]) -> None:
        barrier.wait()
        try:
            job()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as threads:
        done = [threads.submit(run, job) for job in jobs]
    return [error for each in done if (error := each.exception())]


def submits(places: list[Assignment]) -> list[Callable[[], object]]:
    return [
        lambda place=place: labelling.submit_blind(assignment=place, result=True, noticed=False, evidence={})
        for place in places
    ]


def test_who_leaves_while_submitting_loses_no_label_and_holds_no_open_place(make_started: Callable[..., Study]) -> None:
    study = make_started()
    seat = study.seats.get(number=1)
    places = list(seat.assignments.all())
    raised = at_once(*submits(places), lambda: seats.leave(seat=seat, who=study.owner))
    assert [error for error in raised if not isinstance(error, Assignment.DoesNotExist)] == []
    for place in Assignment.objects.filter(seat=seat):
        labelled = BlindLabel.objects.filter(assignment=place).exists()
        assert labelled == (place.released_at is None)
    assert BlindLabel.objects.count() + len(raised) == len(places)
    counting = Assignment.objects.held().filter(item__study=study)
    assert counting.count() == 24


def test_after_a_close_no_label_comes_in(make_started: Callable[..., Study]) -> None:
    study = make_started()
    places = list(Assignment.objects.filter(item__study=study)[:8])
    raised = at_once(*submits(places), lambda: close(study=study, who=study.owner))
    assert [error for error in raised if not isinstance(error, StudyClosed)] == []
    study.refresh_from_db()
    assert not BlindLabel.objects.filter(submitted__gt=study.closed_at).exists()
    assert BlindLabel.objects.count() + len(raised) == len(places)


def test_two_places_moved_at_once_go_to_people_who_never_had_them(make_started: Callable[..., Study]) -> None:
    study = make_started(annotators=5)
    places = list(study.seats.get(number=1).assignments.all()[:3])
    raised = at_once(
        *(lambda place=place: seats.reassign(assignment=place, who=study.owner, reason="x") for place in places)
    )
    assert raised == []
    held = Assignment.objects.held().filter(item__study=study)
    assert held.count() == 24
    assert held.values("item", "seat").distinct().count() == 24
