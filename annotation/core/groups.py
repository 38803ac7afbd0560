"""Groups of seats that label together, dealt so that groups and seats are used evenly."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations
from math import comb
from random import Random

Group = frozenset[int]

LISTED_GROUPS = 10_000


def listed_groups(seats: int, size: int) -> list[Group]:
    """Every group of `size` of the seats 1…`seats`, in lexical order."""
    return [frozenset(group) for group in combinations(range(1, seats + 1), size)]


def even_groups(seats: int, size: int, count: int, rng: Random) -> list[Group]:
    """Deal `count` groups of `size` seats: every group equally often or once more, every seat equally often or once more.

    Whole rounds of all C(seats, size) groups come first, each round shuffled; the remainder takes distinct groups and
    stands at the end. Where there are more groups than are dealt, each is dealt at most once.
    """
    rounds, rest = divmod(count, comb(seats, size))
    dealt: list[Group] = []
    if rounds:
        every = listed_groups(seats, size)
        for _ in range(rounds):
            dealt += rng.sample(every, len(every))
    return dealt + _level(_distinct(seats, size, rest, rng), seats)


def _distinct(seats: int, size: int, count: int, rng: Random) -> list[Group]:
    """Draw `count` different groups, without listing them all where they are many."""
    if comb(seats, size) <= max(LISTED_GROUPS, 4 * count):
        return rng.sample(listed_groups(seats, size), count)
    drawn: dict[Group, None] = {}
    while len(drawn) < count:
        drawn[frozenset(rng.sample(range(1, seats + 1), size))] = None
    return list(drawn)


def _level(groups: list[Group], seats: int) -> list[Group]:
    """Change distinct groups, one seat of one group at a time, until seats are used equally often or once more.

    Some change always exists: if seat a is in two groups more than seat b, there are more groups with a and not b than
    with b and not a, so in one of them a can be replaced by b without making a group that is there already. Each change
    lowers the sum of squared loads, so it ends.
    """
    groups = list(groups)
    present = set(groups)
    used = Counter(chain.from_iterable(groups))
    loads = [used[seat] for seat in range(1, seats + 1)]
    while max(loads) - min(loads) > 1:
        most, least = loads.index(max(loads)) + 1, loads.index(min(loads)) + 1
        index, changed = next(_replacements(groups, present, most, least))
        present.remove(groups[index])
        present.add(changed)
        groups[index] = changed
        loads[most - 1] -= 1
        loads[least - 1] += 1
    return groups


def _replacements(groups: list[Group], present: set[Group], old: int, new: int) -> Iterator[tuple[int, Group]]:
    for index, group in enumerate(groups):
        if old in group and new not in group:
            changed = group - {old} | {new}
            if changed not in present:
                yield index, changed
