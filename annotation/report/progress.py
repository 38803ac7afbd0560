"""How far a study is: by seat, by item, what stays open, and what each person could have seen when."""

from datetime import datetime
from typing import Any

from django.db.models import Avg, Count, Exists, Max, OuterRef, Prefetch, Q, QuerySet, Subquery

from annotation.models import Assignment, Review, Seat, Study, StudyEvent
from benchmark.models import Account

HELD = Q(assignments__released_at__isnull=True)
LABELLED = HELD & Q(assignments__blind_label__isnull=False)
VOID = LABELLED & Q(assignments__blind_label__void__isnull=False)
DONE = LABELLED & Q(assignments__blind_label__void__isnull=True)
COUNTING = HELD & Q(assignments__blind_label__void__isnull=True)


def seats(study: Study) -> QuerySet[Seat]:
    """The study's seats with what they have done: never names, never drafts. One query.

    `total` places that count, `done` labels that stand, `open` places, `void` labels, `reviewed` items, mean `seconds` a label, `last`
    sign of life, `invited` whether an unused invitation is out, `taken` whether somebody sits there.
    """
    reviews = Review.objects.filter(assignment__seat=OuterRef("pk")).order_by()
    reviewed = reviews.values("assignment__seat").annotate(count=Count("assignment", distinct=True)).values("count")
    last_review = reviews.values("assignment__seat").annotate(last=Max("submitted")).values("last")
    return (
        study.seats.order_by("number")
        .only("number", "left_at", "study_id", "account_id")
        .annotate(
            total=Count("assignments", filter=COUNTING),
            done=Count("assignments", filter=DONE),
            open=Count("assignments", filter=HELD & Q(assignments__blind_label__isnull=True)),
            void=Count("assignments", filter=VOID),
            seconds=Avg("assignments__blind_label__active_seconds", filter=DONE),
            shown=Max("assignments__first_shown"),
            submitted=Max("assignments__blind_label__submitted"),
            opened=Max("assignments__review_opened_at"),
            reviewed=Subquery(reviewed),
            last_review=Subquery(last_review),
        )
    )


def last_seen(seat: Seat) -> datetime | None:
    """The newest sign of life of a seat of `seats`; None where nobody has opened an item."""
    signs = (seat.shown, seat.submitted, seat.opened, seat.last_review)  # type: ignore[attr-defined]
    return max((sign for sign in signs if sign), default=None)


def totals(study: Study) -> dict[str, int]:
    """Places, labels, void labels and items of a study in all. One query."""
    places = Assignment.objects.held().filter(item__study=study)
    return places.aggregate(
        places=Count("pk", filter=Q(blind_label__void__isnull=True)),
        done=Count("blind_label", filter=Q(blind_label__void__isnull=True)),
        void=Count("blind_label__void"),
        items=Count("item", distinct=True),
    )


def items(study: Study) -> Any:
    """A queryset of items in the order of their public ids, which says nothing. Two queries.

    Each with `labels` that stand, `places` that count, and in `held` its places with seats and labels.
    """
    places = Assignment.objects.held().select_related("seat", "blind_label", "blind_label__void")
    return (
        study.items.order_by("public_id")
        .only("public_id", "model", "condition", "rollout_id", "study_id")
        .annotate(labels=Count("assignments", filter=DONE), places=Count("assignments", filter=COUNTING))
        .prefetch_related(Prefetch("assignments", places.order_by("seat__number"), to_attr="held"))
    )


def short_items(study: Study) -> Any:
    """Items with a place that nobody holds: too few labels would come even if everybody finished."""
    return items(study).filter(places__lt=study.labels_per_item)


def events(study: Study) -> QuerySet[StudyEvent]:
    """What happened to the study, newest first."""
    return study.events.select_related("who").order_by("-pk")


FLAGGED = Q(early=True) | Q(known=True)


def audit(study: Study, after: int = 0) -> QuerySet[Assignment]:
    """What the person of each place could have seen, and when: place by place in the order of storage. One query.

    `shown` first view, `locked` the label, `revealed` the automatic labels. `early`: the labels were opened before
    another item of the same unit or task was locked by the same person. `known`: the person had opened the automatic
    labels of this unit before they first saw the item. Both must never be.
    """
    same = Assignment.objects.filter(item__matched_group=OuterRef("item__matched_group"))
    mine = same.filter(Q(seat=OuterRef("seat")) | Q(seat__account=OuterRef("seat__account")))
    sibling_later = mine.filter(blind_label__submitted__gt=OuterRef("review_opened_at"))
    seen_before = mine.exclude(pk=OuterRef("pk")).filter(review_opened_at__lt=OuterRef("first_shown"))
    return (
        Assignment.objects.filter(item__study=study, pk__gt=after)
        .order_by("pk")
        .select_related("seat", "item", "blind_label", "blind_label__void")
        .only(
            *("seat", "item", "public_id", "dealt_at", "first_shown", "review_opened_at", "released_at"),
            *("seat__number", "item__public_id", "blind_label__submitted", "blind_label__void__id"),
        )
        .annotate(early=Exists(sibling_later), known=Exists(seen_before))
    )


def audit_counts(study: Study) -> dict[str, int]:
    """How many places were shown, locked, revealed, and how many break a promise. One query."""
    return audit(study).aggregate(
        places=Count("pk"),
        shown=Count("first_shown"),
        locked=Count("blind_label"),
        revealed=Count("review_opened_at"),
        flagged=Count("pk", filter=FLAGGED),
    )


def readers(study: Study) -> list[str]:
    """Seats whose account has another role too, and could read rollouts with their labels while it had nothing open."""
    also = study.seats.exclude(account__isnull=True).exclude(account__role=Account.Role.ANNOTATOR)
    return [seat.name for seat in also.only("number")]
