"""Which item goes to which of the dealt groups, so that conditions, models and units are spread over the seats."""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations
from math import comb
from random import Random
from typing import NamedTuple

from annotation.core.groups import Group

FEWEST_TRIALS, TRIALS_AN_ITEM, MOST_TRIALS = 20_000, 1_000, 300_000
LOOKS = 20
FIRST_HEAT = 0.04


class _Exchange(NamedTuple):
    """Two items change what they were dealt: `leaving` seats go from the first to the second, `coming` ones back.

    A whole exchange swaps the two groups; a partial one swaps one seat each and so makes two new groups.
    """

    first: int
    second: int
    leaving: Sequence[int]
    coming: Sequence[int]
    whole: bool


def spread(traits: Sequence[Sequence[Hashable]], groups: Sequence[Group], seats: int, rng: Random) -> list[Group]:
    """Give each item one of the dealt groups so that no seat sees much more of a trait than another.

    `traits` holds the traits of each item (condition, model, unit: as many for each item), in the order of the result.
    Seats keep their loads and every group its number of items or one more than the rarest. Two items of one unit with
    one person are one trait seen twice by a seat, so spreading units keeps them apart too.

    What is lowered is the sum over traits and seats of squared counts, and over pairs of seats of squared numbers of
    shared items, by exchanges between two items, the first drawn from those whose seats see too much of a trait. An
    exchange that makes the sum slightly worse is taken now and then, ever more rarely, to leave dead ends (Kirkpatrick
    et al., Science 220, 1983). It stops when nothing can be more even, or after a number of trials set by the number
    of items.
    """
    table = _Table(traits, groups, seats)
    trials = min(max(FEWEST_TRIALS, TRIALS_AN_ITEM * len(groups)), MOST_TRIALS)
    restless: Sequence[int] = ()
    for trial in range(trials if len(set(groups)) > 1 else 0):
        if not table.excess:
            break
        if trial % (trials // LOOKS) == 0:
            restless = table.restless()
        exchange = table.propose(restless[int(rng.random() * len(restless))], rng)
        if exchange is None:
            continue
        change = table.change(exchange)
        if change <= 0 or (change == 1 and rng.random() < FIRST_HEAT * (1 - trial / trials)):
            table.make(exchange, change)
    return table.groups


class _Table:
    """Who has what, with every count that an exchange changes. Sums of squares are kept as half their excess."""

    def __init__(self, traits: Sequence[Sequence[Hashable]], groups: Sequence[Group], seats: int) -> None:
        self.groups = list(groups)
        self.uses = Counter(self.groups)
        size = len(self.groups[0]) if self.groups else 0
        self.floor, rest = divmod(len(self.groups), comb(seats, size))
        self.may_change_groups = rest > 0
        rows: dict[Hashable, list[int]] = {}
        self.counts = [
            tuple(rows.setdefault((place, trait), [0] * (seats + 1)) for place, trait in enumerate(own))
            for own in traits
        ]
        self.rows = list(rows.values())
        self.pairs = [[0] * (seats + 1) for _ in range(seats + 1)]
        for group, own in zip(self.groups, self.counts, strict=True):
            for row in own:
                for seat in group:
                    row[seat] += 1
            for one, other in combinations(group, 2):
                self.pairs[one][other] += 1
                self.pairs[other][one] += 1
        shared = [self.pairs[one][other] for one, other in combinations(range(1, seats + 1), 2)]
        self.excess = sum(_excess(row[1:]) for row in self.rows) + _excess(shared)

    def restless(self) -> Sequence[int]:
        """The items with a seat that sees most of a trait seen unevenly; every item where none is uneven."""
        tops = {id(row): max(row[1:]) for row in self.rows if max(row[1:]) - min(row[1:]) > 1}
        found = [
            item
            for item, group in enumerate(self.groups)
            if any(row[seat] == tops.get(id(row)) for row in self.counts[item] for seat in group)
        ]
        return found or range(len(self.groups))

    def propose(self, first: int, rng: Random) -> _Exchange | None:
        """Draw an exchange of the item with another; None where it would change nothing or deal a group too often."""
        second = int(rng.random() * len(self.groups))
        one, other = self.groups[first], self.groups[second]
        leaving, coming = [s for s in one if s not in other], [s for s in other if s not in one]
        if not leaving:
            return None
        if not self.may_change_groups or rng.random() < 0.5:
            return _Exchange(first, second, leaving, coming, True)
        gone, come = rng.choice(sorted(leaving)), rng.choice(sorted(coming))
        new_one, new_other = one - {gone} | {come}, other - {come} | {gone}
        free = self.uses[one] > self.floor < self.uses[other]
        room = self.uses[new_one] <= self.floor >= self.uses[new_other]
        if new_one != other and not (free and room):
            return None
        return _Exchange(first, second, [gone], [come], False)

    def change(self, exchange: _Exchange) -> int:
        """Half of what the exchange adds to the sum of squares: moving one from count a to count b adds b − a + 1."""
        seats, added = len(exchange.leaving), 0
        for own, others in zip(self.counts[exchange.first], self.counts[exchange.second], strict=True):
            if own is not others:
                added += 2 * seats
                for seat in exchange.coming:
                    added += own[seat] - others[seat]
                for seat in exchange.leaving:
                    added += others[seat] - own[seat]
        return added if exchange.whole else added + self._pair_change(exchange)

    def _pair_change(self, exchange: _Exchange) -> int:
        """The same for pairs of seats, where two groups change one seat each; a seat in both groups loses and gains."""
        (gone,), (come,) = exchange.leaving, exchange.coming
        one, other = self.groups[exchange.first], self.groups[exchange.second]
        with_gone, with_come = self.pairs[gone], self.pairs[come]
        return sum(with_come[seat] - with_gone[seat] + 1 for seat in one if seat != gone and seat not in other) + sum(
            with_gone[seat] - with_come[seat] + 1 for seat in other if seat != come and seat not in one
        )

    def make(self, exchange: _Exchange, change: int) -> None:
        """Carry the exchange out; `change` is what `change()` said of it."""
        self.excess += change
        for own, others in zip(self.counts[exchange.first], self.counts[exchange.second], strict=True):
            for seat in exchange.coming:
                own[seat] += 1
                others[seat] -= 1
            for seat in exchange.leaving:
                own[seat] -= 1
                others[seat] += 1
        one, other = self.groups[exchange.first], self.groups[exchange.second]
        if exchange.whole:
            self.groups[exchange.first], self.groups[exchange.second] = other, one
        else:
            (gone,), (come,) = exchange.leaving, exchange.coming
            self._regroup(exchange.first, gone, come)
            self._regroup(exchange.second, come, gone)

    def _regroup(self, item: int, gone: int, come: int) -> None:
        old = self.groups[item]
        new = self.groups[item] = old - {gone} | {come}
        self.uses[old] -= 1
        self.uses[new] += 1
        for seat in old - {gone}:
            for partner, step in ((gone, -1), (come, 1)):
                self.pairs[partner][seat] += step
                self.pairs[seat][partner] += step


def _excess(counts: Sequence[int]) -> int:
    """Half of how far the sum of squares lies above the least that whole numbers of this sum allow."""
    if not counts:
        return 0
    share, more = divmod(sum(counts), len(counts))
    least = more * (share + 1) ** 2 + (len(counts) - more) * share**2
    return (sum(count * count for count in counts) - least) // 2
