"""What stands on an annotator's queue: how much is done, what is next, how long the rest takes, why it is empty."""

import math
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Case, Count, Exists, OuterRef, Q, QuerySet, Subquery, When

from annotation.models import Assignment, Consent, ConsentText, Review, Seat, Study
from benchmark.core import text
from benchmark.models import Account

LABELS_BEFORE_PACE = 3
TASK_SHOWN = 200
NOTHING: dict[str, Any] = {"total": 0, "done": 0, "void": 0, "reviewed": 0, "open": 0, "seconds": None}


@dataclass(frozen=True, slots=True)
class Progress:
    """Where an item stands among its seat's: `position` of `total`, `done` of them locked."""

    position: int
    total: int
    done: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyQueue:
    """One study as its annotator sees it.

    `to_review` reviews are open and unanswered, `waiting` ones open later. `seconds_left` is None until three labels
    tell the pace. `next_id` names the place to go on with; where it is None, `sentence` says why.
    """

    name: str
    status: str
    total: int
    done: int
    to_review: int
    waiting: int
    seconds_left: float | None
    next_id: str | None
    consent_due: bool
    sentence: str

    @property
    def left(self) -> int:
        """Items still to label."""
        return self.total - self.done

    @property
    def time_left(self) -> str:
        """How long the rest takes at the person's pace, in round words; empty while the pace is unknown."""
        if self.seconds_left is None:
            return ""
        minutes = math.ceil(self.seconds_left / 60)
        return f"about {minutes} min" if minutes < 90 else f"about {round(minutes / 60)} h"


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedItem:
    """One locked item: what was said, None where not asked, and how its review stands, in a word or two."""

    public_id: str
    study: str
    task: str
    result: bool | None
    noticed: bool | None
    review: str


def progress_of(place: Assignment) -> Progress:
    """Count the seat's places; those taken away are not counted, so the total changes only when items are dealt."""
    counts = (
        Assignment.objects.held()
        .filter(seat=place.seat_id)
        .aggregate(position=Count("pk", filter=Q(order__lte=place.order)), total=Count("pk"), done=Count("blind_label"))
    )
    return Progress(**counts)


def next_place(place: Assignment) -> str | None:
    """The public id of what the same seat does after a place: an unlabelled item, else an open review.

    Those after it in the seat's order come first, so that a page fetched ahead does not lead back to the one before it.
    """
    others = Assignment.objects.held().filter(seat=place.seat_id).exclude(pk=place.pk)
    onward = others.order_by(Case(When(order__gt=place.order, then=0), default=1), "order")
    return _first(onward.unlabelled()) or _first(onward.to_review())


def owes_consent(place: Assignment) -> bool:
    """Whether the seat has yet to agree to the newest consent text of the study; the same rule as in `consent_due`."""
    newest = ConsentText.objects.filter(study=place.item.study_id).order_by("-version").values_list("pk", flat=True)
    asked = newest.first()
    return asked is not None and not Consent.objects.filter(seat=place.seat_id, text=asked).exists()


def consent_due() -> Exists:
    """For a queryset of assignments: whether the seat has yet to agree to the study's newest consent text."""
    newest = ConsentText.objects.filter(study=OuterRef("study")).order_by("-version").values("pk")[:1]
    agreed = Consent.objects.filter(seat=OuterRef(OuterRef("seat")), text=OuterRef("pk"))
    of_study = ConsentText.objects.filter(study=OuterRef("item__study"))
    return Exists(of_study.filter(pk=Subquery(newest)).filter(~Exists(agreed)))


def queues_of(account: Account) -> list[StudyQueue]:
    """The account's studies, those it can go on with first. Two queries, however many studies and items."""
    counts = _counts_by_seat(account)
    places = Assignment.objects.filter(seat=OuterRef("pk"))
    seats = (
        Seat.objects.filter(account=account, study__archived=False)
        .select_related("study")
        .annotate(
            unlabelled_id=Subquery(places.unlabelled().order_by("order").values("public_id")[:1]),
            review_id=Subquery(places.to_review().order_by("order").values("public_id")[:1]),
            consent_due=Exists(places.filter(consent_due())),
        )
        .order_by("pk")
    )
    queues = [_queue(seat, counts.get(seat.pk, NOTHING)) for seat in seats]
    return sorted(queues, key=lambda queue: queue.next_id is None)


