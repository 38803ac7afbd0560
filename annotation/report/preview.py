"""What a study would be like if it started now: who is eligible, what would be drawn, how even it would be, how long."""

from collections import Counter
from dataclasses import dataclass, field

from django.db.models import Avg, Count

from annotation.core.assignment import deal
from annotation.core.balance import Balance, Range, balance
from annotation.core.sampling import sample
from annotation.core.strata import SampleRefused, Stratum
from annotation.core.study_design import StudyDesign
from annotation.models import BlindLabel
from annotation.models.eligible import Eligibility, candidates, eligibility

ASSUMED_SECONDS = 120.0
ENOUGH_LABELS = 20
SEATS_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds a label; `labels` says of how many labels it is the mean, 0 that it is assumed."""

    seconds: float
    labels: int


@dataclass(frozen=True, slots=True)
class Preview:
    """`problems` says in sentences why it could not start; then nothing is drawn and there is no balance."""

    eligibility: Eligibility
    pace: Pace
    problems: tuple[str, ...] = ()
    drawn: Counter[Stratum] = field(default_factory=Counter)
    balance: Balance | None = None

    @property
    def rollouts(self) -> int:
        """How many rollouts would be drawn."""
        return self.drawn.total()

    @property
    def labels(self) -> int:
        """How many labels there would be."""
        return sum(self.balance.loads.values()) if self.balance else 0

    @property
    def conditions(self) -> list[tuple[str, Range]]:
        """For each condition drawn, the least and the most of it that an annotator gets."""
        rows = list(self.balance.conditions.values()) if self.balance else []
        names = sorted({name for row in rows for name in row})
        counts = {name: [row.get(name, 0) for row in rows] for name in names}
        return [(name, Range(min(counts[name]), max(counts[name]))) for name in names]

    @property
    def seats(self) -> list[tuple[int, int, list[int]]]:
        """The first seats: number, load, and how many of each condition, in the order of `conditions`."""
        if self.balance is None:
            return []
        names = [name for name, _ in self.conditions]
        shown = list(self.balance.loads.items())[:SEATS_SHOWN]
        return [(seat, load, [self.balance.conditions[seat].get(name, 0) for name in names]) for seat, load in shown]

    @property
    def hours(self) -> float:
        """How long the busiest annotator labels, in hours, without reviews."""
        return self.balance.per_seat.high * self.pace.seconds / 3600 if self.balance else 0.0


def preview(design: StudyDesign, noticed_rule: str) -> Preview:
    """Draw and deal as a start would, and keep nothing. The design must be sound (no `problems()`). Three queries."""
    eligible, pace = eligibility(design, noticed_rule), usual_pace()
    try:
        drawn = sample(candidates(design, noticed_rule), design.wanted, design.seed)
    except SampleRefused as refused:
        return Preview(eligible, pace, tuple(refused.problems))
    plan = deal(drawn, design.annotators, design.labels_per_item, design.seed)
    counted = balance(drawn, plan.assignments, plan.order)
    return Preview(eligible, pace, (), Counter(item.stratum for item in drawn), counted)


def usual_pace() -> Pace:
    """The mean active time of the labels given here so far; two minutes are assumed while there are fewer than 20."""
    timed = BlindLabel.objects.filter(active_seconds__gt=0)
    found = timed.aggregate(seconds=Avg("active_seconds"), labels=Count("pk"))
    if found["labels"] < ENOUGH_LABELS:
        return Pace(ASSUMED_SECONDS, 0)
    return Pace(found["seconds"], found["labels"])
