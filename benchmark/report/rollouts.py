"""The list of rollouts: narrowed down, paged by key, each row told in one line without its trajectory."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery, TextField
from django.db.models.functions import Left

from benchmark.core import text
from benchmark.core.taxonomy import ResultLabel
from benchmark.models import Judgment, Rollout
from benchmark.models.rollout import RolloutQuerySet

PAGE = 30
COUNTED = 10_000
TASK_READ, TASK_SHOWN = 2_000, 180
SAME_BEGINNING = 40
TRUTH = {"yes": True, "no": False, "none": None}


@dataclass(frozen=True, slots=True)
class Line:
    """One rollout in the list. `skipped` says that the task's beginning, which its neighbours share, is left out."""

    pk: int
    task: str
    skipped: bool
    model: str
    condition: str
    prefix_count: int
    step_count: int
    noticed: bool | None
    refetch: bool | None
    state: str
    results: tuple[tuple[str, str], ...]
    excluded: str
    end: str


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of rollouts, newest first; `older` is the key to go on from, None at the end."""

    lines: tuple[Line, ...]
    older: int | None


def narrowed(said: Mapping[str, Any]) -> RolloutQuerySet:
    """The rollouts that pass every filter said: model, batch, condition, state, noticed, refetch, excluded, judge, result."""
    rollouts = Rollout.objects.arrived()
    for name in ("model", "batch"):
        if said.get(name):
            rollouts = rollouts.filter(**{name: said[name]})
    for name in ("condition", "state"):
        if said.get(name):
            rollouts = rollouts.filter(**{name: "" if said[name] == "none" else said[name]})
    for name, column in (("noticed", "noticed"), ("refetch", "producer_refetch")):
        if said.get(name):
            rollouts = rollouts.filter(**_is(column, TRUTH[said[name]]))
    if said.get("excluded"):
        rollouts = rollouts.exclude(excluded="") if said["excluded"] == "yes" else rollouts.filter(excluded="")
    return _judged(rollouts, said.get("judge", ""), said.get("result", ""))


def page(rollouts: QuerySet[Rollout], before: int | None = None) -> Listed:
    """The 30 newest rollouts whose key is under `before`. Two queries whatever the page holds."""
    if before is not None:
        rollouts = rollouts.filter(pk__lt=before)
    beginning = Left("task", TASK_READ, output_field=TextField())
    rows = rollouts.order_by("-pk").annotate(beginning=beginning).select_related("model")
    shown = list(
        rows.only(
            *("model__name", "condition", "prefix_count", "step_count", "noticed", "producer_refetch"),
            *("state", "excluded", "end"),
        )[: PAGE + 1]
    )
    older = shown[PAGE - 1].pk if len(shown) > PAGE else None
    shown = shown[:PAGE]
    tasks = differing([_read(row.beginning) for row in shown])
    results = newest_results(shown)
    return Listed(tuple(_line(row, *task, results) for row, task in zip(shown, tasks, strict=True)), older)


def counted(rollouts: QuerySet[Rollout]) -> int:
    """How many rollouts there are; nothing beyond 10,000 is counted."""
    return rollouts.order_by()[: COUNTED + 1].count()


def newest_results(rollouts: Iterable[Rollout]) -> dict[int, dict[str, str]]:
    """For each rollout's key every judge's label that stands: the newest that is no judge error, where there is one."""
    found: dict[int, dict[str, str]] = {}
    judgments = Judgment.objects.filter(rollout__in=[rollout.pk for rollout in rollouts]).order_by("pk")
    for pk, judge, label in judgments.values_list("rollout_id", "judge", "label"):
        labels = found.setdefault(pk, {})
        if label != ResultLabel.JUDGE_ERROR or judge not in labels:
            labels[judge] = label
    return found


def differing(tasks: Sequence[str]) -> list[tuple[str, bool]]:
    """Each task from where it begins to differ from the one most like it, and whether a shared beginning was left out.

    A shared beginning under 40 characters stays. The cut falls between words.
    """
    ordered = sorted(set(tasks))
    shared = dict.fromkeys(ordered, 0)
    for one, next_one in zip(ordered, ordered[1:], strict=False):
        common = len(os.path.commonprefix([one, next_one]))
        shared[one], shared[next_one] = max(shared[one], common), max(shared[next_one], common)
    return [_from_difference(task, shared[task]) for task in tasks]


def _from_difference(task: str, shared: int) -> tuple[str, bool]:
    start = task.rfind(" ", 0, shared) + 1
    if start < SAME_BEGINNING or shared >= len(task):
        start = 0
    line = " ".join(task[start : start + 2 * TASK_SHOWN].split())
    return text.shown(line[:TASK_SHOWN] + ("…" if len(line) > TASK_SHOWN else "")), start > 0


def _judged(rollouts: RolloutQuerySet, judge: str, result: str) -> RolloutQuerySet:
    judgments = Judgment.objects.filter(rollout=OuterRef("pk"))
    if judge:
        judgments = judgments.filter(judge=judge)
    if result == "none":
        return rollouts.filter(~Exists(judgments))
    if not result:
        return rollouts.filter(Exists(judgments)) if judge else rollouts
    spoken = judgments.exclude(label=ResultLabel.JUDGE_ERROR).order_by("-pk")
    if result == ResultLabel.JUDGE_ERROR:
        return rollouts.filter(Exists(judgments), ~Exists(spoken))
    if judge:
        return rollouts.annotate(stands=Subquery(spoken.values("label")[:1])).filter(stands=result)
    return rollouts.filter(Exists(spoken.filter(label=result)))


def _is(column: str, value: bool | None) -> dict[str, Any]:
    return {f"{column}__isnull": True} if value is None else {column: value}


def _read(literal: str) -> str:
    """The beginning of a stored text, which is a JSON string literal that may have been cut anywhere, inside an escape too."""
    for end in range(len(literal), max(0, len(literal) - 12), -1):
        try:
            return text.parse(literal[:end].removesuffix('"') + '"') if literal else ""
        except text.BadJson:
            continue
    return ""


def _line(row: Rollout, task: str, skipped: bool, results: Mapping[int, Mapping[str, str]]) -> Line:
    return Line(
        pk=row.pk,
        task=task,
        skipped=skipped,
        model=text.shown(row.model.name) if row.model else "",
        condition=row.condition,
        prefix_count=row.prefix_count,
        step_count=row.step_count,
        noticed=row.noticed,
        refetch=row.producer_refetch,
        state=row.state,
        results=tuple(results.get(row.pk, {}).items()),
        excluded=row.excluded,
        end=row.end,
    )
