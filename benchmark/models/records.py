"""Between a rollout as a value (core.trajectory) and as rows: the only place that knows both shapes."""

from collections.abc import Iterable, Mapping, Sequence
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
    StepError,
    Task,
)
from benchmark.core.trajectory import Rollout as RolloutValue
from benchmark.core.trajectory import (
    Step as StepValue,
)
from benchmark.core.trajectory import Unit as UnitValue
from benchmark.models.fields import foreign
from benchmark.models.rollout import HEAD_CHARACTERS, Judgment, Rollout, Step
from benchmark.models.unit import Unit

NO_ERROR = StepError("", "", "")
STEP_COLUMNS = (
    *("index", "kind", "actor", "thought", "text", "tool", "arguments", "arguments_raw", "observation", "head"),
    *("characters", "is_new", "error_type", "error_message", "error_rule", "group", "call_id", "source", "match"),
    *("aliased", "started_at", "ms", "usage", "extra"),
)

StepRow = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one record, not yet saved and not yet tied to each other.

    Steps are bare values in the order of STEP_COLUMNS, as the database holds them: an import writes hundreds of thousands
    of them, and going through a model instance each would triple its time.
    """

    rollout: Rollout
    steps: list[StepRow]
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


def rows_of(record: RolloutValue, *, is_new: Sequence[bool], reading: Any) -> Rows:
    """The rows of a labelled record. `is_new` says for each step whether its observation is in no earlier one."""
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
        extra=_rest(record),
        final_answer=record.final.answer if record.final else None,
        final_result=_written(record.final.result) if record.final else None,
        **_asked(record),
        **_label_columns(labels),
    )
    values = (*record.prefix, *record.steps)
    steps = [_step_row(index, step, new) for index, (step, new) in enumerate(zip(values, is_new, strict=True))]
    judgments = [
        Judgment(judge=judged.judge, label=judged.label.value, rationale=judged.rationale) for judged in labels.results
    ]
    return Rows(rollout, steps, judgments)


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


def _asked(record: RolloutValue) -> dict[str, Any]:
    """What the task columns hold: from the unit where there is one, else from the record's own task."""
    if record.unit:
        reference: list[Any] = [rite.step_to_record(step) for step in record.unit.reference]
        inputs, goal = record.unit.inputs, None
    elif record.task:
        reference = [{"heading": one.heading, "value": one.value, **one.extra} for one in record.task.reference]
        inputs, goal = record.task.inputs, record.task.goal
    else:
        reference, inputs, goal = [], None, None
    return {
        "task": record.query,
        "goal": goal or "",
        "inputs": _written(inputs),
        "reference": text.write(reference) if reference else None,
    }


def _rest(record: RolloutValue) -> str:
    """What has no column: unknown keys, by the part of the record they stood in."""
    task = record.task if record.unit is None else None
    parts: dict[str, Mapping[str, Any]] = {
        "record": record.extra,
        "model": record.model.extra if record.model else {},
        "final": record.final.extra if record.final else {},
        "task": {"goal_heading": task.goal_heading, "extra": task.extra} if task else {},
    }
    return text.write({part: rest for part, rest in parts.items() if rest})


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


def _label_columns(labels: Labels) -> dict[str, Any]:
    return {
        "noticed": labels.noticed,
        "producer_refetch": labels.producer_refetch,
        "refetch_valid": labels.refetch_valid,
        "state": labels.state.value if labels.state else "",
        "excluded": (labels.excluded or "")[:200],
        "labels": text.write(rite.labels_to_record(labels)),
    }


def _step_row(index: int, step: StepValue, is_new: bool) -> StepRow:
    has_observation = step.observation is not ABSENT
    written = text.write(step.observation) if has_observation else None
    seen = step.observation if isinstance(step.observation, str) else written or ""
    error = step.error or NO_ERROR
    return (
        index,
        step.kind.value,
        step.actor.value,
        foreign(step.thought),
        foreign(step.text),
        foreign(step.tool or ""),
        _written(step.arguments),
        foreign(step.arguments_raw),
        written,
        foreign(seen[:HEAD_CHARACTERS]),
        len(seen),
        is_new,
        foreign(error.type),
        foreign(error.message),
        error.rule,
        step.group,
        foreign(step.call_id),
        step.source or "",
        step.match or "",
        step.aliased,
        step.started_at or "",
        step.ms,
        _written(step.usage),
        _step_rest(step),
    )


def _step_rest(step: StepValue) -> str:
    if not step.extra and not (step.error and step.error.extra):
        return "{}"
    parts = {"step": step.extra, "error": step.error.extra if step.error else {}}
    return text.write({part: rest for part, rest in parts.items() if rest})


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


def _written(value: Any) -> str | None:
    return None if value is None else text.write(value)


def _parsed(source: str | None) -> Any:
    return None if source is None else text.parse(source)
