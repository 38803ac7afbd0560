"""Between a rollout as a value (core.trajectory) and as rows: the only place that knows both shapes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from benchmark.core import text
from benchmark.core.formats import rite
from benchmark.core.taxonomy import Condition, End, ModelKind
from benchmark.core.trajectory import (
    ABSENT,
    Actor,
    Evidence,
    Final,
    Kind,
    Labels,
    Model,
    Step as StepValue,
    StepError,
    Task,
)
from benchmark.core.trajectory import Rollout as RolloutValue
from benchmark.core.trajectory import Unit as UnitValue
from benchmark.models.rollout import HEAD_CHARACTERS, Judgment, Rollout, Step
from benchmark.models.unit import Unit

TASK_REST = "task"


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one record, not yet saved and not yet tied to each other."""

    rollout: Rollout
    steps: list[Step]
    judgments: list[Judgment]


def unit_row(unit: UnitValue) -> Unit:
    """The unit of an imported record as a row; equal records have equal digests."""
    record = rite.unit_to_record(unit)
    slot = unit.slot
    return Unit(
        name=unit.id[:200],
        digest=text.sha256(record),
        record=text.write(record),
        workflow=unit.workflow or "",
        trace=unit.trace or "",
        leaf=unit.leaf.value if unit.leaf else "",
        locus=slot.locus.value if slot else "",
        position=(slot.position or "") if slot else "",
    )


def matched_group(record: RolloutValue) -> str:
    """What the record's siblings share: its unit where RITE built one (it then names a trace), else its task's words."""
    if record.unit and record.unit.trace:
        return f"unit:{text.sha256(record.unit.id)[:32]}"
    return f"task:{text.sha256(text.norm(record.query) or record.id)[:32]}"


def rows_of(record: RolloutValue, *, new_steps: frozenset[str], reading: Any) -> Rows:
    """The rows of a labelled record. `new_steps` names the steps whose content no earlier step showed."""
    labels = record.labels or Labels()
    rollout = Rollout(
        origin=Rollout.Origin.IMPORT,
        record_id=record.id,
        condition=record.condition.value if record.condition else "",
        intervention=record.intervention or "",
        epoch=record.epoch,
        matched_group=matched_group(record),
        prefix_count=len(record.prefix),
        step_count=len(record.steps),
        end=record.end.value if record.end else "",
        usage=_written(record.usage),
        reading=text.write(reading),
        **_asked(record),
        **_final(record.final),
        **_label_columns(labels),
    )
    steps = [
        _step_row(index, step, is_new=number in new_steps) for index, (number, step) in enumerate(record.numbered())
    ]
    judgments = [
        Judgment(judge=judged.judge, label=judged.label.value, rationale=judged.rationale) for judged in labels.results
    ]
    return Rows(rollout, steps, judgments)


def record_of(rollout: Rollout, steps: Iterable[Step]) -> RolloutValue:
    """The value of a rollout whose model and unit are loaded, from all its steps in order: what was read, and labels."""
    values = [_step_value(step) for step in steps]
    extra = text.parse(rollout.extra)
    task_rest = extra.pop(TASK_REST, None)
    unit = rite.unit_from_record(text.parse(rollout.unit.record), where=rollout.unit.name) if rollout.unit else None
    return RolloutValue(
        id=rollout.record_id or str(rollout.pk),
        model=Model(rollout.model.name, ModelKind(rollout.model.kind)) if rollout.model else None,
        condition=Condition(rollout.condition) if rollout.condition else None,
        intervention=rollout.intervention or None,
        epoch=rollout.epoch,
        unit=unit,
        task=_task(rollout, task_rest) if unit is None and task_rest is not None else None,
        prefix=tuple(values[: rollout.prefix_count]),
        steps=tuple(values[rollout.prefix_count :]),
        final=None if rollout.final_answer is None else Final(rollout.final_answer, _parsed(rollout.final_result)),
        end=End(rollout.end) if rollout.end else None,
        usage=_parsed(rollout.usage),
        labels=rite.labels_from_record(text.parse(rollout.labels), where=f"rollout {rollout.pk}"),
        extra=extra,
    )


