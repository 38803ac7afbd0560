"""Dealing places again after an annotator left or a label was voided."""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from benchmark.core.seeds import seeded


class Place(NamedTuple):
    """A label still to be given: whose it was, for which item, of which unit (`group`; empty: shared with nobody)."""

    item: str
    seat: int
    group: str = ""


class Move(NamedTuple):
    """A place and the seat that takes it."""

    place: Place
    seat: int


@dataclass(frozen=True, slots=True)
class Redeal:
    """Who takes which place, and the places nobody may take; both by item and former seat."""

    moves: tuple[Move, ...]
    open: tuple[Place, ...]


def redeal(
    places: Iterable[Place],
    holders: Mapping[str, Collection[int]],
    loads: Mapping[int, int],
    barred: Collection[tuple[int, str]],
    seed: int,
) -> Redeal:
    """Deal the places to active seats so that as many as possible are taken and loads come as close as they can.

    `holders`: every seat that ever had the item, left or void ones too; none of them gets it again. `loads`: the
    number of labels each active seat gives, without these places. `barred`: (seat, group) of who opened the review of
    a unit; that seat gets no item of it. Loads differ by more than one only where nobody with less to do may take a
    place, directly or by passing another new place on: an optimal semi-matching (Harvey, Ladner, Lovász and Tamir,
    *J. Algorithms* 59, 2006). The same values and seed give the same answer.
    """
    matching = _Matching(sorted(places), holders, loads, barred, seed)
    matching.fill()
    while matching.pass_on():
        pass
    return matching.result()


class _Matching:
    """The places of each item, the seats that may take them, and those that do so far."""

    def __init__(
        self,
        places: list[Place],
        holders: Mapping[str, Collection[int]],
        loads: Mapping[int, int],
        barred: Collection[tuple[int, str]],
        seed: int,
    ) -> None:
        self.places = places
        self.loads = Counter(loads)
        self.wanted = Counter(place.item for place in places)
        had = {item: set(holders.get(item, ())) for item in self.wanted}
        for place in places:
            had[place.item].add(place.seat)
        seats = seeded(seed, "redeal").sample(sorted(loads), len(loads))
        self.allowed = {
            place.item: [seat for seat in seats if seat not in had[place.item] and (seat, place.group) not in barred]
            for place in places
        }
        self.takers: dict[str, set[int]] = {item: set() for item in self.wanted}
        self.taken: dict[int, set[str]] = {seat: set() for seat in loads}

    def fill(self) -> None:
        """Give each item's places to the allowed seats with least to do, items with little choice first."""
        for item in sorted(self.wanted, key=lambda item: (len(self.allowed[item]) - self.wanted[item], item)):
            for seat in sorted(self.allowed[item], key=self.loads.__getitem__)[: self.wanted[item]]:
                self._take(item, seat)

    def pass_on(self) -> bool:
        """Relieve one seat of a place, through others if need be, for a seat with two less to do; say whether one was."""
        dead_ends: set[int] = set()
        busiest_first = sorted(self.loads, key=lambda seat: (-self.loads[seat], seat))
        return any(self._relieve(seat, dead_ends) for seat in busiest_first)

    def _relieve(self, busy: int, seen: set[int]) -> bool:
        """Search the hand-overs from a seat. Seats seen in vain from a busier one lead nowhere from this one either."""
        came_by: dict[int, tuple[int, str]] = {}
        queue = deque([busy])
        seen.add(busy)
        while queue:
            giver = queue.popleft()
            for item, seat in self._hand_overs(giver):
                if seat in seen:
                    continue
                seen.add(seat)
                came_by[seat] = (giver, item)
                if self.loads[seat] <= self.loads[busy] - 2:
                    self._hand_on(seat, came_by)
                    return True
                queue.append(seat)
        return False

    def _hand_overs(self, giver: int) -> Iterator[tuple[str, int]]:
        for item in sorted(self.taken[giver]):
            for seat in self.allowed[item]:
                if seat not in self.takers[item]:
                    yield item, seat

    def _hand_on(self, seat: int, came_by: Mapping[int, tuple[int, str]]) -> None:
        while seat in came_by:
            giver, item = came_by[seat]
            self._give_back(item, giver)
            self._take(item, seat)
            seat = giver

    def _take(self, item: str, seat: int) -> None:
        self.takers[item].add(seat)
        self.taken[seat].add(item)
        self.loads[seat] += 1

    def _give_back(self, item: str, seat: int) -> None:
        self.takers[item].remove(seat)
        self.taken[seat].remove(item)
        self.loads[seat] -= 1

    def result(self) -> Redeal:
        """Lay the takers on the places; an item's places are alike, so they are taken in order."""
        left = {item: sorted(takers) for item, takers in self.takers.items()}
        moves = [Move(place, left[place.item].pop(0)) for place in self.places if left[place.item]]
        filled = {move.place for move in moves}
        return Redeal(tuple(moves), tuple(place for place in self.places if place not in filled))
