"""Why a figure has no value: sentences for the reader, never NaN, 0 or a false 1."""

from collections.abc import Mapping

from benchmark.core.comparing.figures import HUMAN_KINDS, JUDGE_KINDS
from benchmark.core.comparing.patterns import Confusion, VoteTotals

REFERENCE, AUTOMATIC = "the human majority", "the automatic label"
COMPARED = [name for name in JUDGE_KINDS if name not in ("human_positive_majority", "auto_positive")]
NO_LABELS = "There are no human labels."


def undefined_reasons(totals: VoteTotals, planned: int) -> dict[str, str]:
    """The reason of every figure of human and automatic labels that these totals leave undefined, by its name."""
    return _judge_reasons(totals, planned) | _people_reasons(totals, planned)


def constant_rater(confusion: Confusion, first: str, second: str) -> str:
    """Why κ says nothing about a table in which a rater gives one answer only; empty where both give both.

    With one constant rater the formula gives 0 however often the two agree, with two it has no value.
    """
    tp, fp, fn, tn = confusion
    constant = []
    for rater, positive, negative in ((first, tp + fn, fp + tn), (second, tp + fp, fn + tn)):
        if not positive or not negative:
            constant.append(f"{rater} is always {'positive' if positive else 'negative'}")
    if not constant:
        return ""
    return f"Here {' and '.join(constant)}, so agreement beyond chance cannot be told."


def _judge_reasons(totals: VoteTotals, planned: int) -> dict[str, str]:
    confusion = totals.confusion
    reasons = {}
    if not totals.references:
        reasons["human_positive_majority"] = _no_reference(totals, planned)
    if not totals.automatics:
        reasons["auto_positive"] = "There are no automatic labels."
    if not sum(confusion):
        return reasons | dict.fromkeys(COMPARED, _not_compared(reasons))
    if why := constant_rater(confusion, REFERENCE, AUTOMATIC):
        reasons |= {"cohen_kappa": why, "kappa_ceiling": why}
    if why := one_answer(2 * confusion.tp + confusion.fp + confusion.fn, 2 * sum(confusion)):
        reasons["gwet_ac1_judge"] = why
    return reasons | _empty_denominators(confusion)


def _no_reference(totals: VoteTotals, planned: int) -> str:
    if not totals.rated:
        return NO_LABELS
    return f"No item has a human majority: each is tied or has fewer than {planned} labels."


def _not_compared(reasons: Mapping[str, str]) -> str:
    return next(iter(reasons.values()), "No item has both a human majority and an automatic label.")


def _empty_denominators(confusion: Confusion) -> dict[str, str]:
    tp, fp, fn, tn = confusion
    empty = {
        "precision": (tp + fp, "The automatic label is never positive."),
        "recall": (tp + fn, "The human majority is never positive."),
        "f1": (tp + fp + fn, "Neither the human majority nor the automatic label is ever positive."),
        "positive_agreement": (tp + fp + fn, "Neither the human majority nor the automatic label is ever positive."),
        "negative_agreement": (tn + fp + fn, "Neither the human majority nor the automatic label is ever negative."),
    }
    return {name: why for name, (denominator, why) in empty.items() if not denominator}


def _people_reasons(totals: VoteTotals, planned: int) -> dict[str, str]:
    if not totals.rated:
        return dict.fromkeys(HUMAN_KINDS, NO_LABELS)
    if not totals.paired:
        return dict.fromkeys(HUMAN_KINDS, "No item was labelled by two people, so people cannot be compared.")
    reasons = {}
    if not totals.complete:
        reasons["unanimous"] = f"No item has the {planned} planned labels."
    if not totals.planned:
        reasons["fleiss_kappa"] = f"It needs two planned labels or more, and items with exactly that many ({planned})."
    elif why := one_answer(float(totals.planned_positive), float(totals.planned) * planned):
        reasons["fleiss_kappa"] = why
    if why := one_answer(float(totals.paired_positive), float(totals.paired_positive + totals.paired_negative)):
        reasons["krippendorff_alpha"] = why
    if why := one_answer(float(totals.rated_share), float(totals.rated)):
        reasons["gwet_ac1_humans"] = why
    return reasons


def one_answer(positive: float, labels: float) -> str:
    """Why AC1, Fleiss' κ and α say nothing about labels that are all alike; empty where both answers occur."""
    if 0 < positive < labels:
        return ""
    answer = "positive" if positive else "negative"
    return f"Every label is {answer}, so agreement by chance cannot be estimated."
