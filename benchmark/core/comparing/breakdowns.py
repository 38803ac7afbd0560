"""Agreement by stratum, by annotator and by pair; where people and the automatic label part; what reviews changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

from benchmark.core.comparing.agreement import bootstrapped, group_figures, proportion, two_rater_figures
from benchmark.core.comparing.figures import SMALL, TOO_FEW, Figure, Figures, Undefined, without_small
from benchmark.core.comparing.library_points import library_kappa
from benchmark.core.comparing.patterns import Confusion, Pattern, confusion_of
from benchmark.core.comparing.ratings import RatedItem, majority
from benchmark.core.comparing.statistics import resample_counts
from benchmark.core.comparing.undefined import constant_rater, one_answer

NO_ITEM = "There is no item to compare."

Cells = Counter[tuple[bool | str, bool]]


@dataclass(frozen=True, slots=True)
class StratumAgreement:
    """Items that share one value of a stratum.

    Below ten items `figures` holds raw_agreement alone, as a fraction.
    """

    key: str
    value: str
    items: int
    confusion: Confusion
    figures: Figures


@dataclass(frozen=True, slots=True)
class TwoRaters:
    """Two raters over the items both judged; `figures` holds raw_agreement, cohen_kappa and gwet_ac1."""

    confusion: Confusion
    figures: Figures


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """One annotator against the majority of the others.

    Of `labels` given, `tied` stand beside a tie of the others and `alone` beside fewer labels than planned; neither is
    compared.
    """

    annotator: str
    labels: int
    positive: int
    tied: int
    alone: int
    against_others: TwoRaters


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators over the items that both labelled."""

    first: str
    second: str
    agreement: TwoRaters


@dataclass(frozen=True, slots=True)
class Shift:
    """Review answers of those who gave this blind label to an item with this automatic label."""

    blind: bool
    automatic: bool
    agree: int
    disagree: int
    unsure: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item on which the majority differs from the automatic label, or the annotators differ from each other."""

    item: str
    reference: bool | None
    automatic: bool | None
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    reviews: tuple[tuple[str, str], ...]

    @property
    def against_automatic(self) -> bool:
        """The majority and the automatic label differ."""
        return self.reference is not None and self.automatic is not None and self.reference != self.automatic


def by_stratum(
    items: Sequence[RatedItem], patterns: Sequence[Pattern], planned: int, draws: int, seed: int
) -> list[StratumAgreement]:
    """Figures for each value of each stratum, both in the order of their names; a blank value is called `none`.

    `patterns` are those of the items, in the same order.
    """
    groups: defaultdict[tuple[str, str], list[Pattern]] = defaultdict(list)
    for item, pattern in zip(items, patterns, strict=True):
        for key, value in item.strata.items():
            groups[key, value or "none"].append(pattern)
    return [_stratum(key, value, group, planned, draws, seed) for (key, value), group in sorted(groups.items())]


def _stratum(key: str, value: str, group: Sequence[Pattern], planned: int, draws: int, seed: int) -> StratumAgreement:
    confusion = confusion_of(group, planned)
    if len(group) < SMALL:
        figures: Figures = {"raw_agreement": _fraction(confusion)}
    else:
        figures = without_small(group_figures(group, planned, draws, seed))
    return StratumAgreement(key, value, len(group), confusion, figures)


def _fraction(confusion: Confusion) -> Undefined:
    return Undefined(TOO_FEW, f"{confusion.agreed}/{confusion.n}") if confusion.n else Undefined(NO_ITEM)


def by_annotator(items: Sequence[RatedItem], planned: int, draws: int, seed: int) -> list[AnnotatorAgreement]:
    """Each annotator's labels against the majority of the others', in the order of the annotators' names."""
    counts: defaultdict[str, Cells] = defaultdict(Counter)
    for item in items:
        for judgment in item.judgments:
            if judgment.human is not None:
                counts[judgment.annotator][_others(item, judgment.human, planned), judgment.human] += 1
    return [_annotator(name, cells, draws, seed) for name, cells in sorted(counts.items())]


def _others(item: RatedItem, own: bool, planned: int) -> bool | str:
    """The majority of the others' labels, which must be as many as planned but one."""
    positive, negative = item.positive - own, item.negative - (not own)
    others, _ = majority(positive, negative, planned - 1)
    if others is not None:
        return others
    return "tied" if positive and positive + negative >= planned - 1 else "alone"


