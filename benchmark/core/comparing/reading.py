"""What skewed labels do to κ, in plain words."""

from benchmark.core.comparing.figures import Figure, Figures, Undefined
from benchmark.core.comparing.patterns import Confusion

SKEWED = 0.5
NOTABLE_LOSS = 0.1
LOW_KAPPA = 0.6
SIGNIFICANT = 0.05


def reading(figures: Figures, confusion: Confusion) -> list[str]:
    """Sentences on why κ is low although agreement is high; none where neither prevalence nor bias explains it.

    Prevalence is named when its index passes 0.5. It pulls κ below PABAK (Byrt, Bishop and Carlin 1993), so that gap
    says whether it costs anything. One-sided bias is named when McNemar's p is below 0.05, and as the main cause when
    its index is the larger one and κ is below 0.6.
    """
    if not confusion.n:
        return []
    kappa, one_sided = figures["cohen_kappa"], _one_sided(figures, confusion)
    prevalence = abs(confusion.tp - confusion.tn) / confusion.n
    bias = abs(confusion.fp - confusion.fn) / confusion.n
    if prevalence > SKEWED:
        return [_skewed(figures, confusion, prevalence), *one_sided]
    if one_sided and bias > prevalence and isinstance(kappa, Figure) and kappa.value < LOW_KAPPA:
        return [
            f"{_kappa(kappa, confusion)}; it is low mainly because of one-sided bias.{_ceiling(figures)}",
            *one_sided,
        ]
    return one_sided


def _skewed(figures: Figures, confusion: Confusion, prevalence: float) -> str:
    kappa = figures["cohen_kappa"]
    share = (
        f"prevalence index {prevalence:.2f}: the majority is positive for {confusion.tp + confusion.fn} of {confusion.n}"
        f" items, the automatic label for {confusion.tp + confusion.fp}"
    )
    if isinstance(kappa, Undefined):
        return f"The labels are skewed ({share}). κ is not defined: {kappa.why}"
    pabak = 2 * confusion.agreed / confusion.n - 1
    if pabak - kappa.value < NOTABLE_LOSS:
        return (
            f"The labels are skewed ({share}), yet this costs κ little. {_kappa(kappa, confusion)}.{_ceiling(figures)}"
        )
    low = f"{_kappa(kappa, confusion)}; it is low mainly because of prevalence ({share})."
    return f"{low}{_ceiling(figures)}{_ac1(figures)}"


def _kappa(kappa: Figure, confusion: Confusion) -> str:
    interval = "" if kappa.low is None else f" (95 % interval {kappa.low:.2f} to {kappa.high:.2f})"
    return f"Raw agreement is {confusion.agreed / confusion.n:.2f} and Cohen's κ {kappa.value:.2f}{interval}"


def _ceiling(figures: Figures) -> str:
    ceiling = figures["kappa_ceiling"]
    return f" With these margins κ can reach {ceiling.value:.2f} at most." if isinstance(ceiling, Figure) else ""


def _ac1(figures: Figures) -> str:
    ac1 = figures["gwet_ac1_judge"]
    return f" Gwet's AC1, which skew moves little, is {ac1.value:.2f}." if isinstance(ac1, Figure) else ""


def _one_sided(figures: Figures, confusion: Confusion) -> list[str]:
    p = figures["mcnemar_p"]
    if isinstance(p, Undefined) or p.value >= SIGNIFICANT:
        return []
    character = "stricter" if confusion.fn > confusion.fp else "more lenient"
    return [
        f"The differences are one-sided, not random: the majority alone is positive for {confusion.fn} items, the automatic"
        f" label alone for {confusion.fp} (McNemar's exact p = {p.value:.1g}). The automatic label is {character} than"
        " people are."
    ]
