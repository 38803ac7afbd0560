"""The entrance for imports: forced formats, models, stopping half-way, and files nobody should have to fear."""

import io
import itertools
import json

import pytest

from benchmark.core.formats import rite
from benchmark.core.formats.reading import FORMATS, Record, Refused, open_records, with_model
from benchmark.core.trajectory import Model, Rollout

CALL = {"id": "c1", "type": "function", "function": {"name": "get_price", "arguments": '{"sku":"A1"}'}}
CHAT = {
    "messages": [
        {"role": "user", "content": "Price of A1?"},
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "9.50"},
        {"role": "assistant", "content": "9.50"},
    ]
}
ROLLOUT = {"format": "rite.rollout/1", "id": "r1", "steps": []}


def lines(*records: object) -> io.BytesIO:
    return io.BytesIO("".join(json.dumps(record) + "\n" for record in records).encode())


def read(*records: object, format: str = "auto") -> list[Record]:
    return list(open_records(lines(*records), "traces.jsonl", format))


def test_every_record_is_given_back_read_or_skipped_with_its_place():
    records = read(CHAT, {"messages": [{"role": "user", "content": "Hi"}]}, 5, CHAT)
    assert [(record.locator, record.rollout is not None) for record in records] == [
        ("line 1", True),
        ("line 2", False),
        ("line 3", False),
        ("line 4", True),
    ]
    assert records[1].skipped.startswith("nothing to import: no tool call was made.")
    assert records[2].skipped == "a record must be an object or a list of messages"
    assert records[0].sha256 == records[3].sha256


def test_records_of_a_list_are_found_again_by_their_byte():
    body = json.dumps([CHAT, CHAT]).encode()
    first, second = open_records(io.BytesIO(body), "traces.json")
    start = body.rindex(b'{"messages"')
    assert (first.locator, second.locator) == ("record 1 (byte 1)", f"record 2 (byte {start})")


def test_a_format_that_is_asked_for_is_read_whatever_the_content_says():
    assert [record.skipped for record in read(CHAT, format="rite.rollout/1")] == [
        'format must be "rite.rollout/1", and is missing; id is missing; steps is missing'
    ]
    assert read(ROLLOUT, format="rite.rollout/1")[0].rollout.id == "r1"
    agentdojo = {**CHAT, "suite_name": "shop", "user_task_id": "u1"}
    with pytest.raises(Refused, match="AgentDojo run"):
        read(agentdojo)
    assert read(agentdojo, format="chat")[0].rollout is not None
    assert read({"conversation": []}, format="chat")[0].skipped.startswith("no list of messages was found")


def test_a_format_nobody_knows_is_refused_with_those_that_can_be_asked_for():
    with pytest.raises(Refused) as refusal:
        read(CHAT, format="parquet")
    assert refusal.value.why == f"'parquet' is no format that can be asked for; ask for one of {', '.join(FORMATS)}."


def test_a_file_that_is_no_json_cannot_be_forced():
    with pytest.raises(Refused, match="traces.bin: Not a text file: the file is a PDF document"):
        next(open_records(io.BytesIO(b"%PDF-1.7"), "traces.bin", "chat"))


def test_reading_may_stop_anywhere_and_the_stream_is_still_the_callers():
    stream = lines(*[CHAT] * 5)
    assert len(list(itertools.islice(open_records(stream, "x"), 2))) == 2
    assert not stream.closed
    assert len(list(open_records(stream, "x"))) == 5


def test_a_model_is_named_only_where_the_record_says_none():
    unnamed, named = Rollout(id="a"), Rollout(id="b", model=Model("said"))
    assert with_model(unnamed, "asked").model == Model("asked")
    assert with_model(named, "asked").model == Model("said")
    assert with_model(unnamed, "").model is None


def test_a_value_nested_just_within_the_readers_reach_is_read_or_skipped_in_words():
    for depth in range(100, 1000, 60):
        deep = "[" * depth + "]" * depth
        message = {"role": "tool", "tool_call_id": "c1", "content": deep}
        record = {"messages": [*CHAT["messages"][:2], message]}
        (found,) = read(record)
        assert found.rollout is not None
        nested = json.dumps(CHAT)[:-1] + f',"deep":{deep}}}\n'
        (found,) = open_records(io.BytesIO(nested.encode()), "x")
        assert found.rollout is not None or found.skipped.endswith("nested too deeply")


def test_hostile_text_comes_through_unchanged():
    words = "NUL \x00, half \ud83d, ‮gnp‬, <script>alert(1)</script>, 中文 نمی‌شود 👩‍👩‍👧 " + "x" * 100_000
    record = json.loads(json.dumps(CHAT))
    record["messages"][2]["content"] = words
    (found,) = read(record)
    assert found.rollout.steps[1].observation == words
    (again,) = open_records(io.BytesIO(rite.write_line(found.rollout).encode()), "x")
    assert again.rollout == found.rollout
