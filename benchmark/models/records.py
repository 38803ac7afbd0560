"""From the rows of a rollout back to its value (core.trajectory); `core.formats.columns` goes the other way."""

from collections.abc import Iterable
from typing import Any

from benchmark.core import text
from benchmark.core.formats import rite
from benchmark.core.taxonomy import Condition, End, ModelKind
from benchmark.core.trajectory import ABSENT, Actor, Evidence, Final, Kind, Model, StepError, Task
from benchmark.core.trajectory import Rollout as RolloutValue
from benchmark.core.trajectory import Step as StepValue
from benchmark.models.rollout import Rollout, Step


def record_of(rollout: Rollout, steps: Iterable[Step]) -> RolloutValue:
    """The value of a rollout whose model and unit are loaded, from all its steps in order: what was read, and labels."""
    values = [_step_value(step) for step in steps]
    rest = text.parse(rollout.extra)
    unit = rite.unit_from_record(text.parse(rollout.unit.record), where=rollout.unit.name) if rollout.unit else None
    return RolloutValue(
        id=rollout.record_id or str(rollout.pk),
        model=_model(rollout, rest.get("model", {})),
        condition=Condition(rollout.condition) if rollout.condition else None,
        intervention=rollout.intervention or None,
        epoch=rollout.epoch,
        unit=unit,
        task=_task(rollout, rest["task"]) if "task" in rest else None,
        prefix=tuple(values[: rollout.prefix_count]),
        steps=tuple(values[rollout.prefix_count :]),
        final=_final(rollout, rest.get("final", {})),
        end=End(rollout.end) if rollout.end else None,
        usage=_parsed(rollout.usage),
        labels=rite.labels_from_record(text.parse(rollout.labels), where=f"rollout {rollout.pk}"),
        extra=rest.get("record", {}),
    )


def _task(rollout: Rollout, rest: dict[str, Any]) -> Task:
    reference = [dict(one) for one in text.parse(rollout.reference or "[]")]
    return Task(
        query=rollout.task,
        goal=rollout.goal or None,
        goal_heading=rest["goal_heading"],
        inputs=_parsed(rollout.inputs),
        reference=tuple(Evidence(heading=one.pop("heading"), value=one.pop("value"), extra=one) for one in reference),
        extra=rest["extra"],
    )


def _model(rollout: Rollout, rest: dict[str, Any]) -> Model | None:
    return Model(rollout.model.name, ModelKind(rollout.model.kind), rest) if rollout.model else None


def _final(rollout: Rollout, rest: dict[str, Any]) -> Final | None:
    if rollout.final_answer is None:
        return None
    return Final(rollout.final_answer, _parsed(rollout.final_result), rest)


def _step_value(step: Step) -> StepValue:
    rest = text.parse(step.extra)
    return StepValue(
        kind=Kind(step.kind),
        actor=Actor(step.actor),
        thought=step.thought,
        text=step.text,
        tool=step.tool or None,
        arguments=_parsed(step.arguments),
        arguments_raw=step.arguments_raw,
        observation=ABSENT if step.observation is None else text.parse(step.observation),
        error=_error(step, rest.get("error", {})),
        group=step.group,
        call_id=step.call_id,
        source=step.source or None,
        match=step.match or None,
        aliased=step.aliased,
        started_at=step.started_at or None,
        ms=int(step.ms) if step.ms is not None and step.ms.is_integer() else step.ms,
        usage=_parsed(step.usage),
        extra=rest.get("step", {}),
    )


def _error(step: Step, rest: dict[str, Any]) -> StepError | None:
    return StepError(step.error_type, step.error_message, step.error_rule, rest) if step.error_rule else None


def _parsed(source: str | None) -> Any:
    return None if source is None else text.parse(source)
