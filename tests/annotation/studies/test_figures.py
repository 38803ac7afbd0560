"""What figures, progress and files of a study count: void labels apart, late reviews and drafts not at all, seats only."""

import hashlib
import json
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotation.actions import seats as seat_actions
from annotation.actions.labelling import submit_blind
from annotation.actions.studies import close
from annotation.models import Assignment, BlindLabel, Comment, Draft, Item, Review, Seat, Study
from annotation.report import progress, study_export
from annotation.report.agreement import study_judgments, study_rows
from benchmark.core.comparing.agreement_csv import read_agreement_csv
from benchmark.core.comparing.agreement_report import agreement_report
from benchmark.models import Account

pytestmark = pytest.mark.django_db


def review(place: Assignment, version: int, answer: str, **fields: object) -> Review:
    return Review.objects.create(assignment=place, version=version, result=answer, noticed=answer, **fields)


def lock(place: Assignment) -> BlindLabel:
    return submit_blind(assignment=place, result=True, noticed=False, evidence={})


def records(lines: Iterable[str]) -> list[dict]:
    return [json.loads(line) for line in lines]


def test_every_place_is_a_row_and_a_missing_or_void_label_is_blank(
    make_started: Callable[..., Study], label_all: Callable
) -> None:
    study = make_started()
    place = study.seats.get(number=1).assignments.first()
    lock(place)
    other = study.seats.get(number=2).assignments.first()
    label = lock(other)
    seat_actions.void(label=label, who=study.owner, reason="a test", again=False)
    rows = study_judgments(study, "result")
    assert len(rows) == 24
    assert [(row.item, row.annotator) for row in rows if row.human is not None] == [(place.item.public_id, "A1")]
    assert {row.automatic for row in rows} == {False}


def test_an_item_that_nobody_holds_is_still_a_row(make_started: Callable[..., Study]) -> None:
    study = make_started(annotators=2, labels_per_item=2)
    for number in (1, 2):
        seat_actions.leave(seat=study.seats.get(number=number), who=study.owner)
    assert len({row.item for row in study_judgments(study, "result")}) == 12


def test_a_review_counts_in_its_last_version_before_the_last_close(
    make_started: Callable[..., Study], label_all: Callable
) -> None:
    study = make_started()
    label_all(study)
    place = study.seats.get(number=1).assignments.first()
    review(place, 1, "agree")
    review(place, 2, "disagree")
    assert [row.review for row in study_judgments(study, "result") if row.review] == ["disagree"]
    close(study=study, who=study.owner)
    review(place, 3, "agree", submitted=timezone.now() + timedelta(seconds=1))
    study.refresh_from_db()
    assert [row.review for row in study_judgments(study, "result") if row.review] == ["disagree"]


def test_strata_are_those_that_some_item_tells(make_started: Callable[..., Study]) -> None:
    rows = study_judgments(make_started(), "noticed")
    assert {frozenset(row.strata) for row in rows} == {frozenset({"condition", "model"})}


