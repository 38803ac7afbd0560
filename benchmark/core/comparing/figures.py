"""A figure with its uncertainty, or the reason why there is none."""

from dataclasses import dataclass
from typing import Literal

IntervalKind = Literal["wilson", "bootstrap", "none"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, its 95 % interval and what it was counted over.

    `low` and `high` are None where no honest interval exists; `no_interval` then says why. `undefined_draws` counts the
    bootstrap draws in which the figure had no value and which were therefore dropped.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    undefined_draws: int = 0
    no_interval: str = ""


@dataclass(frozen=True, slots=True)
class Undefined:
    """A figure that the data do not define; `why` is a sentence for the reader.

    `fraction` is what stands for a share of too few cases in a breakdown, such as 3/4.
    """

    why: str
    fraction: str = ""


@dataclass(frozen=True, slots=True)
class FigureKind:
    """How a figure is called, how its interval is made, and whether it is a share, a count or neither."""

    title: str
    interval: IntervalKind = "bootstrap"
    scale: Literal["share", "count", "coefficient", "p"] = "coefficient"


JUDGE_KINDS = {
    "human_positive_majority": FigureKind("Items positive by human majority", "wilson", "count"),
    "auto_positive": FigureKind("Items positive by automatic label", "wilson", "count"),
    "raw_agreement": FigureKind("Raw agreement", "wilson", "share"),
    "cohen_kappa": FigureKind("Cohen's κ"),
    "kappa_ceiling": FigureKind("Largest κ these margins allow"),
    "gwet_ac1_judge": FigureKind("Gwet's AC1, automatic label against majority"),
    "pabak_judge": FigureKind("PABAK, automatic label against majority"),
    "prevalence_index": FigureKind("Prevalence index"),
    "bias_index": FigureKind("Bias index"),
    "precision": FigureKind("Precision", "wilson", "share"),
    "recall": FigureKind("Recall", "wilson", "share"),
    "f1": FigureKind("F1"),
    "positive_agreement": FigureKind("Positive agreement"),
    "negative_agreement": FigureKind("Negative agreement"),
    "mcnemar_p": FigureKind("McNemar's exact p", "none", "p"),
}
HUMAN_KINDS = {
    "fleiss_kappa": FigureKind("Fleiss' κ"),
    "krippendorff_alpha": FigureKind("Krippendorff's α (nominal)"),
    "gwet_ac1_humans": FigureKind("Gwet's AC1, among people"),
    "pabak_humans": FigureKind("PABAK, among people"),
    "unanimous": FigureKind("Unanimous items", "wilson", "share"),
}
REVIEW_KINDS = {
    "review_agreement": FigureKind("Review answers that agree", "bootstrap", "share"),
    "anchoring_rate": FigureKind("Own label contradicts, review agrees", "bootstrap", "share"),
}
KINDS = JUDGE_KINDS | HUMAN_KINDS | REVIEW_KINDS

Figures = dict[str, Figure | Undefined]

SMALL = 10
TOO_FEW = f"Fewer than {SMALL} cases give no rate."


def without_small(figures: Figures) -> Figures:
    """The figures of a breakdown, with every one over fewer than ten cases turned into its raw fraction in words."""
    return {name: _fraction_only(name, figure) for name, figure in figures.items()}


def _fraction_only(name: str, figure: Figure | Undefined) -> Figure | Undefined:
    if isinstance(figure, Undefined) or figure.n >= SMALL or KINDS[name].scale == "count":
        return figure
    if KINDS[name].scale == "share":
        return Undefined(TOO_FEW, f"{round(figure.value * figure.n)}/{figure.n}")
    return Undefined(TOO_FEW)
