"""What an annotator does with an item of theirs: draft, lock the blind answers, open the review, review."""

from collections.abc import Mapping

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

from annotation.models import (
    Assignment,
    BlindLabel,
    Comment,
    Consent,
    ConsentText,
    Draft,
    Guidelines,
    Review,
    Seat,
    Study,
)

Evidence = Mapping[str, list[str]]


class LockedOtherwise(Exception):
    """A submit says something else than the label that stands; `label` is the one that stands."""

    def __init__(self, label: BlindLabel) -> None:
        super().__init__("This item is locked with other answers.")
        self.label = label


class AlreadyLocked(Exception):
    """A draft came after the submit; there is nothing left to draft."""


class StaleDraft(Exception):
    """Another tab or browser has saved other answers since; `draft` is what it saved."""

    def __init__(self, draft: Draft) -> None:
        super().__init__("Another tab has saved other answers for this item.")
        self.draft = draft


class ReviewNotOpen(Exception):
    """The person still has an unlabelled item of the same unit or task, or the study holds reviews to the end."""


class ReviewChanged(Exception):
    """Another tab has saved another review since; `review` is the one that stands."""

    def __init__(self, review: Review) -> None:
        super().__init__("Another tab has saved another review of this item.")
        self.review = review


def agree_to_study(*, seat: Seat, text: ConsentText) -> Consent:
    """Record that a seat agreed to one version of the consent text; agreeing twice is agreeing once."""
    return Consent.objects.get_or_create(seat=seat, text=text)[0]


def mark_shown(*, assignment: Assignment) -> None:
    """Note when a person first saw an item; later visits change nothing. Prefetching is not showing."""
    if assignment.first_shown is None:
        Assignment.objects.filter(pk=assignment.pk, first_shown__isnull=True).update(first_shown=timezone.now())


def record_time(*, assignment: Assignment, seconds: float) -> None:
    """Keep the largest total of active seconds a page has reported: a replay or a second tab adds nothing.

    A total is never more than the time since the item was first shown, and stays as it is once the label is locked.
    """
    if assignment.first_shown is not None and seconds > 0:
        most = (timezone.now() - assignment.first_shown).total_seconds()
        unlocked = Assignment.objects.filter(pk=assignment.pk, blind_label__isnull=True)
        unlocked.update(active_seconds=Greatest(F("active_seconds"), min(float(seconds), most)))


@transaction.atomic
def save_draft(
    *, assignment: Assignment, result: bool | None, noticed: bool | None, evidence: Evidence, version: int
) -> Draft:
    """Overwrite the draft whose `version` the form was filled on (0: there was none) and count the version up.

    The same answers again, whatever their version, are a repeated request and change nothing. Raises StaleDraft where
    another tab has saved other answers, AlreadyLocked after the submit, StudyClosed once the study is closed. A paused
    study still keeps drafts.
    """
    place = _hold(assignment)
    if BlindLabel.objects.filter(assignment=place).exists():
        raise AlreadyLocked
    if place.item.study.status != Study.Status.PAUSED:
        place.item.study.require_open()
    values = {"result": result, "noticed": noticed, "evidence": dict(evidence)}
    draft = Draft.objects.filter(assignment=place).first()
    if draft and all(getattr(draft, name) == value for name, value in values.items()):
        return draft
    if draft and draft.version != version:
        raise StaleDraft(draft)
    draft = draft or Draft(assignment=place, version=0)
    for name, value in values.items():
        setattr(draft, name, value)
    draft.version += 1
    draft.updated = timezone.now()
    draft.save()
    return draft


@transaction.atomic
def submit_blind(
    *, assignment: Assignment, result: bool | None, noticed: bool | None, evidence: Evidence, seconds: float = 0
) -> BlindLabel:
    """Lock the answers for good and drop the draft; `seconds` is the active time the page counted.

    The same answers again give the label that stands; other answers raise LockedOtherwise, and the first stand.
    Raises StudyClosed, in words for the annotator, while the study is paused or closed.
    """
    place = _hold(assignment, with_study=True)
    if label := BlindLabel.objects.filter(assignment=place).first():
        if label.says(result=result, noticed=noticed):
            return label
        raise LockedOtherwise(label)
    study = place.item.study
    study.require_open()
    now = timezone.now()
    first_shown = place.first_shown or now
    Draft.objects.filter(assignment=place).delete()
    return BlindLabel.objects.create(
        assignment=place,
        result=result,
        noticed=noticed,
        evidence=dict(evidence),
        guidelines=Guidelines.objects.filter(study=study).order_by("version").only("pk").last(),
        first_shown=first_shown,
        submitted=now,
        active_seconds=max(place.active_seconds, min(seconds, (now - first_shown).total_seconds())),
    )


def open_review(*, assignment: Assignment) -> bool:
    """Whether the automatic labels may be shown now; the first time is recorded.

    Whoever has opened the review of a unit is never dealt an item of that unit again. So the person's seats are held
    while it is decided: what deals an item must hold them too.
    """
    openable = Assignment.objects.with_open_review().filter(pk=assignment.pk)
    if assignment.review_opened_at:
        return openable.exists()
    with transaction.atomic():
        theirs = Seat.objects.filter(account__seats=assignment.seat_id).order_by("pk")
        list(theirs.select_for_update(of=("self",)).values_list("pk"))
        may_open = openable.exists()
        if may_open:
            unopened = Assignment.objects.filter(pk=assignment.pk, review_opened_at__isnull=True)
            unopened.update(review_opened_at=timezone.now())
    return may_open


@transaction.atomic
def submit_review(*, assignment: Assignment, result: str, noticed: str, comment: str, version: int) -> Review:
    """Add the next version of a review: per label `agree`, `disagree` or `unsure`, empty where not asked.

    `version` is the one the form was filled on (0: none yet). What stands already is given back; raises ReviewChanged
    where another tab has saved something else since, ReviewNotOpen before its time, StudyClosed while the study is
    paused or closed.
    """
    place = _hold(assignment, with_study=True)
    last = Review.objects.filter(assignment=place).select_related("comment").last()
    if last and _says(last, result, noticed, comment):
        return last
    place.item.study.require_open()
    if not Assignment.objects.with_open_review().filter(pk=place.pk, review_opened_at__isnull=False).exists():
        raise ReviewNotOpen
    if last and last.version != version:
        raise ReviewChanged(last)
    next_version = last.version + 1 if last else 1
    review = Review.objects.create(assignment=place, version=next_version, result=result, noticed=noticed)
    if comment:
        Comment.objects.create(review=review, text=comment)
    return review


def _hold(assignment: Assignment, *, with_study: bool = False) -> Assignment:
    """Read the place anew with its study's status, and hold it until the transaction ends, its study too if asked.

    Its label is read by a query of its own afterwards: PostgreSQL would join what stood before the wait for the row.
    Raises Assignment.DoesNotExist where the place was taken from its seat meanwhile, or the seat was left.
    """
    if with_study:
        # The study before the place, as whoever deals places again holds them; the other order could lock both out.
        study = Study.objects.filter(items__assignments=assignment.pk)
        list(study.order_by().select_for_update(of=["self"]).values_list("pk"))
    places = Assignment.objects.held().filter(seat__left_at__isnull=True).select_related("item__study")
    columns = places.only("first_shown", "active_seconds", "item__study__status")
    return columns.select_for_update(of=["self"]).get(pk=assignment.pk)


def _says(review: Review, result: str, noticed: str, comment: str) -> bool:
    text = review.comment.text if hasattr(review, "comment") else ""
    return (review.result, review.noticed, text) == (result, noticed, comment)
