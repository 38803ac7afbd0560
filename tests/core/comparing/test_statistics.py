"""Intervals and tests against published check values."""

import numpy as np
import pytest

from benchmark.core.comparing.statistics import mcnemar_exact, percentile_intervals, resample_counts, wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (87, 147, 0.511, 0.668),
        (46, 167, 0.213, 0.348),
        (67, 69, 0.900, 0.992),
        (0, 20, 0.0, 0.161),
        (20, 20, 0.839, 1.0),
    ],
)
def test_wilson_gives_the_check_values(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == (pytest.approx(low, abs=5e-4), pytest.approx(high, abs=5e-4))


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"), [(40, 8, 3.3e-6), (10, 3, 0.0923), (6, 0, 0.0313), (5, 0, 0.0625), (0, 0, 1)]
)
def test_mcnemar_gives_the_check_values(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar_exact(only_first, only_second) == pytest.approx(p, rel=0.01)


def test_resampled_counts_are_the_bootstrap_over_items() -> None:
    """Mean and variance of a multinomial by hand: 30 items, a third of them of this pattern."""
    drawn = resample_counts([10, 20], draws=20000, seed=1)
    assert (drawn.sum(axis=1) == 30).all()
    assert drawn[:, 0].mean() == pytest.approx(10, abs=0.1)
    assert drawn[:, 0].var() == pytest.approx(30 / 3 * 2 / 3, abs=0.2)


def test_intervals_are_numpys_percentiles_with_undefined_draws_dropped() -> None:
    values = np.random.default_rng(3).random((4, 500))
    values[1, :300] = np.nan
    values[2, :] = np.nan
    values[3, 1:] = np.nan
    intervals = percentile_intervals(values)
    for row in (0, 1, 3):
        low, high = np.nanquantile(values[row], (0.025, 0.975))
        assert intervals[row].low == pytest.approx(low, abs=1e-12)
        assert intervals[row].high == pytest.approx(high, abs=1e-12)
    assert [interval.undefined_draws for interval in intervals] == [0, 300, 500, 499]
    assert (intervals[2].low, intervals[2].high) == (None, None)
