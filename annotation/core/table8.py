"""The validation study behind the paper's table 8, as far as its printed figures determine it.

The paper prints figures about 100 rollouts and 300 labels and no label. One table of counts alone gives these figures
to three decimals. Which rollout, model, condition or annotator stands behind a count is unknown and drawn here by a seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmark.core.comparing.agreement import figures_from_counts, two_rater_figures
from benchmark.core.comparing.patterns import Confusion, Votes
from benchmark.core.seeds import seeded
from benchmark.core.taxonomy import Condition, End, ModelKind, ResultLabel
from benchmark.core.trajectory import Final, Judged, Labels, Model, Rollout, Task

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Tables = npt.NDArray[np.int64]

JUDGE = "paper/table8"
SEED = 20260817
TOLERANCE = 5e-4
NO_AUTOMATIC = -1


class NotDetermined(ValueError):
    """The printed figures allow no table of counts, or more than one; the message says how many."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What is printed. `figures` are keyed as in the agreement report; all shares are in 0…1."""

    items: int
    annotators: int
    labels_per_item: int
    models: int
    conditions: Mapping[str, int]
    figures: Mapping[str, float]
    review_agreement: float
    source: str = ""

    @property
    def model_names(self) -> list[str]:
        """What the models are called here; the same number of items belongs to each."""
        return [f"table 8, model {number}" for number in range(1, self.models + 1)]


class Counts(NamedTuple):
    """The counts behind the printed figures: majority against automatic label, items by positive labels, reviews.

    `votes` counts the items with all labels positive, with one fewer, … with none; `agreeing` the reviews that agree.
    """

    confusion: Confusion
    votes: tuple[int, ...]
    agreeing: int


class RebuiltItem(NamedTuple):
    """One item: its drawn stratum, its automatic label, and how many of its labels are positive."""

    number: int
    model: str
    condition: str
    automatic: bool
    positive: int

    @property
    def record_id(self) -> str:
        """The id of its record in the file of rollouts."""
        return f"table8-{self.number:03d}"


class RebuiltLabel(NamedTuple):
    """One seat's blind answer on an item, and whether its review agrees with the automatic label."""

    record_id: str
    seat: int
    result: bool
    agrees: bool


def read_printed(source: str) -> Printed:
    """Read the file of printed figures (JSON)."""
    return Printed(**json.loads(source))


def counts_behind(printed: Printed) -> Counts:
    """Find the counts by trying every table of the items. Raises NotDetermined unless exactly one fits."""
    confusion = Confusion(*_only(_confusions(printed), "tables of majority against automatic label"))
    votes = _only(_votes(printed, positive=confusion.tp + confusion.fn), "tables of labels by item")
    agreeing = round(printed.review_agreement * printed.items * printed.labels_per_item)
    return Counts(confusion, votes, agreeing)


def rebuilt_items(printed: Printed, seed: int = SEED) -> list[RebuiltItem]:
    """Items that have exactly the counts behind the printed figures, the models and the conditions; drawn by the seed."""
    counts = counts_behind(printed)
    needed = printed.labels_per_item // 2 + 1
    by_votes = [printed.labels_per_item - missing for missing, count in enumerate(counts.votes) for _ in range(count)]
    for_majority = _shuffled([positive for positive in by_votes if positive >= needed], seed, "positive")
    against = _shuffled([positive for positive in by_votes if positive < needed], seed, "negative")
    tp, fp, fn, tn = counts.confusion
    labelled = [*zip([True] * tp + [False] * fn, for_majority, strict=True)]
    labelled += zip([True] * fp + [False] * tn, against, strict=True)
    conditions = [name for name, count in printed.conditions.items() for _ in range(count)]
    models = printed.model_names * (printed.items // printed.models)
    return [
        RebuiltItem(number, model, condition, automatic, positive)
        for number, (model, condition, (automatic, positive)) in enumerate(
            zip(models, conditions, _shuffled(labelled, seed, "strata"), strict=True), start=1
        )
    ]


def rebuilt_labels(
    items: Sequence[RebuiltItem], seats: Mapping[str, Sequence[int]], agreeing: int, seed: int = SEED
) -> list[RebuiltLabel]:
    """Give each item's labels to its seats (by record id) and say which reviews agree, by the seed.

    Whose own label differs from the automatic one is the first to disagree with it.
    """
    given = []
    for item in items:
        held = sorted(seats[item.record_id])
        said_yes = seeded(seed, "votes", item.number).sample(held, item.positive)
        given += [(item, seat, seat in said_yes) for seat in held]
    drawn = _shuffled(given, seed, "reviews")
    drawn.sort(key=lambda label: label[2] == label[0].automatic)
    disagreeing = {(item.number, seat) for item, seat, _ in drawn[: len(given) - agreeing]}
    return [
        RebuiltLabel(item.record_id, seat, result, (item.number, seat) not in disagreeing)
        for item, seat, result in given
    ]


def records(printed: Printed, seed: int = SEED) -> Iterator[Rollout]:
    """A rollout for each item: what is known of it, and in every other place that it was never published."""
    for item in rebuilt_items(printed, seed):
        label = ResultLabel.SOLVED if item.automatic else ResultLabel.UNSOLVED
        why = "Not published. How many rollouts were called solved is known; which ones is drawn here by a seed."
        yield Rollout(
            id=item.record_id,
            model=Model(item.model, ModelKind.RECORDED),
            condition=Condition(item.condition),
            task=Task(
                query=(
                    f"Not published. This stands for rollout {item.number} of the {printed.items} that people labelled "
                    "in the paper's validation study. Its task, its steps and its answer were never published."
                )
            ),
            final=Final("Not published."),
            end=End.ANSWERED,
            labels=Labels(results=(Judged(judge=JUDGE, label=label, rationale=why),)),
            extra={"provenance": "rebuilt from published margins; the trajectory was never published"},
        )


def _confusions(printed: Printed) -> Tables:
    tables = _tables(printed.items, parts=4)
    return tables[_fits(two_rater_figures(*tables.T), printed.figures)]


def _votes(printed: Printed, positive: int) -> Tables:
    labels = printed.labels_per_item
    tables = _tables(printed.items, parts=labels + 1)
    tables = tables[tables[:, : (labels + 1) // 2].sum(axis=1) == positive]
    patterns = [Votes(labels - missing, missing, NO_AUTOMATIC) for missing in range(labels + 1)]
    people = ("fleiss_kappa", "unanimous")
    found = figures_from_counts(patterns, labels, tables)
    return tables[_fits(found, {name: printed.figures[name] for name in people})]


def _tables(total: int, parts: int) -> Tables:
    """Every way to write `total` as a sum of `parts` whole numbers, in order (stars and bars)."""
    import numpy as np

    bars = np.array(list(combinations(range(total + parts - 1), parts - 1)))
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((-1, -1), (-1, total + parts - 1)))
    return np.diff(edges, axis=1) - 1


def _fits(found: Mapping[str, Any], wanted: Mapping[str, float]) -> Any:
    import numpy as np

    names = [name for name in wanted if name in found]
    return np.logical_and.reduce([np.abs(found[name] - wanted[name]) <= TOLERANCE for name in names])


def _only(tables: Tables, what: str) -> tuple[int, ...]:
    if len(tables) != 1:
        raise NotDetermined(f"The printed figures are met by {len(tables)} {what}; they must be met by one.")
    return tuple(int(count) for count in tables[0])


def _shuffled(values: Sequence[Any], seed: int, word: str) -> list[Any]:
    return seeded(seed, "table8", word).sample(values, len(values))