def _asked(record: RolloutValue) -> dict[str, Any]:
    extra = dict(record.extra)
    if record.unit:
        reference = [rite.step_to_record(step) for step in record.unit.reference]
        inputs, goal = record.unit.inputs, None
    elif record.task:
        reference = [{"heading": evidence.heading, "value": evidence.value} for evidence in record.task.reference]
        inputs, goal = record.task.inputs, record.task.goal
        extra[TASK_REST] = {"goal_heading": record.task.goal_heading, "extra": dict(record.task.extra)}
    else:
        reference, inputs, goal = [], None, None
    return {
        "task": record.query,
        "goal": goal or "",
        "inputs": None if inputs is None else text.write(inputs),
        "reference": text.write(reference) if reference else None,
        "extra": text.write(extra),
    }


def _task(rollout: Rollout, rest: dict[str, Any]) -> Task:
    return Task(
        query=rollout.task,
        goal=rollout.goal or None,
        goal_heading=rest["goal_heading"],
        inputs=_parsed(rollout.inputs),
        reference=tuple(Evidence(**evidence) for evidence in text.parse(rollout.reference or "[]")),
        extra=rest["extra"],
    )


def _final(final: Final | None) -> dict[str, Any]:
    if final is None:
        return {"final_answer": None, "final_result": None}
    return {
        "final_answer": final.answer,
        "final_result": None if final.result is None else text.write(final.result),
    }


def _label_columns(labels: Labels) -> dict[str, Any]:
    return {
        "noticed": labels.noticed,
        "producer_refetch": labels.producer_refetch,
        "refetch_valid": labels.refetch_valid,
        "state": labels.state.value if labels.state else "",
        "excluded": (labels.excluded or "")[:200],
        "labels": text.write(rite.labels_to_record(labels)),
    }


def _step_row(index: int, step: StepValue, *, is_new: bool) -> Step:
    has_observation = step.observation is not ABSENT
    seen = text.plain(step.observation) if has_observation else ""
    return Step(
        index=index,
        kind=step.kind.value,
        actor=step.actor.value,
        thought=step.thought,
        text=step.text,
        tool=step.tool or "",
        arguments=_written(step.arguments),
        arguments_raw=step.arguments_raw,
        observation=text.write(step.observation) if has_observation else None,
        head=seen[:HEAD_CHARACTERS],
        characters=len(seen),
        is_new=is_new,
        error_type=step.error.type if step.error else "",
        error_message=step.error.message if step.error else "",
        error_rule=step.error.rule if step.error else "",
        group=step.group,
        call_id=step.call_id,
        source=step.source or "",
        match=step.match or "",
        aliased=step.aliased,
        started_at=step.started_at or "",
        ms=step.ms,
        usage=_written(step.usage),
        extra=text.write(step.extra) if step.extra else "{}",
    )


def _step_value(step: Step) -> StepValue:
    return StepValue(
        kind=Kind(step.kind),
        actor=Actor(step.actor),
        thought=step.thought,
        text=step.text,
        tool=step.tool or None,
        arguments=_parsed(step.arguments),
        arguments_raw=step.arguments_raw,
        observation=ABSENT if step.observation is None else text.parse(step.observation),
        error=StepError(step.error_type, step.error_message, step.error_rule) if step.error_rule else None,
        group=step.group,
        call_id=step.call_id,
        source=step.source or None,
        match=step.match or None,
        aliased=step.aliased,
        started_at=step.started_at or None,
        ms=int(step.ms) if step.ms is not None and step.ms.is_integer() else step.ms,
        usage=_parsed(step.usage),
        extra=text.parse(step.extra),
    )


def _written(value: Any) -> str | None:
    return None if value is None else text.write(value)


def _parsed(source: str | None) -> Any:
    return None if source is None else text.parse(source)
