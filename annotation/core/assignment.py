"""Who labels what: a balanced plan for seats A1…An, and each seat's order of work."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from annotation.core.groups import even_groups
from annotation.core.sampling import Candidate
from annotation.core.spreading import spread
from benchmark.core.seeds import seeded


class DealRefused(ValueError):
    """No plan exists for these numbers; the message is for the researcher."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which seats (1…n, ascending) label each item, and in which order each seat meets its items."""

    assignments: Mapping[str, tuple[int, ...]]
    order: Mapping[int, tuple[str, ...]]


def refusal(seats: int, labels_per_item: int) -> str | None:
    """Say why no plan can be dealt with these numbers, or None where one can."""
    if seats < 2:
        return f"A study needs at least two annotators, not {seats}."
    if labels_per_item < 1:
        return f"Each rollout needs at least one label, not {labels_per_item}."
    if labels_per_item > seats:
        return (
            f"{labels_per_item} labels a rollout need {labels_per_item} annotators, but there are only {seats}: "
            "plan more annotators or fewer labels."
        )
    return None


def deal(items: Iterable[Candidate], seats: int, labels_per_item: int, seed: int) -> Plan:
    """Deal each item to `labels_per_item` of the seats 1…`seats`; the same items and seed give the same plan.

    Promised: every group of seats gets equally many items or one more (where there are more than 10,000 groups and
    fewer items than groups: at most one), every seat equally many or one more. Sought: conditions, models, shared
    items of two seats and items of one unit spread evenly; in each order, items of one unit far apart.
    Raises DealRefused where the numbers allow no plan, ValueError where an id occurs twice.
    """
    reason = refusal(seats, labels_per_item)
    if reason:
        raise DealRefused(reason)
    pool = sorted(items, key=lambda item: item.id)
    if len({item.id for item in pool}) < len(pool):
        raise ValueError("Each item may be dealt once; some id occurs twice.")
    groups = even_groups(seats, labels_per_item, len(pool), seeded(seed, "groups"))
    pool = _by_stratum(pool, seeded(seed, "strata"))
    dealt = spread([_traits(item) for item in pool], groups, seats, seeded(seed, "spread"))
    own: dict[int, list[Candidate]] = {seat: [] for seat in range(1, seats + 1)}
    for item, group in sorted(zip(pool, dealt, strict=True), key=lambda pair: pair[0].id):
        for seat in group:
            own[seat].append(item)
    return Plan(
        {item.id: tuple(sorted(group)) for item, group in zip(pool, dealt, strict=True)},
        {seat: shuffled_apart(held, seeded(seed, "order", seat)) for seat, held in own.items()},
    )


def _by_stratum(pool: list[Candidate], rng: Random) -> list[Candidate]:
    """Put items of one stratum beside each other, so that a round of groups deals a stratum evenly from the start."""
    return sorted(rng.sample(pool, len(pool)), key=lambda item: item.stratum)


def _traits(item: Candidate) -> tuple[str, str, tuple[str, str]]:
    return item.stratum.condition, item.stratum.model, _unit(item)


def _unit(item: Candidate) -> tuple[str, str]:
    """What keeps items apart: their group, or for an item without one itself."""
    return ("group", item.group) if item.group else ("item", item.id)


def shuffled_apart(items: Sequence[Candidate], rng: Random) -> tuple[str, ...]:
    """Shuffle one person's items, those of one unit far apart; gives their ids.

    A unit's t items are laid at equal distances 1/t along the order from a random start, all single items likewise as
    one unit. So between two neighbours of a unit of t lie at least ⌊s/t⌋ of any other unit's s items, or of s singles.
    """
    units: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in items:
        units[_unit(item)].append(item.id)
    singles = [ids[0] for ids in units.values() if len(ids) == 1]
    rows = [singles, *(ids for ids in units.values() if len(ids) > 1)]
    placed = []
    for ids in rows:
        start = rng.random()
        placed += [((start + step) / len(ids), item) for step, item in enumerate(rng.sample(ids, len(ids)))]
    return tuple(item for _, item in sorted(placed))
