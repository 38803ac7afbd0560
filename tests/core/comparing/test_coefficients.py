"""The vectorised coefficients against the libraries that publish them, on random tables and constant raters."""

import warnings
from math import isnan

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score, confusion_matrix, precision_recall_fscore_support
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import fleiss_kappa

from benchmark.core.comparing.agreement import figures_from_counts
from benchmark.core.comparing.library_points import library_kappa
from benchmark.core.comparing.patterns import Confusion, Votes
from benchmark.core.comparing.statistics import mcnemar_exact

EXACT = 1e-9
Item = tuple[int, int, int]

planned_items = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([0, 1])).map(lambda pair: (pair[0], 3 - pair[0], pair[1])),
    min_size=1,
    max_size=40,
)
uneven_items = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([-1, 0, 1])).filter(lambda item: item[0] + item[1]),
    min_size=1,
    max_size=40,
)
constant_items = st.tuples(st.sampled_from([0, 3]), st.sampled_from([0, 1]), st.integers(1, 20)).map(
    lambda rater: [(rater[0], 3 - rater[0], rater[1])] * rater[2]
)


def vectorised(items: list[Item], planned: int = 3) -> dict[str, float]:
    """Our coefficients, each item a pattern of its own and counted twice over in a second table."""
    patterns = [Votes(*item) for item in items]
    counts = np.array([[1] * len(items), [2] * len(items)])
    tables = figures_from_counts(patterns, planned, counts)
    return {name: float(values[0]) for name, values in tables.items()}


def same(ours: float, theirs: float) -> bool:
    """Equal to 1e-9, NaN equal to NaN."""
    return (isnan(ours) and isnan(theirs)) or ours == pytest.approx(theirs, abs=EXACT)


def labels(items: list[Item]) -> tuple[list[int], list[int]]:
    """Human majority and automatic label of items with three votes."""
    return [int(positive >= 2) for positive, _, _ in items], [automatic for _, _, automatic in items]


@given(planned_items | constant_items)
def test_cohens_kappa_is_sklearns(items: list[Item]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cohen_kappa_score(*labels(items), labels=[0, 1])
    assert same(vectorised(items)["cohen_kappa"], theirs)


@given(planned_items | constant_items)
def test_the_kappa_of_a_report_is_sklearns_too(items: list[Item]) -> None:
    reference, automatic = labels(items)
    (tn, fp), (fn, tp) = confusion_matrix(reference, automatic, labels=[0, 1])
    if len(set(reference)) == len(set(automatic)) == 2:
        theirs = cohen_kappa_score(reference, automatic)
        assert library_kappa(Confusion(int(tp), int(fp), int(fn), int(tn))) == pytest.approx(theirs, abs=EXACT)


@given(planned_items | constant_items)
def test_precision_recall_and_f1_are_sklearns(items: list[Item]) -> None:
    ours = vectorised(items)
    scores = precision_recall_fscore_support(
        *labels(items), labels=[0, 1], pos_label=1, average="binary", zero_division=np.nan
    )
    assert all(same(ours[name], score) for name, score in zip(("precision", "recall", "f1"), scores, strict=False))


@given(planned_items | constant_items)
def test_fleiss_kappa_is_statsmodels(items: list[Item]) -> None:
    votes = np.array([item[:2] for item in items])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = fleiss_kappa(votes)
    assert same(vectorised(items)["fleiss_kappa"], theirs)


@given(uneven_items | constant_items)
def test_krippendorffs_alpha_is_that_of_its_library(items: list[Item]) -> None:
    votes = np.array([item[:2] for item in items])
    ours = vectorised(items)["krippendorff_alpha"]
    if (votes.sum(axis=1) < 2).all():
        assert isnan(ours)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = krippendorff.alpha(value_counts=votes, level_of_measurement="nominal")
    assert same(ours, theirs)


@settings(max_examples=40)
@given(uneven_items.filter(lambda items: any(item[0] + item[1] >= 2 for item in items) and len(items) > 1))
def test_ac1_among_people_is_irrcacs(items: list[Item]) -> None:
    rows = [[1] * positive + [0] * negative + [None] * (8 - positive - negative) for positive, negative, _ in items]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = CAC(pd.DataFrame(rows, dtype=float), categories=[0.0, 1.0], digits=12).gwet()
    assert vectorised(items)["gwet_ac1_humans"] == pytest.approx(theirs["est"]["coefficient_value"], abs=EXACT)


@settings(max_examples=40)
@given(planned_items.filter(lambda items: len(items) > 1))
def test_ac1_against_the_automatic_label_is_irrcacs(items: list[Item]) -> None:
    frame = pd.DataFrame(list(zip(*labels(items), strict=True)), dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = CAC(frame, categories=[0.0, 1.0], digits=12).gwet()
    assert vectorised(items)["gwet_ac1_judge"] == pytest.approx(theirs["est"]["coefficient_value"], abs=EXACT)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_statsmodels_whatever_agrees(only_first: int, only_second: int) -> None:
    theirs = mcnemar([[31, only_first], [only_second, 7]], exact=True).pvalue
    assert mcnemar_exact(only_first, only_second) == pytest.approx(theirs, abs=EXACT)


def test_skew_ruins_kappa_and_spares_ac1() -> None:
    """By hand: 118 of 125 agree, all positive. κ (0.944 − 0.9453) / 0.0547 = −0.0234; AC1 (0.944 − 0.0544) / 0.9456."""
    ours = figures_from_counts([Votes(1, 0, 1), Votes(1, 0, 0), Votes(0, 1, 1)], 1, [118, 5, 2])
    assert ours["cohen_kappa"] == pytest.approx(-0.0234, abs=5e-5)
    assert ours["gwet_ac1_judge"] == pytest.approx(0.9408, abs=5e-5)


def test_balanced_labels_make_kappa_and_pabak_alike() -> None:
    """By hand: 85 of 100 agree, chance 0.49 · 0.46 + 0.51 · 0.54 = 0.5008, so κ = 0.3492 / 0.4992."""
    patterns = [Votes(1, 0, 1), Votes(1, 0, 0), Votes(0, 1, 1), Votes(0, 1, 0)]
    ours = figures_from_counts(patterns, 1, [40, 9, 6, 45])
    assert ours["cohen_kappa"] == pytest.approx(0.3492 / 0.4992)
    assert ours["pabak_judge"] == pytest.approx(0.70)
    assert ours["prevalence_index"] == pytest.approx(0.05)
    assert ours["bias_index"] == pytest.approx(0.03)
