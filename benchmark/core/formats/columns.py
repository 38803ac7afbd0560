"""A labelled record as the columns that keep it: bare values, so that they can be made where there is no database.

`benchmark.models.records` goes the other way. Keep the two level.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.core import text
from benchmark.core.formats import rite
from benchmark.core.trajectory import ABSENT, Labels, Rollout, Step, StepError, Unit

HEAD_CHARACTERS = 1_000
NO_ERROR = StepError("", "", "")
STEP_COLUMNS = (
    *("index", "kind", "actor", "thought", "text", "tool", "arguments", "arguments_raw", "observation", "head"),
    *("characters", "is_new", "error_type", "error_message", "error_rule", "group", "call_id", "source", "match"),
    *("aliased", "started_at", "ms", "usage", "extra"),
)

StepRow = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """One record, not yet saved and its parts not yet tied to each other. `model` is name and kind.

    Steps are in the order of STEP_COLUMNS, as the database holds them: an import writes hundreds of thousands of them,
    and going through a model instance each would triple its time.
    """

    rollout: dict[str, Any]
    unit: dict[str, Any] | None
    model: tuple[str, str] | None
    judgments: list[dict[str, str]]
    steps: list[StepRow]


def columns_of(record: Rollout, *, is_new: Sequence[bool], reading: Any) -> Columns:
    """The columns of a labelled record. `is_new` says for each step whether its observation is in no earlier one."""
    labels = record.labels or Labels()
    rollout = {
        "record_id": record.id,
        "condition": record.condition.value if record.condition else "",
        "intervention": _short(record.intervention, 64),
        "epoch": record.epoch,
        "matched_group": matched_group(record),
        "prefix_count": len(record.prefix),
        "step_count": len(record.steps),
        "end": record.end.value if record.end else "",
        "usage": _written(record.usage),
        "reading": text.write(reading),
        "extra": _rest(record),
        "final_answer": record.final.answer if record.final else None,
        "final_result": _written(record.final.result) if record.final else None,
        **_asked(record),
        **_label_columns(labels),
    }
    values = (*record.prefix, *record.steps)
    return Columns(
        rollout=rollout,
        unit=_unit_columns(record.unit) if record.unit else None,
        model=(_short(record.model.name, 200), record.model.kind.value) if record.model else None,
        judgments=[
            {"judge": _short(judged.judge, 64), "label": judged.label.value, "rationale": judged.rationale}
            for judged in labels.results
        ],
        steps=[_step_row(index, step, new) for index, (step, new) in enumerate(zip(values, is_new, strict=True))],
    )


def matched_group(record: Rollout) -> str:
    """What the record's siblings share: its unit where RITE built one (it then names a trace), else its task's words."""
    if record.unit and record.unit.trace:
        return f"unit:{text.sha256(record.unit.id)[:32]}"
    return f"task:{text.sha256(text.norm(record.query) or record.id)[:32]}"


def _unit_columns(unit: Unit) -> dict[str, Any]:
    """The unit of an imported record; equal records have equal digests."""
    record = rite.unit_to_record(unit)
    slot = unit.slot
    return {
        "name": _short(unit.id, 200),
        "digest": text.sha256(record),
        "record": text.write(record),
        "workflow": _short(unit.workflow, 64),
        "trace": _short(unit.trace, 128),
        "leaf": unit.leaf.value if unit.leaf else "",
        "locus": slot.locus.value if slot else "",
        "position": (slot.position or "") if slot else "",
    }


def _asked(record: Rollout) -> dict[str, Any]:
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


def _rest(record: Rollout) -> str:
    """What has no column: unknown keys, by the part of the record they stood in."""
    task = record.task if record.unit is None else None
    parts: dict[str, Mapping[str, Any]] = {
        "record": record.extra,
        "model": record.model.extra if record.model else {},
        "final": record.final.extra if record.final else {},
        "task": {"goal_heading": task.goal_heading, "extra": task.extra} if task else {},
    }
    return text.write({part: rest for part, rest in parts.items() if rest})


def _label_columns(labels: Labels) -> dict[str, Any]:
    return {
        "noticed": labels.noticed,
        "producer_refetch": labels.producer_refetch,
        "refetch_valid": labels.refetch_valid,
        "state": labels.state.value if labels.state else "",
        "excluded": _short(labels.excluded, 200),
        "labels": text.write(rite.labels_to_record(labels)),
    }


def _step_row(index: int, step: Step, is_new: bool) -> StepRow:
    has_observation = step.observation is not ABSENT
    written = text.write(step.observation) if has_observation else None
    seen = step.observation if isinstance(step.observation, str) else written or ""
    error = step.error or NO_ERROR
    return (
        index,
        step.kind.value,
        step.actor.value,
        text.literal(step.thought),
        text.literal(step.text),
        text.literal(step.tool or ""),
        _written(step.arguments),
        text.literal(step.arguments_raw),
        written,
        text.literal(seen[:HEAD_CHARACTERS]),
        len(seen),
        is_new,
        text.literal(error.type),
        text.literal(error.message),
        error.rule,
        step.group,
        text.literal(step.call_id),
        step.source or "",
        step.match or "",
        step.aliased,
        _short(step.started_at, 64),
        None if step.ms is None else float(step.ms),
        _written(step.usage),
        _step_rest(step),
    )


def _step_rest(step: Step) -> str:
    if not step.extra and not (step.error and step.error.extra):
        return "{}"
    parts = {"step": step.extra, "error": step.error.extra if step.error else {}}
    return text.write({part: rest for part, rest in parts.items() if rest})


def _short(words: str | None, longest: int) -> str:
    """Foreign words for a column of plain text, which people filter by: what cannot be seen or stored made visible, cut."""
    return text.shown(words)[:longest] if words else ""


def _written(value: Any) -> str | None:
    return None if value is None else text.write(value)
