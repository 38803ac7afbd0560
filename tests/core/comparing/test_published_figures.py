"""The published statistics of the Result label, and the figures recomputed from its margins."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmark.core.comparing.agreement_csv import read_agreement_csv
from benchmark.core.comparing.agreement_export import as_json
from benchmark.core.comparing.agreement_report import Manifest, agreement_report, label_agreement
from benchmark.core.comparing.figures import Figure
from benchmark.core.comparing.patterns import Confusion
from benchmark.core.comparing.ratings import Judgment

REFERENCE = Path(__file__).parents[4] / "shared" / "reference"
THREE_DECIMALS = 5e-4
PUBLISHED = {
    "human_positive_majority": 89,
    "auto_positive": 69,
    "raw_agreement": 0.76,
    "cohen_kappa": 0.318,
    "fleiss_kappa": 0.477,
    "precision": 0.971,
    "recall": 0.753,
    "f1": 0.848,
    "unanimous": 0.80,
    "review_agreement": 0.84,
}
FROM_THE_MARGINS = {
    "kappa_ceiling": (0.43, 0.005),
    "gwet_ac1_judge": (0.641, THREE_DECIMALS),
    "gwet_ac1_humans": (0.821, THREE_DECIMALS),
    "pabak_judge": (0.52, THREE_DECIMALS),
    "pabak_humans": (0.733, THREE_DECIMALS),
    "prevalence_index": (0.58, THREE_DECIMALS),
    "bias_index": (0.20, THREE_DECIMALS),
    "positive_agreement": (0.85, 0.005),
    "negative_agreement": (0.43, 0.005),
    "mcnemar_p": (4e-5, 5e-6),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_margins_give_the_published_figure(published: Sequence[Judgment], name: str) -> None:
    figure = label_agreement(published).figures[name]
    assert isinstance(figure, Figure)
    assert figure.value == pytest.approx(PUBLISHED[name], abs=THREE_DECIMALS)


@pytest.mark.parametrize("name", FROM_THE_MARGINS)
def test_published_margins_explain_the_low_kappa(published: Sequence[Judgment], name: str) -> None:
    figure = label_agreement(published).figures[name]
    expected, tolerance = FROM_THE_MARGINS[name]
    assert isinstance(figure, Figure)
    assert figure.value == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("cohen_kappa", 0.13, 0.51), ("fleiss_kappa", 0.26, 0.66), ("precision", 0.900, 0.992)],
)
def test_published_figures_carry_their_uncertainty(
    published: Sequence[Judgment], name: str, low: float, high: float
) -> None:
    figure = label_agreement(published).figures[name]
    assert isinstance(figure, Figure)
    assert (figure.low, figure.high) == (pytest.approx(low, abs=0.015), pytest.approx(high, abs=0.015))


def test_published_margins_are_counted_as_published(published: Sequence[Judgment]) -> None:
    label = label_agreement(published)
    assert label.confusion == Confusion(tp=67, fp=2, fn=22, tn=9)
    assert (label.items, label.annotators, label.judgments, label.planned) == (100, 6, 300, 3)
    assert sum(entry.against_automatic for entry in label.disagreements) == 24


def test_low_kappa_is_explained_in_words(published: Sequence[Judgment]) -> None:
    first, second = label_agreement(published).reading
    assert "low mainly because of prevalence" in first
    assert "0.58" in first
    assert "0.43 at most" in first
    assert "stricter than people" in second


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference table is not beside this checkout")
def test_reference_table_gives_every_expected_figure_under_its_name() -> None:
    expected = json.loads((REFERENCE / "table8_expected.json").read_text("utf-8"))
    file = read_agreement_csv(REFERENCE / "table8_result.csv")
    document = json.loads(as_json(agreement_report(file.judgments), Manifest("table8_result.csv", file.sha256, "test")))
    label = document["labels"]["result"]
    assert [document[name] for name in ("items", "annotators", "judgments")] == [100, 6, 300]
    assert label["confusion"] == expected["confusion"]
    for name in set(expected) - {"source", "items", "annotators", "judgments", "confusion", "beyond_the_paper"}:
        assert label[name]["value"] == pytest.approx(expected[name], abs=THREE_DECIMALS), name
    beyond = expected["beyond_the_paper"]["gwet_ac1_three_raters"]
    assert label["gwet_ac1_humans"]["value"] == pytest.approx(beyond, abs=THREE_DECIMALS)
