"""A file is told by its content; what is not read is refused in a sentence."""

import contextlib
import io
import json
import time
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.core.formats.reading import Refused, open_records
from benchmark.core.formats.sniff import recognise
from benchmark.core.formats.stream import Layout

CALL = {"id": "c1", "type": "function", "function": {"name": "get_price", "arguments": '{"sku":"A1"}'}}
MESSAGES = [
    {"role": "user", "content": "What does A1 cost?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"price":9.50}'},
    {"role": "assistant", "content": "9.50"},
]
ROLLOUT = {"format": "rite.rollout/1", "id": "r1", "steps": []}
NODE = {"id": "e1", "index": 1, "predecessor_node_id": None, "node_id": "n1", "status": "succeeded"}
DIFY_YAML = "app:\n  mode: workflow\nkind: app\nworkflow:\n  features: {}\n  graph:\n    nodes: []\n"
SSE = 'data: {"event": "workflow_started", "data": {}}\n\ndata: {"event": "node_finished", "data": {}}\n'


def dump(value) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def archive(*names: str) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as packed:
        for name in names:
            packed.writestr(name, "{}")
    return body.getvalue()


@pytest.mark.parametrize(
    ("body", "format", "told_by"),
    [
        (dump([{"traj": MESSAGES}]), "chat", "messages under the key traj"),
        (dump({"messages": MESSAGES}), "chat", "messages under the key messages"),
        (json.dumps({"messages": MESSAGES}, indent=2).encode(), "chat", "messages under the key messages"),
        (
            dump({"messages": MESSAGES}) + b"\n" + dump({"messages": MESSAGES}),
            "chat",
            "messages under the key messages",
        ),
        (dump(MESSAGES), "chat", "a list of messages, each with a role"),
        (dump(MESSAGES) + b"\n" + dump(MESSAGES) + b"\n", "chat", "lists of messages, each with a role"),
        (dump([{"scenario_id": "s", "fault_type": "A1", "steps": []}]), "agentcheck", "the keys fault_type and steps"),
        (dump(ROLLOUT), "rite.rollout/1", '"format": "rite.rollout/1"'),
        (b"\xef\xbb\xbf" + dump(ROLLOUT), "rite.rollout/1", '"format": "rite.rollout/1"'),
    ],
)
def test_formats_that_are_read_are_told_whatever_holds_the_records(body, format, told_by):
    seen = recognise(io.BytesIO(body))
    assert (seen.format, seen.told_by, seen.readable) == (format, told_by, True)


@pytest.mark.parametrize(
    ("body", "format", "why"),
    [
        (archive("header.json", "samples/1_epoch_1.json"), "inspect", "Inspect AI log (zip with header.json)"),
        (archive("_journal/start.json"), "inspect", "Inspect AI log (zip with _journal/)"),
        (dump({"version": 2, "status": "success", "eval": {}, "samples": []}), "inspect", "Inspect AI log (the keys"),
        (archive("run/results.json", "run/simulations/1.json"), "tau2", "τ²-bench results (zip with results.json"),
        (
            dump({"info": {}, "tasks": [], "simulations": []}),
            "tau2",
            "τ²-bench results (the keys simulations and tasks)",
        ),
        (
            dump({"resourceSpans": []}) + b"\n" + dump({"resourceSpans": []}),
            "otlp",
            "OpenTelemetry spans (the key resourceSpans)",
        ),
        (dump({"trace": {}, "observations": []}), "langfuse", "Langfuse export (the keys observations and trace)"),
        (dump({"id": "t", "observations": [{"traceId": "t"}]}), "langfuse", "Langfuse export (the key observations)"),
        (dump([{"id": "o", "parentObservationId": None}]), "langfuse", "Langfuse export (the key parentObservationId)"),
        (b"id,traceId,parentObservationId\n1,2,3\n", "langfuse", "Langfuse export (a table"),
        (DIFY_YAML.encode(), "dify-dsl", "Dify app (YAML with app and workflow.graph)"),
        (dump({"data": [NODE]}), "dify-run", "Dify workflow run (the key data)"),
        (SSE.encode(), "dify-run", "Dify workflow run (a saved event stream with node events)"),
        (dump({"nodes": [], "connections": {}}), "n8n", "n8n workflow (the keys connections and nodes)"),
        (dump({"suite_name": "bank", "user_task_id": "u", "messages": MESSAGES}), "agentdojo", "AgentDojo run"),
        (
            dump({"format": "rite.unit/1", "id": "u"}),
            "rite.unit/1",
            'RITE units ("format": "rite.unit/1"): recognised, not read yet.',
        ),
        (
            dump({"format": "rite.labels/1"}),
            "rite.labels/1",
            'RITE labels ("format": "rite.labels/1"): recognised, not read yet.',
        ),
        (dump({"format": "rite.rollout/9"}), "rite.rollout/9", "A RITE format unknown to this version"),
        (
            dump({"messages_display": "user: hi\nassistant: None"}) + b"\n",
            "display",
            "Transcript for display (the key messages_display): tool names and arguments are not in this file.",
        ),
    ],
)
def test_formats_that_are_not_read_are_refused_by_name_with_the_rule_that_told(body, format, why):
    seen = recognise(io.BytesIO(body))
    assert (seen.format, seen.readable) == (format, False)
    assert seen.why.startswith(why)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "An empty file: there is nothing in it."),
        (b"\xef\xbb\xbf \r\n", "An empty file: there is nothing in it."),
        (b"[]", "A JSON list: there are no records in it."),
        (b"[1, 2]", "A JSON list: there are no records in it. RITE reads"),
        (
            '[{"a": "ä"}]'.encode("utf-16"),
            "Not a text file: the file is UTF-16 text: save it as UTF-8 and bring it again.",
        ),
        (dump(MESSAGES).decode().encode("utf-16-le"), "Not a text file: the file is UTF-16 text"),
        ('[{"name": "Zoë, größer"}]'.encode("latin-1"), "Text in another encoding: line 1 is not UTF-8 (Latin-1,"),
        ('[\n{"名称": "耳机"}]'.encode("gb18030"), "Text in another encoding: line 2 is not UTF-8"),
        (b"\x00" * 300, "Not a text file: the file is binary: it begins with the bytes 00 00 00 00 00 00 00 00."),
        (b"\x01\x02\x03\xff", "Not a text file: the file is binary: it begins with the bytes 01 02 03 ff."),
        (b"\x1f\x8b\x08\x00", "Not a text file: the file is gzip-compressed: unpack it"),
        (b"%PDF-1.7", "Not a text file: the file is a PDF document."),
        (b"PK\x03\x04 cut off", "A zip archive: the archive cannot be opened"),
        (
            archive("a.json", "b.json"),
            "A zip archive: unpack it and bring the files inside. Seen in it: a.json, b.json.",
        ),
        (b"[" * 100_000, "A JSON list: its first record cannot be read: "),
        (
            b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
            "JSON Lines: its first record cannot be read: not JSON that can be read: nested",
        ),
        (
            b'{"a": 1, "a": 2}',
            "JSON Lines: its first record cannot be read: not JSON that can be read: the key 'a' stands",
        ),
        (
            b'{"weather": "fine", "city": "Bern"}',
            "JSON Lines: a record has the keys weather, city. RITE reads chat messages",
        ),
        (b"item,annotator\n1,A1\n", "Text that is not JSON: its first line is: item,annotator. RITE reads"),
        (dump(MESSAGES[0]) + b"\n" + dump(MESSAGES[1]), "One message a record: a record must hold all messages"),
    ],
)
def test_everything_else_is_refused_with_what_was_seen(body, why):
    seen = recognise(io.BytesIO(body))
    assert (seen.format, seen.readable) == ("", False)
    assert seen.why.startswith(why)
    with pytest.raises(Refused) as refusal:
        next(open_records(io.BytesIO(body), "some.file"))
    assert refusal.value.why == seen.why


