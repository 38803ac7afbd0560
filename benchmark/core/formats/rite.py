"""RITE's own interchange formats: `rite.rollout/1` and `rite.unit/1` read and written, all three with their JSON Schema.

A record holds a whole trajectory, so that measures, judges and the case box need no database. Export, import and export
again give the same bytes. The error of a step is never taken from a record: it follows from the observation.
"""

import json
from dataclasses import replace
from importlib import resources
from typing import Any

from benchmark.core import text
from benchmark.core.formats.errors import RULES, error_of
from benchmark.core.formats.interchange import (
    ANY,
    FACTS,
    FLAG,
    INTEGER,
    NAME,
    NUMBER,
    OBJECT,
    SWITCH,
    TEXT,
    TEXTS,
    VALUE,
    VALUE_OR_NULL,
    VALUES,
    BadRecord,
    Key,
    Noun,
    mapping_of_texts,
    member,
    one,
    several,
    word,
)
from benchmark.core.formats.outcome import Notes, Read, Unreadable
from benchmark.core.taxonomy import Condition, End, Leaf, Locus, ModelKind, Position, ResultLabel, State
from benchmark.core.trajectory import (
    Actor,
    Evidence,
    Final,
    Judged,
    Kind,
    Labels,
    Model,
    Rollout,
    Slot,
    Step,
    StepError,
    Task,
    Tool,
    Unit,
)

FORMAT = "rite.rollout/1"
SCHEMAS = ("rite.rollout/1", "rite.unit/1", "rite.labels/1")


def from_record(record: Any, where: str = "") -> Rollout:
    """Read a `rite.rollout/1` object. Raises BadRecord with every missing or wrong key, after `where` (a line, a record)."""
    return _read(_ROLLOUT, record, where)


def to_record(rollout: Rollout) -> dict[str, Any]:
    """Write a rollout as an object: our keys in the published order, empty ones left out, unknown keys after them."""
    return _ROLLOUT.write(rollout)


def write_line(rollout: Rollout) -> str:
    """Write a rollout as one line of JSON Lines, line feed included."""
    return text.write(to_record(rollout)) + "\n"


def unit_from_record(record: Any, where: str = "") -> Unit:
    """Read a `rite.unit/1` object. Raises BadRecord."""
    return _read(_UNIT, record, where)


def unit_to_record(unit: Unit) -> dict[str, Any]:
    """Write a unit as an object."""
    return _UNIT.write(unit)


def labels_from_record(record: Any, where: str = "") -> Labels:
    """Read the `labels` object of a rollout. Raises BadRecord."""
    return _read(_LABELS, record, where)


def labels_to_record(labels: Labels) -> dict[str, Any]:
    """Write the automatic labels as the object under a rollout's `labels`."""
    return _LABELS.write(labels)


def step_from_record(record: Any, where: str = "") -> Step:
    """Read one step object. Raises BadRecord."""
    return _read(_STEP, record, where)


def step_to_record(step: Step) -> dict[str, Any]:
    """Write a step as an object."""
    return _STEP.write(step)


def schema(name: str) -> dict[str, Any]:
    """The published JSON Schema (draft 2020-12) of one of SCHEMAS."""
    file = resources.files(__package__) / "schemas" / f"{name.replace('/', '.')}.json"
    return json.loads(file.read_text(encoding="utf-8"))


def read(record: Any, sha256: str) -> Read:
    """Read one record of an import. Raises Unreadable with what is wrong in it."""
    try:
        rollout = from_record(record)
    except BadRecord as bad:
        raise Unreadable(str(bad)) from None
    return Read(rollout, _overruled(record, rollout))


def _overruled(record: dict[str, Any], rollout: Rollout) -> tuple[str, ...]:
    """What is said where a record's own word on a failed call is not what its observation says."""
    notes = Notes()
    stated = [step.get("error") for key in ("prefix", "steps") for step in record.get(key) or ()]
    for error, (number, step) in zip(stated, rollout.numbered(), strict=True):
        if error and (step.error is None or (error["type"], error["rule"]) != (step.error.type, step.error.rule)):
            notes.add("the error in the record does not follow from the observation and was set anew", number)
    return notes.sentences()


def _read(noun: Noun, record: Any, where: str) -> Any:
    problems: list[str] = []
    value = noun.read(record, "", problems)
    if problems:
        raise BadRecord(where, problems)
    return value


def _step_demands(record: dict[str, Any]) -> tuple[str, ...]:
    return ("tool",) if record.get("kind") == Kind.CALL.value else ()


def _with_its_error(step: Step) -> Step:
    error = error_of(step)
    return step if error == step.error else replace(step, error=error)


