"""Intervals and tests that reports share: thin over the libraries, seeded where chance is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

REPORT_SEED = 20260817
DRAWS = 2000


class Interval(NamedTuple):
    """A percentile interval and how many draws had no value. Without a single value both ends are None."""

    low: float | None
    high: float | None
    undefined_draws: int


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a proportion, both ends in 0…1; n must be positive (Wilson 1927)."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, n, alpha=0.05, method="wilson")
    return float(low), float(high)


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided exact p that two raters of the same cases err equally often to either side (McNemar 1947).

    Takes the two discordant counts; without a discordant case p is 1.
    """
    from statsmodels.stats.contingency_tables import mcnemar

    return float(mcnemar([[0, only_first], [only_second, 0]], exact=True).pvalue)


def resample_counts(counts: npt.ArrayLike, draws: int, seed: int) -> Numbers:
    """Resample cases with replacement, given only how many cases show each pattern.

    Drawing cases one by one and counting patterns is the same as one multinomial draw of the counts. Returns an array of
    shape (draws, patterns); every row sums to the number of cases. The same seed gives the same digits.
    """
    import numpy as np

    observed = np.asarray(counts, dtype=np.int64)
    generator = np.random.Generator(np.random.PCG64(seed))
    return generator.multinomial(observed.sum(), observed / observed.sum(), size=draws).astype(np.float64)


def percentile_intervals(values: Numbers) -> list[Interval]:
    """The 2.5th and 97.5th percentile of each row of resampled values, NaN draws dropped and counted.

    `values` has the shape (figures, draws). Linear interpolation as in numpy.quantile, but all rows in one sort.
    """
    import numpy as np

    ordered = np.sort(values, axis=1)
    defined = np.count_nonzero(~np.isnan(ordered), axis=1)
    low, high = (_quantile(ordered, defined, share) for share in (0.025, 0.975))
    return [
        Interval(float(low[row]), float(high[row]), values.shape[1] - int(n))
        if n
        else Interval(None, None, values.shape[1])
        for row, n in enumerate(defined)
    ]


def _quantile(ordered: Numbers, defined: npt.NDArray[np.int64], share: float) -> Numbers:
    import numpy as np

    place = np.maximum(defined - 1, 0) * share
    below = place.astype(np.int64)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0))
    rows = np.arange(len(ordered))
    return ordered[rows, below] + (ordered[rows, above] - ordered[rows, below]) * (place - below)
