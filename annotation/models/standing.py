"""Who holds which place of a started study: what dealing again starts from, and what the balance is counted on."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.core.balance import Balance, balance
from annotation.core.redeal import Place
from annotation.core.sampling import Candidate
from annotation.models import Assignment, Study


@dataclass(frozen=True, slots=True)
class Standing:
    """A study's places, by the items' public ids and the seats' numbers.

    `had`: every seat that ever had the item. `counting`: the seats whose label counts or will, so neither void nor taken
    away. `active`: the seats that have not left. `barred`: (seat, group) of people who have seen the automatic labels of
    a unit, in whichever study.
    """

    items: dict[str, Candidate]
    had: dict[str, list[int]]
    counting: dict[str, list[int]]
    active: list[int]
    barred: frozenset[tuple[int, str]]

    def loads(self) -> dict[int, int]:
        """How many labels each active seat gives."""
        loads = dict.fromkeys(self.active, 0)
        for seats in self.counting.values():
            for seat in seats:
                if seat in loads:
                    loads[seat] += 1
        return loads

    def balance(self) -> Balance:
        """The balance over active seats as things stand."""
        return balance(self.items.values(), self.counting, self.active)

    def open_places(self, labels_per_item: int) -> list[Place]:
        """The labels nobody is to give so far, one place each; seat 0 stands for nobody."""
        return [
            Place(item, 0, self.items[item].group)
            for item, seats in self.counting.items()
            for _ in range(labels_per_item - len(seats))
        ]


def standing(study: Study) -> Standing:
    """Read the places of a study. Four queries, however many there are."""
    items = {
        public_id: Candidate(public_id, model, condition, group)
        for public_id, model, condition, group in study.items.values_list(
            "public_id", "model", "condition", "matched_group"
        )
    }
    had: dict[str, list[int]] = {item: [] for item in items}
    counting: dict[str, list[int]] = {item: [] for item in items}
    places: Any = Assignment.objects.filter(item__study=study).order_by("seat__number", "order")
    columns = ("item__public_id", "seat__number", "released_at", "blind_label__void")
    for item, seat, released, void in places.values_list(*columns):
        had[item].append(seat)
        if released is None and void is None:
            counting[item].append(seat)
    active = dict(study.seats.filter(left_at__isnull=True).values_list("number", "account"))
    return Standing(items, had, counting, sorted(active), barred(active))


def barred(accounts: Mapping[int, int | None]) -> frozenset[tuple[int, str]]:
    """(seat, group) of every unit whose automatic labels the seat's account has opened, in any study."""
    seen: defaultdict[int, set[str]] = defaultdict(set)
    opened = Assignment.objects.filter(
        seat__account__in=[account for account in accounts.values() if account], review_opened_at__isnull=False
    ).order_by()
    for account, group in opened.values_list("seat__account", "item__matched_group").distinct():
        seen[account].add(group)
    return frozenset((seat, group) for seat, account in accounts.items() if account for group in seen[account])
