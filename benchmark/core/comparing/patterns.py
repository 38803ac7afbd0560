"""Rating patterns: items that are alike to every coefficient, and what the coefficients sum over them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from benchmark.core.comparing.ratings import RatedItem, majority

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]


class Confusion(NamedTuple):
    """Items by reference and second label: `fp` is positive only by the second, `fn` only by the reference."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def n(self) -> int:
        """Items with both labels."""
        return sum(self)

    @property
    def agreed(self) -> int:
        """Items on which both labels are the same."""
        return self.tp + self.tn


class Votes(NamedTuple):
    """All that an agreement coefficient can see of an item. `automatic` is 1, 0, or -1 for none."""

    positive: int
    negative: int
    automatic: int


class Pattern(NamedTuple):
    """Items with equal patterns are alike to every figure.

    `reviews` are review answers and those of them that agree; `contradicted` the same among annotators whose own blind
    label is not the automatic one.
    """

    votes: Votes
    reviews: tuple[int, int]
    contradicted: tuple[int, int]


def pattern_of(item: RatedItem) -> Pattern:
    """Count an item's labels and review answers."""
    automatic = item.automatic
    votes = Votes(item.positive, item.negative, -1 if automatic is None else int(automatic))
    answers = [(judgment.human, judgment.review == "agree") for judgment in item.judgments if judgment.review]
    against = [agrees for human, agrees in answers if human is (not automatic) and automatic is not None]
    return Pattern(
        votes,
        reviews=(len(answers), sum(agrees for _, agrees in answers)),
        contradicted=(len(against), sum(against)),
    )


class VoteTotals(NamedTuple):
    """What the coefficients of human and automatic labels are made of, summed over items.

    Fields hold one number, or an array with one number a table of counts. `paired` are items with two labels or more,
    `planned` those with exactly the planned number, `complete` those with at least that.
    """

    tp: Numbers
    fp: Numbers
    fn: Numbers
    tn: Numbers
    references: Numbers
    reference_positive: Numbers
    automatics: Numbers
    automatic_positive: Numbers
    rated: Numbers
    rated_share: Numbers
    paired: Numbers
    paired_agreement: Numbers
    paired_positive: Numbers
    paired_negative: Numbers
    paired_disagreement: Numbers
    planned: Numbers
    planned_agreement: Numbers
    planned_positive: Numbers
    complete: Numbers
    unanimous: Numbers

    @property
    def confusion(self) -> Confusion:
        """The 2×2 table of the observed counts."""
        return Confusion(int(self.tp), int(self.fp), int(self.fn), int(self.tn))


def confusion_of(group: Sequence[Pattern], planned: int) -> Confusion:
    """The 2×2 table of human majority and automatic label over a group of items."""
    return vote_totals([pattern.votes for pattern in group], planned, [1] * len(group)).confusion


def vote_totals(patterns: Sequence[Votes], planned: int, counts: npt.ArrayLike) -> VoteTotals:
    """Sum over items; `counts` has the shape (patterns,) or (tables, patterns)."""
    import numpy as np

    terms = np.array([_vote_terms(votes, planned) for votes in patterns], dtype=np.float64)
    totals = np.asarray(counts, dtype=np.float64) @ terms.reshape(-1, len(VoteTotals._fields))
    return VoteTotals(*np.moveaxis(totals, -1, 0))


@lru_cache(maxsize=4096)
def _vote_terms(votes: Votes, planned: int) -> tuple[float, ...]:
    positive, negative, automatic = votes
    labels = positive + negative
    reference, _ = majority(positive, negative, planned)
    paired, exact = labels >= 2, labels == planned >= 2
    complete = paired and labels >= planned
    agreement = 1 - 2 * positive * negative / (labels * (labels - 1)) if paired else 0.0
    return (
        reference is True and automatic == 1,
        reference is False and automatic == 1,
        reference is True and automatic == 0,
        reference is False and automatic == 0,
        reference is not None,
        reference is True,
        automatic >= 0,
        automatic == 1,
        labels > 0,
        positive / labels if labels else 0.0,
        paired,
        agreement,
        positive * paired,
        negative * paired,
        positive * negative / (labels - 1) if paired else 0.0,
        exact,
        agreement * exact,
        positive * exact,
        complete,
        complete and positive * negative == 0,
    )
