"""Every agreement coefficient of one group of items, with its interval or the reason why it has no value.

Items with the same rating pattern are alike to every coefficient, so the work is done on counts of patterns: the
observed counts give the figures, multinomial draws of them the bootstrap over items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchmark.core.comparing.figures import HUMAN_KINDS, JUDGE_KINDS, KINDS, Figure, Figures, Undefined
from benchmark.core.comparing.library_points import judge_points, people_points
from benchmark.core.comparing.patterns import Pattern, Votes, VoteTotals, vote_totals
from benchmark.core.comparing.statistics import percentile_intervals, resample_counts, wilson
from benchmark.core.comparing.undefined import undefined_reasons

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

NO_SPREAD = "Every resample gives the same value, so resampling cannot show the uncertainty."
NO_P_INTERVAL = "A p-value has no interval."
NO_REVIEWS = "There are no review answers."
NO_CONTRADICTIONS = "No review follows a blind label that contradicts the automatic label."


def group_figures(group: Sequence[Pattern], planned: int, draws: int, seed: int) -> Figures:
    """Every figure of `figures.KINDS` for a group of items given by their patterns, in that order.

    Intervals are 95 %: Wilson's for a share of items, else a percentile bootstrap over items. A draw in which a
    coefficient has no value is dropped and counted; one in which a single rater is constant counts as the κ of 0 that
    the formula gives.
    """
    votes = Counter(pattern.votes for pattern in group)
    reviews = Counter(pattern.reviews for pattern in group)
    contradicted = Counter(pattern.contradicted for pattern in group)
    return {
        **_vote_figures(votes, planned, draws, seed),
        "review_agreement": _share_of_answers(reviews, NO_REVIEWS, draws, seed),
        "anchoring_rate": _share_of_answers(contradicted, NO_CONTRADICTIONS, draws, seed),
    }


def _vote_figures(tally: Counter[Votes], planned: int, draws: int, seed: int) -> Figures:
    patterns = sorted(tally)
    counts = [tally[pattern] for pattern in patterns]
    totals = vote_totals(patterns, planned, counts)
    reasons, trials = undefined_reasons(totals, planned), _trials(totals)
    figures: Figures = {name: Undefined(why) for name, why in reasons.items()}
    if len(reasons) < len(trials):
        points = {name: float(value) for name, value in figures_from_counts(patterns, planned, counts).items()}
        points |= judge_points(totals.confusion, reasons) | people_points(patterns, counts, planned, reasons)
        resampled = figures_from_counts(patterns, planned, resample_counts(counts, draws, seed))
        defined = {name: (points[name], n) for name, n in trials.items() if name not in reasons}
        figures |= _with_intervals(defined, resampled)
    return {name: figures[name] for name in trials}


def _share_of_answers(tally: Counter[tuple[int, int]], why_none: str, draws: int, seed: int) -> Figure | Undefined:
    """Share of review answers; `tally` counts items by (answers, agreeing). An item's answers stay together."""
    import numpy as np

    if not any(answers for answers, _ in tally):
        return Undefined(why_none)
    pairs = sorted(tally)
    counts = np.array([tally[pair] for pair in pairs])
    answers, agreeing = counts @ np.array(pairs)
    drawn = resample_counts(counts, draws, seed) @ np.array(pairs)
    with np.errstate(invalid="ignore"):
        shares = drawn[:, 1] / drawn[:, 0]
    return bootstrapped({"share": (agreeing / answers, answers)}, {"share": shares})["share"]


def _with_intervals(defined: Mapping[str, tuple[float, int]], resampled: Mapping[str, Numbers]) -> Figures:
    to_resample = {name: point for name, point in defined.items() if KINDS[name].interval == "bootstrap"}
    exact = {name: _exact(name, *point) for name, point in defined.items() if name not in to_resample}
    return {**exact, **bootstrapped(to_resample, resampled)}


def _exact(name: str, value: float, n: int) -> Figure:
    kind = KINDS[name]
    if kind.interval == "none":
        return Figure(value, None, None, n, no_interval=NO_P_INTERVAL)
    if kind.scale == "count":
        low, high = wilson(round(value), n)
        return Figure(round(value), low * n, high * n, n)
    return proportion(round(value * n), n)


def proportion(successes: int, n: int) -> Figure:
    """A share of independent cases with Wilson's interval; n must be positive."""
    low, high = wilson(successes, n)
    return Figure(successes / n, low, high, n)