def test_a_file_name_tells_nothing():
    with pytest.raises(Refused, match="PDF"):
        next(open_records(io.BytesIO(b"%PDF-1.7"), "trajectories.jsonl"))


def test_a_long_or_broken_document_is_still_told_by_its_keys():
    cut = b'{"info": {"git_commit": "x"}, "tasks": [{"id": "0"}], "simulations": [{"id": "u", "messages": ['
    assert recognise(io.BytesIO(cut)).format == "tau2"
    broken = b'{"task_id": 1, "traj": [{"role": "user", "role": "user"}], "reward": 1.0}'
    seen = recognise(io.BytesIO(broken))
    assert (seen.format, seen.readable) == ("chat", True)
    (record,) = open_records(io.BytesIO(broken), "broken.json")
    assert record.skipped == "not JSON that can be read: the key 'role' stands twice in one object"


def test_a_first_record_beyond_what_is_looked_at_is_told_by_its_beginning():
    steps = b'{"kind":"call","tool":"t","observation":"' + b"x" * 5_000_000 + b'"}'
    own = b'{"format":"rite.rollout/1","id":"r","steps":[' + steps + b"]}\n"
    assert recognise(io.BytesIO(own)).format == "rite.rollout/1"
    (record,) = open_records(io.BytesIO(own), "x")
    assert len(record.rollout.steps[0].observation) == 5_000_000
    strange = b'{"weather": "' + b"x" * 5_000_000 + b'"}'
    assert recognise(io.BytesIO(strange)).why == (
        "JSON Lines: its first record cannot be read: its beginning does not tell what it is. Keys seen: weather."
    )


