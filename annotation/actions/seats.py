"""Who labels: seats added and left, places dealt again, labels made void."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.core.redeal import redeal
from annotation.core.strata import counted
from annotation.core.study_design import MOST_ANNOTATORS
from annotation.models import Assignment, BlindLabel, Draft, Item, LabelVoid, Seat, Study, StudyEvent
from annotation.models.seat import seat_name
from annotation.models.standing import Standing, standing
from benchmark.core.seeds import seeded
from benchmark.models import Account

PAIRS_KEPT = 400


class SeatRefused(Exception):
    """This cannot be done to this seat or place; the message says why and what to do instead."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """What dealing again did: places moved to seats, and items whose place nobody may take (once for each place)."""

    moved: tuple[tuple[str, int], ...]
    open: tuple[str, ...]
    before: Standing
    after: Standing

    def in_words(self) -> str:
        """What happened to places and to the numbers of items that two annotators share."""
        if not self.moved and not self.open:
            return "There was no place to deal."
        gained = ", ".join(f"{count} to {name}" for name, count in self._gained().items())
        said = [f"Dealt again: {gained}." if gained else "Nothing could be dealt."]
        if self.open:
            said.append(f"{counted(len(self.open), 'place')} left open, which nobody may take.")
        before, after = self.before.balance().per_pair, self.after.balance().per_pair
        said.append(f"Two annotators shared {before} items before and share {after} now.")
        return " ".join(said)

    def _gained(self) -> dict[str, int]:
        counts = Counter(seat for _, seat in self.moved)
        return {seat_name(seat): counts[seat] for seat in sorted(counts)}

    def as_details(self) -> dict[str, Any]:
        """For the study's events: how many labels each seat got more, what stays open, and the pairs that changed."""
        before, after = self.before.balance(), self.after.balance()
        pairs = {
            f"{seat_name(one)}–{seat_name(other)}": [before.pairs.get((one, other), 0), shared]
            for (one, other), shared in after.pairs.items()
            if before.pairs.get((one, other), 0) != shared
        }
        return {
            "dealt": self._gained(),
            "open": list(self.open),
            "shared_before": str(before.per_pair),
            "shared_after": str(after.per_pair),
            "pairs": pairs if len(pairs) <= PAIRS_KEPT else {},
        }


def locked(study: Study) -> Study:
    """The study's row as it is now, held until the transaction ends; its seats too, since reviews hold them."""
    found = Study.objects.select_for_update().get(pk=study.pk)
    list(found.seats.select_for_update().values_list("pk"))
    return found


def note(study: Study, verb: str, who: Account | None, reason: str = "", **details: Any) -> StudyEvent:
    """Write down what happened to a study; `who` is None where an annotator did it, whom only the seat may name."""
    return StudyEvent.objects.create(study=study, verb=verb, who=who, reason=reason, details=details)


def make_seats(study: Study, count: int) -> None:
    """Give a draft study seats A1…An: new ones at the end, free ones too many taken away again.

    Raises SeatRefused where a seat too many is taken.
    """
    numbers = set(study.seats.values_list("number", flat=True))
    surplus = study.seats.filter(number__gt=count)
    if taken := surplus.filter(account__isnull=False).first():
        raise SeatRefused(f"{taken.name} is taken. Take the person off that seat before you plan fewer annotators.")
    for seat in surplus:
        seat.invitations.all().delete()
        seat.delete()
    Seat.objects.bulk_create(
        Seat(study=study, number=number) for number in range(1, count + 1) if number not in numbers
    )


@transaction.atomic
def add_seat(*, study: Study, who: Account) -> Seat:
    """One more seat in a started study, for somebody who takes open places."""
    study = locked(study)
    number = (study.seats.aggregate(last=Max("number"))["last"] or 0) + 1
    if number > MOST_ANNOTATORS:
        raise SeatRefused(f"A study has at most {MOST_ANNOTATORS} seats.")
    seat = Seat.objects.create(study=study, number=number)
    note(study, "seat added", who, seat=seat.name)
    return seat


@transaction.atomic
def deal_open_places(*, study: Study, who: Account) -> Dealt:
    """Deal every place that is open to whoever may take it."""
    study = locked(study)
    if study.status not in (Study.Status.RUNNING, Study.Status.PAUSED):
        raise SeatRefused("Places are dealt while a study runs or is paused. Reopen it first.")
    dealt = deal_again(study, standing(study))
    note(study, "dealt", who, **dealt.as_details())
    return dealt


