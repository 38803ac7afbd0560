"""Which rollouts a study may sample, how many of each stratum, and why the others may not. A constant number of queries."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, CharField, Count, Exists, OuterRef, Q, QuerySet, Value, When

from annotation.core.sampling import Candidate
from annotation.core.strata import Stratum, stratum_of
from annotation.core.study_design import StudyDesign
from benchmark.core.taxonomy import End, ResultLabel
from benchmark.models import Judgment, Rollout

ELIGIBLE = ""
REASONS = {
    "unfinished": "not finished",
    "invalid": "invalid: the model or the environment could not go on",
    "excluded": "excluded: a tool failed to run",
    "no_end": "how it ended is not recorded",
    "judge_failed": "the judge gave no readable label",
    "not_judged": "not judged by this judge",
    "other_rule": "Noticed was set by another version of the rule",
    "no_noticed": "Noticed could not be computed",
}
_INVALID_ENDS = [End.MODEL_ERROR.value, End.ENVIRONMENT_ERROR.value, End.CANCELLED.value]
_SUCCESSFUL = [ResultLabel.SOLVED.value, ResultLabel.UNSOLVED.value]


@dataclass(frozen=True, slots=True)
class Eligibility:
    """How many rollouts of the sources may be sampled: by stratum, and the others by reason (keys of REASONS)."""

    rollouts: int
    held: Counter[Stratum]
    refused: Counter[str]

    @property
    def eligible(self) -> int:
        """How many may be sampled in all."""
        return self.held.total()

    @property
    def ineligible(self) -> int:
        """How many may not."""
        return self.refused.total()

    @property
    def refused_in_words(self) -> list[tuple[int, str]]:
        """Count and reason of those that may not, the most frequent first."""
        return [(count, REASONS[reason]) for reason, count in self.refused.most_common()]


@dataclass(frozen=True, slots=True)
class Sources:
    """What can be named in a design: judges and rule versions that labelled rollouts of its sources, with their counts."""

    judges: dict[str, int]
    noticed_rules: dict[str, int]

    @property
    def judge(self) -> str:
        """The judge of most rollouts; empty where none judged any."""
        return max(self.judges, key=lambda name: (self.judges[name], name), default="")

    @property
    def noticed_rule(self) -> str:
        """The version of the Noticed rule that labelled most rollouts; empty where none did."""
        return max(self.noticed_rules, key=lambda rule: (self.noticed_rules[rule], rule), default="")


def sourced(design: StudyDesign) -> QuerySet[Rollout]:
    """The rollouts of the design's sources, eligible or not."""
    return Rollout.objects.filter(batch__in=design.imports).order_by()


def successful_judgments(judge: str) -> QuerySet[Judgment]:
    """For a subquery over rollouts: the judge's labels, newest first. Its newest successful one is its label."""
    return Judgment.objects.filter(rollout=OuterRef("pk"), judge=judge, label__in=_SUCCESSFUL).order_by("-pk")


def with_reason(rollouts: QuerySet[Rollout], design: StudyDesign, noticed_rule: str) -> Any:
    """Annotate each rollout with `reason`, a key of REASONS, or empty where it may be sampled."""
    cases = [
        When(~Q(status=Rollout.Status.FINISHED), then=Value("unfinished")),
        When(end__in=_INVALID_ENDS, then=Value("invalid")),
        When(~Q(excluded=""), then=Value("excluded")),
        When(end="", then=Value("no_end")),
    ]
    if "result" in design.labels:
        judged = Judgment.objects.filter(rollout=OuterRef("pk"), judge=design.judge)
        cases += [
            When(Exists(judged) & ~Exists(judged.filter(label__in=_SUCCESSFUL)), then=Value("judge_failed")),
            When(~Exists(judged), then=Value("not_judged")),
        ]
    if "noticed" in design.labels:
        cases += [
            When(noticed__isnull=True, then=Value("no_noticed")),
            When(~Q(noticed_rule=noticed_rule), then=Value("other_rule")),
        ]
    return rollouts.annotate(reason=Case(*cases, default=Value(ELIGIBLE), output_field=CharField()))


def eligibility(design: StudyDesign, noticed_rule: str) -> Eligibility:
    """Count what may be sampled. One query."""
    held: Counter[Stratum] = Counter()
    refused: Counter[str] = Counter()
    rows = (
        with_reason(sourced(design), design, noticed_rule)
        .values("model__name", "condition", "reason")
        .annotate(count=Count("pk"))
    )
    for row in rows:
        if row["reason"] == ELIGIBLE:
            held[stratum_of(row["model__name"], row["condition"])] += row["count"]
        else:
            refused[row["reason"]] += row["count"]
    return Eligibility(held.total() + refused.total(), held, refused)


def candidates(design: StudyDesign, noticed_rule: str) -> list[Candidate]:
    """Every rollout that may be sampled, by its number as text. One query."""
    rows = (
        with_reason(sourced(design), design, noticed_rule)
        .filter(reason=ELIGIBLE)
        .values_list("pk", "model__name", "condition", "matched_group")
    )
    return [Candidate(str(pk), model, condition or None, group) for pk, model, condition, group in rows.iterator()]


def sources(batches: Iterable[int]) -> Sources:
    """The judges and Noticed rules of all rollouts of some imports. Two queries."""
    rollouts = Rollout.objects.filter(batch__in=list(batches)).order_by()
    judges = Judgment.objects.filter(rollout__in=rollouts).order_by().values_list("judge")
    rules = rollouts.exclude(noticed_rule="").values_list("noticed_rule")
    return Sources(
        judges=dict(judges.annotate(count=Count("rollout", distinct=True)).order_by("judge")),
        noticed_rules=dict(rules.annotate(count=Count("pk"))),
    )