def finished_items(account: Account, most: int, before: str = "") -> list[FinishedItem]:
    """The account's locked items, the last locked first; with `before` (a public id) those locked before that one."""
    places = Assignment.objects.of(account).filter(blind_label__isnull=False).order_by("-blind_label")
    if before:
        places = places.filter(blind_label__lt=Subquery(places.filter(public_id=before).values("blind_label")[:1]))
    rows = (
        places.select_related("blind_label", "item__study", "item__rollout")
        .only(
            *("public_id", "item__study__name", "item__rollout__task"),
            *("blind_label__result", "blind_label__noticed", "blind_label__assignment"),
        )
        .annotate(
            review_is_open=Exists(Assignment.objects.with_open_review().filter(pk=OuterRef("pk"))),
            reviewed=Exists(Review.objects.filter(assignment=OuterRef("pk"))),
            set_aside=Q(blind_label__void__isnull=False),
        )
    )
    return [_finished(row) for row in rows[:most]]


def _first(places: QuerySet[Assignment]) -> str | None:
    return places.values_list("public_id", flat=True).first()


def _counts_by_seat(account: Account) -> dict[int, dict[str, Any]]:
    reviewed = Review.objects.filter(assignment=OuterRef("pk"))
    to_review = Assignment.objects.to_review().filter(pk=OuterRef("pk"))
    rows: Any = (
        Assignment.objects.held()
        .filter(seat__account=account, item__study__archived=False)
        .order_by()
        .values("seat")
        .annotate(
            total=Count("pk"),
            done=Count("blind_label"),
            void=Count("blind_label__void"),
            reviewed=Count("pk", filter=Exists(reviewed) & Q(blind_label__void__isnull=True)),
            open=Count("pk", filter=Exists(to_review)),
            seconds=Avg("blind_label__active_seconds"),
        )
    )
    return {row["seat"]: row for row in rows}


def _queue(seat: Any, counts: dict[str, Any]) -> StudyQueue:
    waiting = counts["done"] - counts["void"] - counts["reviewed"] - counts["open"]
    sentence = _why_not(seat, counts, waiting)
    has_pace = counts["done"] >= LABELS_BEFORE_PACE and counts["seconds"]
    return StudyQueue(
        name=seat.study.name,
        status=seat.study.status,
        total=counts["total"],
        done=counts["done"],
        to_review=counts["open"],
        waiting=waiting,
        seconds_left=counts["seconds"] * (counts["total"] - counts["done"]) if has_pace else None,
        next_id=None if sentence else seat.unlabelled_id or seat.review_id,
        consent_due=seat.consent_due,
        sentence=sentence,
    )


def _finished(place: Any) -> FinishedItem:
    if place.set_aside:
        review = "set aside"
    elif place.reviewed:
        review = "reviewed"
    else:
        review = "open" if place.review_is_open else "later"
    return FinishedItem(
        public_id=place.public_id,
        study=place.item.study.name,
        task=text.shown(place.item.rollout.task[:TASK_SHOWN]),
        result=place.blind_label.result,
        noticed=place.blind_label.noticed,
        review=review,
    )


def _why_not(seat: Seat, counts: dict[str, Any], waiting: int) -> str:
    """Why the seat cannot go on, in words for its annotator; empty where it can."""
    if seat.left_at:
        return "You have left this study. What you submitted stays."
    if seat.study.status != Study.Status.RUNNING:
        return STANDSTILL[seat.study.status]
    if counts["total"] == 0:
        return "No items have been dealt to you yet. They appear here when the researcher deals some."
    if counts["done"] < counts["total"] or counts["open"]:
        return ""
    if waiting:
        return (
            "Everything here is labelled. The reviews open once you have labelled the items of your other studies "
            "that belong to the same tasks."
        )
    return "You have labelled and reviewed everything here. Thank you."


STANDSTILL: dict[str, str] = {
    Study.Status.DRAFT: "This study has not started yet. Your items appear here when it does.",
    Study.Status.PAUSED: "This study is paused. Your drafts are kept; go on when the researcher resumes it.",
    Study.Status.CLOSED: "This study is closed and takes no more labels.",
}