def bootstrapped(points: Mapping[str, tuple[float, int]], resampled: Mapping[str, Numbers]) -> dict[str, Figure]:
    """Figures from (value, n) with the percentile interval of their resampled values; without spread, without one."""
    import numpy as np

    if not points:
        return {}
    intervals = percentile_intervals(np.array([resampled[name] for name in points]))
    return {
        name: Figure(float(value), None, None, int(n), dropped, NO_SPREAD)
        if low == high
        else Figure(float(value), low, high, int(n), dropped)
        for (name, (value, n)), (low, high, dropped) in zip(points.items(), intervals, strict=True)
    }


def figures_from_counts(patterns: Sequence[Votes], planned: int, counts: npt.ArrayLike) -> dict[str, Numbers]:
    """The coefficients for many tables of pattern counts at once.

    `counts` has the shape (tables, patterns) or (patterns,). Each value is an array with one number a table, NaN where
    the coefficient has none. McNemar's p is not among them.
    """
    totals = vote_totals(patterns, planned, counts)
    return two_rater_figures(totals.tp, totals.fp, totals.fn, totals.tn) | _people_figures(totals, planned)


def two_rater_figures(tp: Numbers, fp: Numbers, fn: Numbers, tn: Numbers) -> dict[str, Numbers]:
    """Every coefficient of 2×2 tables, many at once; NaN where a table leaves it undefined.

    Cohen 1960 (κ), Byrt, Bishop and Carlin 1993 (PABAK, prevalence and bias index), Umesh et al. 1989 (largest κ for
    given margins), Gwet 2008 (AC1), Cicchetti and Feinstein 1990 (positive and negative agreement).
    """
    import numpy as np

    n = tp + fp + fn + tn
    by_chance = (tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)
    most = np.minimum(tp + fn, tp + fp) + np.minimum(fp + tn, fn + tn)
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = (tp + tn) / n
        return {
            "raw_agreement": raw,
            "cohen_kappa": (n * (tp + tn) - by_chance) / (n * n - by_chance),
            "kappa_ceiling": (n * most - by_chance) / (n * n - by_chance),
            "gwet_ac1_judge": gwet_ac1(raw, (2 * tp + fp + fn) / (2 * n)),
            "pabak_judge": 2 * raw - 1,
            "prevalence_index": np.abs(tp - tn) / n,
            "bias_index": np.abs(fp - fn) / n,
            "precision": tp / (tp + fp),
            "recall": tp / (tp + fn),
            "f1": 2 * tp / (2 * tp + fp + fn),
            "positive_agreement": 2 * tp / (2 * tp + fp + fn),
            "negative_agreement": 2 * tn / (2 * tn + fp + fn),
        }


def gwet_ac1(agreement: Numbers, positive_share: Numbers) -> Numbers:
    """Gwet's AC1 for two categories from observed agreement and the mean share of positive labels (Gwet 2008)."""
    chance = 2 * positive_share * (1 - positive_share)
    return (agreement - chance) / (1 - chance)


def _people_figures(totals: VoteTotals, planned: int) -> dict[str, Numbers]:
    """Fleiss 1971 (items with exactly the planned labels), Krippendorff 2004 and Gwet 2008 (any number of labels)."""
    import numpy as np

    positive, negative = totals.paired_positive, totals.paired_negative
    with np.errstate(divide="ignore", invalid="ignore"):
        agreement = totals.paired_agreement / totals.paired
        share = totals.planned_positive / (totals.planned * planned)
        chance = share**2 + (1 - share) ** 2
        return {
            "human_positive_majority": totals.reference_positive,
            "auto_positive": totals.automatic_positive,
            "fleiss_kappa": (totals.planned_agreement / totals.planned - chance) / (1 - chance),
            "krippendorff_alpha": 1 - totals.paired_disagreement * (positive + negative - 1) / (positive * negative),
            "gwet_ac1_humans": gwet_ac1(agreement, totals.rated_share / totals.rated),
            "pabak_humans": 2 * agreement - 1,
            "unanimous": totals.unanimous / totals.complete,
        }


def _trials(totals: VoteTotals) -> dict[str, int]:
    """What each figure was counted over, in the order of `figures.KINDS`."""
    tp, fp, fn, _ = confusion = totals.confusion
    compared, paired = dict.fromkeys(JUDGE_KINDS, sum(confusion)), dict.fromkeys(HUMAN_KINDS, int(totals.paired))
    return (compared | paired) | {
        "human_positive_majority": int(totals.references),
        "auto_positive": int(totals.automatics),
        "precision": tp + fp,
        "recall": tp + fn,
        "fleiss_kappa": int(totals.planned),
        "unanimous": int(totals.complete),
    }