_ERROR = Noun(
    StepError,
    {"type": Key(TEXT, True, True), "message": Key(TEXT, True, True), "rule": Key(word(*RULES), True)},
)
_STEP = Noun(
    Step,
    {
        "kind": Key(member(Kind), required=True),
        "actor": Key(member(Actor)),
        "thought": Key(TEXT),
        "text": Key(TEXT),
        "tool": Key(NAME),
        "arguments": Key(OBJECT),
        "arguments_raw": Key(TEXT),
        "observation": Key(VALUE_OR_NULL),
        "error": Key(one(_ERROR)),
        "group": Key(INTEGER),
        "call_id": Key(TEXT),
        "source": Key(word("recorded", "replay", "live", "none")),
        "match": Key(word("exact", "canonical", "sequence", "live", "none")),
        "aliased": Key(SWITCH),
        "started_at": Key(TEXT),
        "ms": Key(NUMBER),
        "usage": Key(OBJECT),
    },
    demands=_step_demands,
    settle=_with_its_error,
)
_SLOT = Noun(
    Slot,
    {
        "name": Key(TEXT),
        "producers": Key(TEXTS),
        "pointers": Key(TEXTS),
        "consumer": Key(TEXT),
        "downstream": Key(TEXTS),
        "locus": Key(member(Locus)),
        "f": Key(NUMBER),
        "position": Key(word(*(position.value for position in Position))),
        "entity": Key(OBJECT),
    },
)
_TOOL = Noun(
    Tool,
    {
        "name": Key(NAME, required=True),
        "description": Key(TEXT),
        "aliases": Key(TEXTS),
        "arguments_schema": Key(OBJECT),
        "entity_keys": Key(TEXTS),
        "role": Key(word("workflow", "corroborating", "side_effect")),
        "sequence": Key(SWITCH),
    },
)
_UNIT = Noun(
    Unit,
    {
        "id": Key(NAME, required=True),
        "workflow": Key(TEXT),
        "trace": Key(TEXT),
        "clock": Key(INTEGER),
        "query": Key(TEXT, required=True, always=True),
        "instruction": Key(TEXT),
        "inputs": Key(VALUE),
        "answer_keys": Key(OBJECT),
        "slot": Key(one(_SLOT)),
        "leaf": Key(member(Leaf)),
        "gold": Key(VALUE_OR_NULL),
        "polluted": Key(VALUE_OR_NULL),
        "explicit": Key(OBJECT),
        "cue": Key(word("none", "weak", "strong")),
        "constraint": Key(OBJECT),
        "reference": Key(several(_STEP)),
        "why_silent": Key(TEXT),
        "unchanged": Key(TEXT),
        "elided_steps": Key(VALUES),
        "gold_in_inputs": Key(FLAG),
        "output_changing": Key(FLAG),
        "toolbox": Key(several(_TOOL)),
        "licence": Key(TEXT),
        "source": Key(TEXT),
        "canary": Key(TEXT),
    },
    format="rite.unit/1",
)
_EVIDENCE = Noun(
    Evidence, {"heading": Key(TEXT, required=True, always=True), "value": Key(ANY, required=True, always=True)}
)
_TASK = Noun(
    Task,
    {
        "query": Key(TEXT, required=True, always=True),
        "goal": Key(TEXT),
        "goal_heading": Key(TEXT),
        "inputs": Key(VALUE),
        "reference": Key(several(_EVIDENCE)),
    },
)
_MODEL = Noun(Model, {"name": Key(NAME, required=True), "kind": Key(member(ModelKind))})
_FINAL = Noun(Final, {"answer": Key(TEXT, required=True, always=True), "result": Key(OBJECT)})
_JUDGED = Noun(
    Judged,
    {
        "judge": Key(NAME, required=True),
        "label": Key(member(ResultLabel), required=True),
        "rationale": Key(TEXT),
    },
)
_LABELS = Noun(
    Labels,
    {
        "noticed": Key(FLAG),
        "noticed_evidence": Key(OBJECT),
        "producer_refetch": Key(FLAG),
        "refetch_valid": Key(FLAG),
        "state": Key(member(State)),
        "excluded": Key(TEXT),
        "why_null": Key(mapping_of_texts()),
        "results": Key(several(_JUDGED)),
        "diagnostics": Key(FACTS),
    },
)
_ROLLOUT = Noun(
    Rollout,
    {
        "id": Key(NAME, required=True),
        "model": Key(one(_MODEL)),
        "condition": Key(member(Condition)),
        "intervention": Key(TEXT),
        "epoch": Key(INTEGER),
        "unit": Key(one(_UNIT)),
        "task": Key(one(_TASK)),
        "prefix": Key(several(_STEP)),
        "steps": Key(several(_STEP), required=True, always=True),
        "final": Key(one(_FINAL)),
        "end": Key(member(End)),
        "usage": Key(OBJECT),
        "labels": Key(one(_LABELS)),
    },
    format=FORMAT,
)