def test_rows_take_two_queries_however_many_places(
    make_started: Callable[..., Study], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    study = make_started()
    with django_assert_num_queries(2):
        study_rows(study, study.questions)


def test_the_csv_read_back_gives_the_same_figures(
    make_started: Callable[..., Study], label_all: Callable, tmp_path: Path
) -> None:
    study = make_started()
    labels = label_all(study, result=lambda place: place.pk % 3 > 0, noticed=lambda place: place.pk % 4 == 0)
    review(labels[0].assignment, 1, "disagree")
    seat_actions.void(label=labels[5], who=study.owner, reason="a test", again=False)
    file = tmp_path / "labels.csv"
    file.write_text("".join(study_export.csv_lines(study)))
    read = read_agreement_csv(file)
    assert read.notes == []
    direct = agreement_report(study_rows(study, study.questions), planned=2, draws=50)
    assert agreement_report(read.judgments, planned=2, draws=50) == direct


def test_the_export_holds_every_submitted_label_and_review_and_counts_them(
    make_started: Callable[..., Study], label_all: Callable
) -> None:
    study = make_started()
    labels = label_all(study)
    seat_actions.void(label=labels[0], who=study.owner, reason="a test", again=False)
    late = review(labels[1].assignment, 1, "agree")
    Comment.objects.create(review=late, text="why not “yes”？")
    lines = list(study_export.lines(study))
    *rows, end = records(lines)
    assert [row["stage"] for row in rows] == ["blind"] * 24 + ["review"]
    assert (end["blind"], end["review"], end["void"]) == (24, 1, 1)
    assert end["sha256"] == hashlib.sha256("".join(lines[:-1]).encode()).hexdigest()
    assert rows[-1]["comment"] == "why not “yes”？"
    assert [row["void"]["reason"] for row in rows[:-1] if row["void"]] == ["a test"]
    assert {row["annotator"] for row in rows} == {"A1", "A2", "A3"}


def test_the_export_names_nobody_and_holds_no_draft(
    make_started: Callable[..., Study], make_account: Callable[..., Account]
) -> None:
    study = make_started()
    Seat.objects.filter(study=study, number=1).update(account=make_account(username="li-na", name="Li Na"))
    places = study.seats.get(number=1).assignments.all()
    lock(places[0])
    Draft.objects.create(assignment=places[1], result=True)
    written = "".join([*study_export.lines(study), *study_export.csv_lines(study)]).lower()
    assert "li-na" not in written
    assert "li na" not in written
    assert len(list(study_export.lines(study))) == 2


def test_the_export_says_when_labels_are_copies_of_each_other(
    make_started: Callable[..., Study], label_all: Callable
) -> None:
    study = make_started()
    now = timezone.now()
    places = list(study.seats.get(number=1).assignments.all()[:3])
    BlindLabel.objects.bulk_create(
        BlindLabel(assignment=place, result=True, noticed=True, first_shown=now, submitted=now) for place in places
    )
    assert records(study_export.lines(study))[-1]["copies"] == 3


def test_the_matrix_has_the_planned_number_of_ones_in_every_row(make_started: Callable[..., Study]) -> None:
    header, *rows = [line.strip().split(",") for line in study_export.matrix_lines(make_started())]
    assert header == ["item", "model", "condition", "A1", "A2", "A3"]
    assert len(rows) == 12
    assert {sum(map(int, row[3:])) for row in rows} == {2}


def test_progress_counts_what_stands_and_never_drafts(make_started: Callable[..., Study], label_all: Callable) -> None:
    study = make_started()
    labels = label_all(study)
    mine = [label for label in labels if label.assignment.seat.number == 1]
    for version in (1, 2):
        review(mine[1].assignment, version, "agree")
    seat_actions.void(label=mine[0], who=study.owner, reason="a test", again=False)
    seat = progress.seats(study).get(number=1)
    assert (seat.total, seat.done, seat.void, seat.reviewed, seat.seconds) == (7, 7, 1, 1, 60)
    assert progress.last_seen(seat) == mine[1].assignment.reviews.last().submitted
    assert progress.totals(study) == {"places": 23, "done": 23, "void": 1, "items": 12}
    assert [item.public_id for item in progress.short_items(study)] == [mine[0].assignment.item.public_id]


def test_the_audit_sees_automatic_labels_shown_before_a_sibling_was_locked(
    make_started: Callable[..., Study], label_all: Callable
) -> None:
    study = make_started()
    one, other = study.seats.get(number=1).assignments.all()[:2]
    Item.objects.filter(pk__in=[one.item_id, other.item_id]).update(matched_group="the same unit")
    label_all(study)
    Assignment.objects.filter(pk=one.pk).update(review_opened_at=one.dealt_at - timedelta(hours=1))
    flags = {place.pk: place.early for place in progress.audit(study)}
    assert [pk for pk, early in flags.items() if early] == [one.pk]


def test_the_audit_sees_an_item_first_shown_after_its_units_labels_were_open(
    make_started: Callable[..., Study],
) -> None:
    study = make_started()
    one, other = study.seats.get(number=1).assignments.all()[:2]
    Item.objects.filter(pk__in=[one.item_id, other.item_id]).update(matched_group="the same unit")
    now = timezone.now()
    Assignment.objects.filter(pk=one.pk).update(review_opened_at=now)
    Assignment.objects.filter(pk=other.pk).update(first_shown=now + timedelta(minutes=1))
    assert [place.pk for place in progress.audit(study) if place.known] == [other.pk]


@pytest.mark.parametrize("each", [4, 12])
def test_progress_and_audit_take_as_many_queries_for_many_items_as_for_few(
    make_started: Callable[..., Study],
    make_pool: Callable,
    django_assert_num_queries: DjangoAssertNumQueries,
    each: int,
) -> None:
    study = make_started(batch=make_pool(each=each))
    with django_assert_num_queries(1):
        list(progress.seats(study))
    with django_assert_num_queries(2):
        assert {place.seat.number for item in progress.items(study) for place in item.held} == {1, 2, 3}
    with django_assert_num_queries(1):
        assert {place.seat.name for place in progress.audit(study)} == {"A1", "A2", "A3"}
