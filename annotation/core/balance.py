"""How even a plan is: groups, loads, conditions and models by seat, pairs, units met twice."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NamedTuple

from annotation.core.sampling import Candidate

Assignments = Mapping[str, Sequence[int]]


class Range(NamedTuple):
    """The least and the most of a count."""

    low: int
    high: int

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


class Collision(NamedTuple):
    """One seat with several items of one unit."""

    seat: int
    group: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Balance:
    """The counts of a plan. `groups` holds the groups in use, `per_group` counts the unused ones as well."""

    loads: Mapping[int, int]
    groups: Mapping[tuple[int, ...], int]
    per_group: Range
    pairs: Mapping[tuple[int, int], int]
    conditions: Mapping[int, Mapping[str, int]]
    models: Mapping[int, Mapping[str, int]]
    collisions: tuple[Collision, ...]

    @property
    def per_seat(self) -> Range:
        """The least and the most items a seat has."""
        return _range(self.loads.values())

    @property
    def per_pair(self) -> Range:
        """The least and the most items two seats share."""
        return _range(self.pairs.values())

    def in_words(self) -> tuple[str, ...]:
        """Say the balance in a few sentences for the researcher."""
        said = [
            f"Each annotator labels {self.per_seat} rollouts.",
            f"Every group of annotators labels {self.per_group} rollouts together.",
            f"Every two annotators share {self.per_pair} rollouts.",
        ]
        for noun, table in (("condition", self.conditions), ("model", self.models)):
            for name in sorted({name for counts in table.values() for name in counts}):
                seen = _range(row.get(name, 0) for row in table.values())
                said.append(f"Each annotator sees {noun} {name} {seen} times.")
        if self.collisions:
            said.append(f"{len(self.collisions)} times an annotator has several rollouts of one unit.")
        return tuple(said)


def balance(items: Iterable[Candidate], assignments: Assignments, seats: Iterable[int]) -> Balance:
    """Count what `assignments` gives to `seats`; all other seats are left out, so it serves after someone left too.

    `assignments` maps item ids to seats; items without a seat may be missing.
    """
    active = sorted(set(seats))
    known = {item.id: item for item in items}
    held: dict[int, list[Candidate]] = {seat: [] for seat in active}
    groups: Counter[tuple[int, ...]] = Counter()
    for item in sorted(assignments):
        group = tuple(sorted(seat for seat in assignments[item] if seat in held))
        if group:
            groups[group] += 1
        for seat in group:
            held[seat].append(known[item])
    sizes = {len(group) for group in groups}
    possible = sum(comb(len(active), size) for size in sizes)
    return Balance(
        loads={seat: len(own) for seat, own in held.items()},
        groups=dict(sorted(groups.items())),
        per_group=_range([*groups.values(), 0] if possible > len(groups) else groups.values()),
        pairs=pair_counts(assignments, active),
        conditions={seat: Counter(item.stratum.condition for item in own) for seat, own in held.items()},
        models={seat: Counter(item.stratum.model for item in own) for seat, own in held.items()},
        collisions=tuple(_collisions(held)),
    )


def pair_counts(assignments: Assignments, seats: Iterable[int]) -> dict[tuple[int, int], int]:
    """Count the items that each two of the seats share; the smaller seat number first."""
    active = sorted(set(seats))
    shared = dict.fromkeys(combinations(active, 2), 0)
    members = set(active)
    for held_by in assignments.values():
        for pair in combinations(sorted(members.intersection(held_by)), 2):
            shared[pair] += 1
    return shared


def design_matrix(assignments: Assignments, seats: Iterable[int]) -> list[tuple[str, tuple[int, ...]]]:
    """The incidence matrix of the design: a row per item in id order, 1 where the seat (ascending) has the item."""
    active = sorted(set(seats))
    return [(item, tuple(int(seat in assignments[item]) for seat in active)) for item in sorted(assignments)]


def _collisions(held: Mapping[int, list[Candidate]]) -> Iterator[Collision]:
    for seat, own in held.items():
        met = Counter(item.group for item in own if item.group)
        for group in sorted(group for group, times in met.items() if times > 1):
            yield Collision(seat, group, tuple(item.id for item in own if item.group == group))


def _range(counts: Iterable[int]) -> Range:
    known = list(counts)
    return Range(min(known, default=0), max(known, default=0))