@pytest.mark.parametrize(
    "body", [b"[" * 6_000_000, b'{"a":' * 2_000_000, b'{"traj": ["' + b'\\"a' * 3_000_000 + b'"]}', b'"' * 6_000_000]
)
def test_a_hostile_file_is_told_in_little_time(body):
    started = time.process_time()
    recognise(io.BytesIO(body))
    assert time.process_time() - started < 5


def test_a_few_bad_bytes_cost_only_their_records():
    body = dump({"messages": [*MESSAGES, {"role": "user", "content": "größer, schöner"}]}) + b'\n{"a": "\xff"}\n'
    records = list(open_records(io.BytesIO(body), "x"))
    assert [record.skipped for record in records] == [None, "not JSON that can be read: not UTF-8 text (byte 7)"]


def test_text_with_nul_bytes_is_read_as_it_is():
    body = dump({"messages": MESSAGES}).replace(b"What does", b"What\x00does")
    (record,) = open_records(io.BytesIO(body), "x")
    assert record.rollout.query == "What\x00does A1 cost?"


def test_the_stream_is_left_at_its_beginning():
    stream = io.BytesIO(dump(ROLLOUT))
    recognise(stream)
    assert stream.tell() == 0


@pytest.mark.parametrize(
    ("body", "layout"),
    [
        (b'{"a": 1}', Layout.LINES),
        (b'{"a": 1}\n{"a": 2}\n', Layout.LINES),
        (b'{\n"a": 1}\n', Layout.VALUES),
        (b'{"a": 1} {"a": 2}', Layout.VALUES),
        (b'[{"a": 1}]', Layout.LIST),
        (b'[\n{"a": 1}\n]', Layout.LIST),
    ],
)
def test_a_bare_record_a_list_and_lines_are_told_apart(body, layout):
    body = body.replace(b'"a": ', b'"format": "rite.rollout/1", "a": ')
    assert recognise(io.BytesIO(body)).layout is layout


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda words: words.encode("utf-8", "surrogatepass")))
def test_no_content_ever_raises(body):
    seen = recognise(io.BytesIO(body))
    assert seen.readable or seen.why.endswith(".")


@settings(deadline=None)
@given(st.data())
def test_a_cut_or_damaged_file_never_raises_anything_but_a_refusal(data):
    body = bytearray(dump([{"task_id": 1, "reward": 1.0, "traj": MESSAGES}, ROLLOUT]))
    for _ in range(data.draw(st.integers(0, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    body = body[: data.draw(st.integers(0, len(body)))]
    with contextlib.suppress(Refused):
        for record in open_records(io.BytesIO(bytes(body)), "x"):
            assert (record.rollout is None) == bool(record.skipped)
