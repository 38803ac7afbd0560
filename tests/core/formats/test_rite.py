"""Our interchange: what is exported comes back the same, and the published schemas say what the reader does."""

import io
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from benchmark.core import text
from benchmark.core.formats import rite
from benchmark.core.formats.interchange import BadRecord
from benchmark.core.formats.reading import open_records
from benchmark.core.taxonomy import Condition, End, Leaf, Locus, ModelKind, ResultLabel, State
from benchmark.core.trajectory import (
    ABSENT,
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

WORDS = st.text(st.characters(codec=None), max_size=12)
NAME = st.text(st.characters(codec=None), min_size=1, max_size=12)
NUMBER = st.from_regex(r"-?(0|[1-9][0-9]{0,6})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?", fullmatch=True).map(text.parse)
JSON = st.recursive(
    st.none() | st.booleans() | WORDS | NUMBER,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)
OBJECT = st.dictionaries(WORDS, JSON, max_size=3)
EXTRA = st.dictionaries(st.text(min_size=1, max_size=5).map("x_{}".format), JSON, max_size=2)
MAYBE = st.none()
FLAG = st.none() | st.booleans()
TEXTS = st.lists(WORDS, max_size=3).map(tuple)
FAILURES = st.sampled_from(
    [
        "Error: gone",
        {"status": "error", "error": {"type": "ToolExecutionError", "message": "m"}},
        {"error": "x"},
        "",
        ABSENT,
    ]
)


def members(choices: Any) -> st.SearchStrategy:
    return st.none() | st.sampled_from(choices)


STEP = st.builds(
    Step,
    kind=st.just(Kind.CALL),
    actor=st.sampled_from(Actor),
    thought=MAYBE | WORDS,
    tool=NAME,
    arguments=MAYBE | OBJECT,
    arguments_raw=MAYBE | WORDS,
    observation=FAILURES | JSON,
    error=MAYBE | st.builds(StepError, WORDS, WORDS, st.sampled_from(["E1", "E2", "envelope"])),
    group=MAYBE | st.integers(0, 9),
    call_id=MAYBE | WORDS,
    source=members(["recorded", "replay", "live", "none"]),
    match=members(["exact", "canonical", "sequence", "live", "none"]),
    aliased=st.booleans(),
    started_at=MAYBE | WORDS,
    ms=MAYBE | st.integers(0, 99) | st.floats(0, 1e6),
    usage=MAYBE | OBJECT,
    extra=EXTRA | st.builds(dict, is_error=st.booleans() | WORDS),
) | st.builds(Step, kind=st.just(Kind.MESSAGE), actor=st.sampled_from(Actor), text=MAYBE | WORDS, thought=MAYBE | WORDS)
STEPS = st.lists(STEP, max_size=3).map(tuple)
UNIT = st.builds(
    Unit,
    id=NAME,
    query=WORDS,
    slot=MAYBE
    | st.builds(
        Slot,
        producers=TEXTS,
        pointers=TEXTS,
        locus=st.sampled_from(Locus),
        name=MAYBE | WORDS,
        f=MAYBE | st.floats(0, 1),
        position=members(["early", "middle", "late"]),
        entity=MAYBE | OBJECT,
        extra=EXTRA,
    ),
    clock=MAYBE | st.integers(0, 2**40),
    instruction=MAYBE | WORDS,
    inputs=JSON,
    leaf=members(Leaf),
    gold=JSON | st.just(ABSENT),
    polluted=JSON | st.just(ABSENT),
    explicit=MAYBE | OBJECT,
    cue=members(["none", "weak", "strong"]),
    constraint=MAYBE | OBJECT,
    reference=STEPS,
    elided_steps=st.lists(JSON, max_size=2).map(tuple),
    gold_in_inputs=FLAG,
    output_changing=FLAG,
    toolbox=st.lists(
        st.builds(Tool, name=NAME, aliases=TEXTS, arguments_schema=MAYBE | OBJECT, sequence=st.booleans(), extra=EXTRA),
        max_size=2,
    ).map(tuple),
    licence=MAYBE | WORDS,
    extra=EXTRA,
)
LABELS = st.builds(
    Labels,
    noticed=FLAG,
    noticed_evidence=MAYBE | OBJECT,
    producer_refetch=FLAG,
    state=members(State),
    excluded=MAYBE | WORDS,
    why_null=st.dictionaries(WORDS, WORDS, max_size=2),
    results=st.lists(
        st.builds(Judged, judge=NAME, label=st.sampled_from(ResultLabel), rationale=WORDS, extra=EXTRA), max_size=2
    ).map(tuple),
    diagnostics=OBJECT,
    extra=EXTRA,
)
ROLLOUT = st.builds(
    Rollout,
    id=NAME,
    model=MAYBE | st.builds(Model, NAME, st.sampled_from(ModelKind), EXTRA),
    condition=members(Condition),
    intervention=MAYBE | WORDS,
    epoch=st.integers(0, 9),
    unit=MAYBE | UNIT,
    task=MAYBE
    | st.builds(
        Task,
        query=WORDS,
        goal=MAYBE | WORDS,
        inputs=JSON,
        reference=st.lists(st.builds(Evidence, heading=WORDS, value=JSON, extra=EXTRA), max_size=2).map(tuple),
        extra=EXTRA,
    ),
    prefix=STEPS,
    steps=STEPS,
    final=MAYBE | st.builds(Final, WORDS, MAYBE | OBJECT, EXTRA),
    end=members(End),
    usage=MAYBE | OBJECT,
    labels=MAYBE | LABELS,
    extra=EXTRA,
)


@given(ROLLOUT)
@settings(max_examples=100, deadline=None)
def test_export_import_and_export_again_give_the_same_bytes(rollout):
    first = rite.write_line(rollout).encode()
    (record,) = open_records(io.BytesIO(first), "export.jsonl")
    assert record.skipped is None
    assert rite.write_line(record.rollout).encode() == first


@given(ROLLOUT)
@settings(max_examples=40, deadline=None)
def test_what_we_write_is_valid_by_the_published_schema(rollout):
    assert problems("rite.rollout/1", json.loads(rite.write_line(rollout))) == []


@cache
def validator(name: str) -> Draft202012Validator:
    schemas = {schema["$id"]: Resource.from_contents(schema) for schema in map(rite.schema, rite.SCHEMAS)}
    return Draft202012Validator(rite.schema(name), registry=Registry().with_resources(schemas.items()))


def problems(name: str, record: Any) -> list[str]:
    """What the published schema finds wrong in a record."""
    return [error.message for error in validator(name).iter_errors(record)]


def full_record() -> dict[str, Any]:
    """A record with every key that the format knows."""
    step = {
        "kind": "call",
        "actor": "agent",
        "thought": "Check it.",
        "tool": "GetPrice",
        "arguments": {"sku": "A1"},
        "observation": {"status": "ok", "data": {"price": 9.5}},
        "group": 1,
        "call_id": "c1",
        "source": "replay",
        "match": "exact",
        "aliased": True,
        "started_at": "2026-12-01T08:00:00Z",
        "ms": 12.5,
        "usage": {"prompt_tokens": 3},
    }
    failed = {"kind": "call", "actor": "agent", "tool": "GetPrice", "arguments_raw": "{", "observation": "Error: gone"}
    failed["error"] = {"type": "Error", "message": "gone", "rule": "E2"}
    slot = {"name": "wf01.s1", "producers": ["GetPrice"], "pointers": ["/data/price"], "consumer": "Quote"}
    slot |= {"downstream": ["n9"], "locus": "tool_output", "f": 0.25, "position": "middle", "entity": {"sku": "A1"}}
    tool = {"name": "GetPrice", "description": "Price of an article.", "aliases": ["get_price"], "arguments_schema": {}}
    tool |= {"entity_keys": ["sku"], "role": "workflow", "sequence": True}
    unit = {"format": "rite.unit/1", "id": "wf01-c01-s01", "workflow": "wf01", "trace": "wf01-c01", "clock": 1788192000}
    unit |= {
        "query": "Price of A1?",
        "instruction": "Use tools.",
        "inputs": {"sku": "A1"},
        "answer_keys": {"p": "money"},
    }
    unit |= {"slot": slot, "leaf": "numeric_bucket_shift", "gold": 9.5, "polluted": 8.0, "explicit": {"kind": "error"}}
    unit |= {"cue": "none", "constraint": {"required": []}, "reference": [step], "why_silent": "Plausible."}
    unit |= {"unchanged": "All else.", "elided_steps": ["P3"], "gold_in_inputs": False, "output_changing": True}
    unit |= {"toolbox": [tool], "licence": "CC-BY-4.0", "source": "made up", "canary": "c0"}
    labels = {
        "noticed": True,
        "noticed_evidence": {"signal_step": "R1"},
        "producer_refetch": True,
        "refetch_valid": False,
    }
    labels |= {"state": "residual", "excluded": "spoiled", "why_null": {"noticed": "no text"}}
    labels |= {"results": [{"judge": "rule/1", "label": "solved", "rationale": "Right."}], "diagnostics": {"d": 1}}
    record = {
        "format": "rite.rollout/1",
        "id": "r1",
        "model": {"name": "m", "kind": "scripted"},
        "condition": "implicit",
    }
    record |= {"intervention": "state_checker", "epoch": 2, "unit": unit}
    record |= {"task": {"query": "Q", "goal": "G", "goal_heading": "H", "inputs": [1], "reference": []}}
    record["task"]["reference"] = [{"heading": "Expected", "value": None}]
    record |= {"prefix": [step], "steps": [failed, {"kind": "message", "actor": "user", "text": "Thanks"}]}
    return record | {
        "final": {"answer": "9.50", "result": {"p": 9.5}},
        "end": "answered",
        "usage": {"prompt_tokens": 9},
        "labels": labels,
        "unknown": {"kept": [1.0]},
    }


def test_every_key_of_the_format_survives_in_the_published_order():
    record = full_record()
    assert json.dumps(rite.to_record(rite.from_record(record))) == json.dumps(record)
    assert problems("rite.rollout/1", record) == []


def test_our_keys_are_written_in_order_and_unknown_ones_after_them_as_read():
    turned = dict(reversed(full_record().items()))
    written = list(rite.to_record(rite.from_record({"zz": 1, **turned, "aa": 2})))
    assert written == [*full_record(), "aa"][:-2] + ["zz", "unknown", "aa"]


def test_numbers_keep_their_last_zero_from_import_to_export():
    line = '{"format":"rite.rollout/1","id":"r","epoch":0,"steps":[{"kind":"call","actor":"agent","tool":"t","observation":321.10}]}\n'
    assert rite.write_line(rite.from_record(text.parse(line))) == line


def test_empty_keys_are_left_out():
    written = rite.write_line(Rollout(id="r", steps=(Step(tool="t", arguments={}, observation=None),)))
    assert written == (
        '{"format":"rite.rollout/1","id":"r","epoch":0,'
        '"steps":[{"kind":"call","actor":"agent","tool":"t","arguments":{},"observation":null}]}\n'
    )


def test_an_error_names_the_line_and_every_key():
    record = {
        "format": "rite.rollout/1",
        "steps": [{"kind": "call"}, {"kind": "dance"}, 5],
        "epoch": 1.5,
        "unit": {"id": "u"},
    }
    with pytest.raises(BadRecord) as bad:
        rite.from_record(record, where="line 3")
    assert str(bad.value) == (
        'line 3: epoch must be a whole number; unit/format must be "rite.unit/1", and is missing; unit/query is missing; '
        "steps/0/tool is missing; steps/1/kind must be one of call, message; steps/2 must be an object; id is missing"
    )


def test_a_bad_record_of_a_file_is_skipped_with_its_reason_and_the_next_one_read():
    lines = b'{"format":"rite.rollout/1","id":"a","steps":[]}\n{"format":"rite.rollout/1","id":"b"}\n'
    good, bad = open_records(io.BytesIO(lines), "x")
    assert (good.rollout.id, bad.rollout) == ("a", None)
    assert (bad.locator, bad.skipped) == ("line 2", "steps is missing")


def test_a_records_own_word_on_failure_never_outweighs_its_observation():
    step = {"kind": "call", "tool": "t", "observation": {"status": "ok"}}
    step["error"] = {"type": "ToolExecutionError", "message": "x", "rule": "envelope"}
    record = {
        "format": "rite.rollout/1",
        "id": "r",
        "steps": [step, {"kind": "call", "tool": "t", "observation": "Error: y"}],
    }
    found = rite.read(record, "0" * 64)
    assert [step.error and step.error.rule for step in found.rollout.steps] == [None, "E2"]
    assert found.warnings == ("the error in the record does not follow from the observation and was set anew (R1)",)


def _holders(value: Any) -> list[Any]:
    holders = [value]
    for holder in holders:
        inner = holder.values() if isinstance(holder, dict) else holder
        holders.extend(item for item in inner if isinstance(item, dict | list))
    return [holder for holder in holders if holder]


JUNK = st.sampled_from(
    [None, True, 0, 1.5, 2.0, "", "call", "x", [], ["x"], [1], {}, {"a": "b"}, {"kind": "call", "tool": "t"}]
)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_the_reader_and_the_published_schema_accept_the_same_records(data):
    record = json.loads(json.dumps(full_record()))
    holder = data.draw(st.sampled_from(_holders(record)))
    key = data.draw(st.sampled_from(list(holder) if isinstance(holder, dict) else range(len(holder))))
    if data.draw(st.booleans()):
        holder[key] = data.draw(JUNK)
    else:
        del holder[key]
    refused = ""
    try:
        rite.from_record(record)
    except BadRecord as bad:
        refused = str(bad)
    assert bool(refused) == bool(problems("rite.rollout/1", record)), refused


@pytest.mark.parametrize("name", rite.SCHEMAS)
def test_every_published_schema_is_a_schema_and_describes_each_of_its_keys(name):
    schema = rite.schema(name)
    Draft202012Validator.check_schema(schema)
    described = {key: value for key, value in schema["properties"].items() if key != "format"}
    assert all(value.get("description") for value in described.values())


def test_a_label_record_is_described_by_its_schema():
    blind = {"format": "rite.labels/1", "study": "s", "item": "i", "rollout": "r", "annotator": "A3", "stage": "blind"}
    blind |= {"result": True, "noticed": None, "evidence": {"result": ["R9"], "noticed": []}, "guidelines": 2}
    blind |= {
        "first_shown": "2026-12-01T08:00:00Z",
        "submitted": "2026-12-01T08:01:02Z",
        "active_seconds": 61.2,
        "void": None,
    }
    review = {**blind, "stage": "review", "version": 2, "result": "agree", "noticed": "unsure", "comment": "Close."}
    assert problems("rite.labels/1", blind) == []
    assert problems("rite.labels/1", review) == []
    assert problems("rite.labels/1", {**blind, "result": "agree"})
    assert problems("rite.labels/1", {**review, "result": True})
    assert problems("rite.labels/1", {**blind, "annotator": "Ann Lee"})


def test_parts_of_a_record_are_read_and_written_alone():
    record = full_record()
    assert rite.unit_to_record(rite.unit_from_record(record["unit"])) == record["unit"]
    assert rite.labels_to_record(rite.labels_from_record(record["labels"])) == record["labels"]
    assert rite.step_to_record(rite.step_from_record(record["prefix"][0])) == record["prefix"][0]
