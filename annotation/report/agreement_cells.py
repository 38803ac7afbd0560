"""Cells of the agreement page: figures with their intervals, drawn where they lie on a scale."""

import math
from dataclasses import dataclass

from benchmark.core.comparing.agreement_report import AgreementReport
from benchmark.core.comparing.agreement_tables import interval, number
from benchmark.core.comparing.figures import KINDS, Figure, FigureKind, Undefined

GROUPS = {
    "Automatic label against human majority": (
        "human_positive_majority",
        "auto_positive",
        "raw_agreement",
        "cohen_kappa",
        "kappa_ceiling",
        "gwet_ac1_judge",
        "pabak_judge",
        "prevalence_index",
        "bias_index",
        "precision",
        "recall",
        "f1",
        "positive_agreement",
        "negative_agreement",
        "mcnemar_p",
    ),
    "Among the annotators": ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1_humans", "pabak_humans", "unanimous"),
    "Review (complementary only)": ("review_agreement", "anchoring_rate"),
}
DRAWN_WIDTH = 120.0
DRAWN_SCALES = ("share", "coefficient")


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure as shown. `at`, `low` and `high` are places on the table's scale, from 0 to 120; None where it is not drawn."""

    value: str
    interval: str
    n: str
    why: str
    at: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One figure over all labels."""

    title: str
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Table8:
    """Rows in groups, all drawn on one scale from `floor` to 1; `zero` is the place of 0 on it."""

    groups: list[tuple[str, list[Row]]]
    floor: float
    zero: float


def table_8(report: AgreementReport) -> Table8:
    """Table 8, a cell for each label in the report's order."""
    floor = _floor(report)
    groups = []
    for title, names in GROUPS.items():
        rows = [
            Row(KINDS[name].title, [cell(label.figures[name], KINDS[name], floor) for label in report.labels.values()])
            for name in names
        ]
        groups.append((title, rows))
    return Table8(groups, floor, _place(0.0, floor))


def cell(figure: Figure | Undefined, kind: FigureKind, floor: float) -> Cell:
    """A figure's value, interval and n, and where they lie; or the reason why there is none."""
    if isinstance(figure, Undefined):
        return Cell(figure.fraction or "–", "", "", figure.why)
    between = interval(figure, kind)
    at = low = high = None
    if kind.scale in DRAWN_SCALES:
        at = _place(figure.value, floor)
        low = None if figure.low is None else _place(figure.low, floor)
        high = None if figure.high is None else _place(figure.high, floor)
    return Cell(
        number(figure.value, kind), between, str(figure.n), "" if between else figure.no_interval, at, low, high
    )


def _floor(report: AgreementReport) -> float:
    """The lower end of the scale: 0, or in steps of 0.2 what the lowest drawn end needs."""
    lowest = 0.0
    for label in report.labels.values():
        for name, figure in label.figures.items():
            if isinstance(figure, Figure) and KINDS[name].scale in DRAWN_SCALES:
                lowest = min(lowest, figure.value if figure.low is None else figure.low)
    return math.floor(lowest * 5) / 5


def _place(value: float, floor: float) -> float:
    return round((value - floor) / (1 - floor) * DRAWN_WIDTH, 1)