@transaction.atomic
def leave(*, seat: Seat, who: Account | None, reason: str = "", discard: bool = False) -> Dealt | None:
    """Take a person off a seat: open places are dealt to others, what was submitted stays unless `discard`.

    In a draft study the seat is simply free again, and there is nothing to deal (None). `who` is None where the person
    left by their own wish.
    """
    study = locked(seat.study)
    seat = study.seats.get(pk=seat.pk)
    if seat.left_at:
        raise SeatRefused(f"{seat.name} has left already.")
    if study.status == Study.Status.DRAFT:
        seat.invitations.all().delete()
        Seat.objects.filter(pk=seat.pk).update(account=None)
        note(study, "seat freed", who, reason, seat=seat.name)
        return None
    before = standing(study)
    items = _release(seat.assignments.unlabelled())
    if discard:
        items += [label.assignment.item.public_id for label in _discard(seat, who or seat.account, reason)]
    Seat.objects.filter(pk=seat.pk).update(left_at=timezone.now())
    dealt = _deal_if_open(study, before, items)
    note(study, "left", who, reason, seat=seat.name, discarded=discard, **dealt.as_details())
    return dealt


@transaction.atomic
def reassign(*, assignment: Assignment, who: Account, reason: str) -> Dealt:
    """Take an unlabelled place from a seat and deal it to somebody who never had the item.

    Raises SeatRefused where it is labelled already, or nobody may take it: then the place stays where it is.
    """
    study = locked(assignment.item.study)
    if study.status not in (Study.Status.RUNNING, Study.Status.PAUSED):
        raise SeatRefused("Places are moved while a study runs or is paused. Reopen it first.")
    before = standing(study)
    place = Assignment.objects.select_for_update(of=["self"]).unlabelled().filter(pk=assignment.pk)
    items = _release(place)
    if not items:
        raise SeatRefused("This place is labelled already, or was taken from its seat before. Void the label instead.")
    dealt = deal_again(study, before, items)
    if dealt.open:
        raise SeatRefused("Nobody may take this place: everybody else has had the item or has seen its unit's labels.")
    note(study, "reassigned", who, reason, item=items[0], seat=assignment.seat.name, **dealt.as_details())
    return dealt


@transaction.atomic
def void(*, label: BlindLabel, who: Account, reason: str, again: bool = True) -> Dealt | None:
    """Make a label void: it stays and is shown as void. With `again` its place is dealt to who never had the item.

    Raises SeatRefused where it is void already.
    """
    place = label.assignment
    study = locked(place.item.study)
    if LabelVoid.objects.filter(label=label).exists():
        raise SeatRefused("This label is void already.")
    before = standing(study)
    LabelVoid.objects.create(label=label, reason=reason, who=who)
    dealt = _deal_if_open(study, before, [place.item.public_id]) if again else None
    details = dealt.as_details() if dealt else {}
    note(study, "void", who, reason, item=place.item.public_id, seat=place.seat.name, **details)
    return dealt


def deal_again(study: Study, before: Standing, items: Iterable[str] | None = None) -> Dealt:
    """Deal the open places of some items (all, by default) as evenly as can be; inside the caller's transaction.

    `before` is how things stood before places were taken away, for comparing.
    """
    now = standing(study)
    wanted = None if items is None else set(items)
    places = [place for place in now.open_places(study.labels_per_item) if wanted is None or place.item in wanted]
    dealt = redeal(places, now.had, now.loads(), now.barred, study.seed)
    moved = tuple((move.place.item, move.seat) for move in dealt.moves)
    _assign(study, moved)
    return Dealt(moved, tuple(place.item for place in dealt.open), before, standing(study))


def _deal_if_open(study: Study, before: Standing, items: list[str]) -> Dealt:
    if study.status == Study.Status.CLOSED:
        return Dealt((), tuple(items), before, standing(study))
    return deal_again(study, before, items)


def _release(places: Any) -> list[str]:
    """Take unlabelled places away, their drafts with them; gives the items' public ids."""
    found = dict(places.values_list("pk", "item__public_id"))
    Draft.objects.filter(assignment__in=found).delete()
    Assignment.objects.filter(pk__in=found).update(released_at=timezone.now())
    return list(found.values())


def _discard(seat: Seat, who: Account | None, reason: str) -> list[BlindLabel]:
    labels = list(
        BlindLabel.objects.filter(assignment__seat=seat, void__isnull=True).select_related("assignment__item")
    )
    said = reason or "The annotator withdrew and asked for it."
    LabelVoid.objects.bulk_create(LabelVoid(label=label, reason=said, who=who) for label in labels)
    return labels


def _assign(study: Study, moved: tuple[tuple[str, int], ...]) -> None:
    """Put dealt places at the end of their new seats' orders, shuffled by the study's seed."""
    moved = tuple(seeded(study.seed, "redealt", len(moved)).sample(moved, len(moved)))
    seats = {seat.number: seat for seat in study.seats.annotate(last=Max("assignments__order"))}
    items = dict(
        Item.objects.filter(study=study, public_id__in=[item for item, _ in moved]).values_list("public_id", "pk")
    )
    following = {number: -1 if seat.last is None else seat.last for number, seat in seats.items()}
    rows = []
    for item, number in moved:
        following[number] += 1
        rows.append(Assignment(item_id=items[item], seat=seats[number], order=following[number]))
    Assignment.objects.bulk_create(rows)