def _annotator(name: str, cells: Cells, draws: int, seed: int) -> AnnotatorAgreement:
    return AnnotatorAgreement(
        annotator=name,
        labels=cells.total(),
        positive=sum(count for (_, own), count in cells.items() if own),
        tied=cells["tied", True] + cells["tied", False],
        alone=cells["alone", True] + cells["alone", False],
        against_others=two_raters(_confusion(cells), ("the majority of the others", name), draws, seed),
    )


def by_pair(items: Sequence[RatedItem], draws: int, seed: int) -> list[PairAgreement]:
    """Every pair of annotators that shares an item, in the order of their names. Never averaged: each has its own n."""
    counts: defaultdict[tuple[str, str], Cells] = defaultdict(Counter)
    for item in items:
        labels = [(judgment.annotator, judgment.human) for judgment in item.judgments if judgment.human is not None]
        for (first, one), (second, other) in combinations(labels, 2):
            counts[first, second][one, other] += 1
    return [
        PairAgreement(*pair, two_raters(_confusion(cells), pair, draws, seed)) for pair, cells in sorted(counts.items())
    ]


def _confusion(cells: Cells) -> Confusion:
    return Confusion(tp=cells[True, True], fp=cells[False, True], fn=cells[True, False], tn=cells[False, False])


def two_raters(confusion: Confusion, names: tuple[str, str], draws: int, seed: int) -> TwoRaters:
    """Raw agreement, κ and AC1 of two raters with bootstrap intervals; below ten items only the fraction."""
    n = confusion.n
    if n < SMALL:
        raw = _fraction(confusion)
        none = Undefined(raw.why)
        return TwoRaters(confusion, {"raw_agreement": raw, "cohen_kappa": none, "gwet_ac1": none})
    figures = _chance_corrected(confusion, draws, seed)
    no_kappa = constant_rater(confusion, *names)
    no_ac1 = one_answer(2 * confusion.tp + confusion.fp + confusion.fn, 2 * n)
    return TwoRaters(
        confusion,
        {
            "raw_agreement": proportion(confusion.agreed, n),
            "cohen_kappa": Undefined(no_kappa) if no_kappa else figures["cohen_kappa"],
            "gwet_ac1": Undefined(no_ac1) if no_ac1 else figures["gwet_ac1_judge"],
        },
    )


@lru_cache(maxsize=4096)
def _chance_corrected(confusion: Confusion, draws: int, seed: int) -> dict[str, Figure]:
    """κ, where both raters give both answers, and AC1. Hundreds of pairs share few tables; each is resampled once."""
    import numpy as np

    resampled = two_rater_figures(*resample_counts(confusion, draws, seed).T)
    observed = two_rater_figures(*np.array(confusion, dtype=np.float64))
    points = {"gwet_ac1_judge": (float(observed["gwet_ac1_judge"]), confusion.n)}
    if not constant_rater(confusion, "", ""):
        points["cohen_kappa"] = (library_kappa(confusion), confusion.n)
    return bootstrapped(points, resampled)


def review_shift(items: Sequence[RatedItem]) -> list[Shift]:
    """Review answers by own blind label and automatic label, all four rows.

    Those who contradict the automatic label blind and agree in the review conceded after reading its rationale.
    """
    answers: Counter[tuple[bool, bool, str]] = Counter()
    for item in items:
        for judgment in item.judgments:
            if judgment.review and judgment.human is not None and item.automatic is not None:
                answers[judgment.human, item.automatic, judgment.review] += 1
    return [
        Shift(blind, automatic, *(answers[blind, automatic, review] for review in ("agree", "disagree", "unsure")))
        for blind, automatic in product((True, False), repeat=2)
    ]


def disagreements(items: Sequence[RatedItem]) -> list[Disagreement]:
    """The reading list: first items whose majority contradicts the automatic label, then those that split people."""
    listed = [_disagreement(item) for item in items if item.positive * item.negative or _contradicts(item)]
    return sorted(listed, key=lambda entry: (not entry.against_automatic, entry.item))


def _contradicts(item: RatedItem) -> bool:
    return item.reference is not None and item.automatic is not None and item.reference != item.automatic


def _disagreement(item: RatedItem) -> Disagreement:
    return Disagreement(
        item=item.item,
        reference=item.reference,
        automatic=item.automatic,
        positive=item.voters(True),
        negative=item.voters(False),
        reviews=tuple((judgment.annotator, judgment.review) for judgment in item.judgments if judgment.review),
    )
