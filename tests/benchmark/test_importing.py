"""An import brings every record once and whole, or nothing."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmark import importing
from benchmark.actions.imports import import_now
from benchmark.core.formats import parallel
from benchmark.core.formats.preparing import PIECE_RECORDS
from benchmark.models import AgentModel, ImportBatch, Judgment, Rollout, Step, Unit
from benchmark.report.export import rollout_lines

pytestmark = pytest.mark.django_db

STEP_VALUES = ("kind", "actor", "tool", "arguments", "observation", "head", "characters", "is_new", "text")
DEMO = Path(__file__).parents[2] / "fixtures" / "sources" / "demo"


def chat(number: int, *, reward: float = 1.0, email: str = "") -> dict[str, Any]:
    """A τ-bench record of one lookup."""
    call = {"name": "get_order", "arguments": json.dumps({"order": f"#W{number}"})}
    return {
        "task_id": number,
        "reward": reward,
        "trial": 0,
        "info": {"task": {"instruction": "Find the price.", "actions": [], "outputs": ["54.10"]}},
        "traj": [
            {"role": "user", "content": f"What did order #W{number} cost? {email}"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": call}],
            },
            {"role": "tool", "tool_call_id": "c1", "name": "get_order", "content": '{"price": 54.10, "名": "灯 💡"}'},
            {"role": "assistant", "content": "It cost 54.10."},
        ],
    }


@pytest.fixture
def bring(tmp_path: Path) -> Callable[..., ImportBatch]:
    """Import records, or raw bytes, as the command line does."""

    def bring(content: list[dict[str, Any]] | bytes, name: str = "file.json", **said: Any) -> ImportBatch:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return import_now(path, on_progress=lambda batch: None, **said)

    return bring


def test_a_record_becomes_a_rollout_with_its_steps_and_its_labels(bring: Callable[..., ImportBatch]) -> None:
    batch = bring([chat(1)], model_name="some-model", source="our own run", licence="MIT")
    rollout = batch.rollouts.get()
    assert (batch.status, batch.read, batch.format) == ("done", 1, "chat")
    assert (rollout.status, rollout.model.name, rollout.final_answer) == ("finished", "some-model", "It cost 54.10.")
    call = rollout.steps.get(kind="call")
    assert (call.tool, call.arguments, call.observation) == (
        "get_order",
        '{"order":"#W1"}',
        '{"price":54.10,"名":"灯 💡"}',
    )
    assert rollout.judgments.get(judge="tau-bench/reward").label == "solved"


def test_the_same_record_twice_makes_nothing_twice_and_says_so(bring: Callable[..., ImportBatch]) -> None:
    bring([chat(1), chat(2)])
    again = bring([chat(2), chat(3), chat(3)], name="other.json")
    assert (again.read, again.known) == (1, 2)
    assert Rollout.objects.count() == 3


def test_records_stay_in_the_order_of_their_file(bring: Callable[..., ImportBatch]) -> None:
    batch = bring([chat(number) for number in range(PIECE_RECORDS + 5)])
    tasks = list(batch.rollouts.order_by("pk").values_list("task", flat=True))
    assert [task.split("#W")[1].split(" ")[0] for task in tasks] == [str(n) for n in range(PIECE_RECORDS + 5)]


def test_a_long_file_read_by_several_processes_gives_the_same_rows(
    bring: Callable[..., ImportBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [chat(number, email="someone@example.org" * (number % 3 == 0)) for number in range(90)]
    first = bring(records, masked=True)
    alone = _written(first)
    Rollout.objects.all().delete()
    monkeypatch.setattr(parallel, "processes_for", lambda size: 2)
    batch = bring(records, masked=True)
    assert _written(batch) == alone
    assert (batch.read, batch.findings) == (90, first.findings)
    assert batch.findings["email"] >= 30


def _written(batch: ImportBatch) -> list[Any]:
    rollouts = batch.rollouts.order_by("pk")
    return [
        list(
            rollouts.values_list("record_id", "locator", "record_sha256", "task", "labels", "reading", "matched_group")
        ),
        list(Step.objects.filter(rollout__in=rollouts).order_by("rollout", "index").values_list("index", *STEP_VALUES)),
        list(Judgment.objects.filter(rollout__in=rollouts).order_by("rollout").values_list("judge", "label")),
    ]


def test_a_file_that_breaks_off_leaves_the_readable_records_and_names_the_rest(
    bring: Callable[..., ImportBatch],
) -> None:
    lines = json.dumps(chat(1)) + "\n" + json.dumps(chat(2))[:-40] + "\n"
    batch = bring(lines.encode(), name="cut.jsonl")
    assert (batch.status, batch.read, batch.skipped) == ("done", 1, 1)
    assert "2" in batch.report["skipped"][0]["where"]


@pytest.mark.parametrize(
    "content",
    [b"", b"   ", b"\x00\x00\x00", "{“a”: 1}".encode("utf-16"), b"PK\x03\x04 broken", b"[" * 5000, b"just words"],
    ids=["empty", "blank", "nul", "utf-16", "broken zip", "deep", "prose"],
)
def test_a_file_that_is_no_trajectory_is_refused_in_a_sentence_and_leaves_nothing(
    bring: Callable[..., ImportBatch], content: bytes
) -> None:
    batch = bring(content)
    assert batch.status == "refused"
    assert batch.why.strip().endswith(".")
    assert not Rollout.objects.exists()


def test_an_import_that_fails_half_way_leaves_nothing_behind(
    bring: Callable[..., ImportBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = importing._write
    calls = []

    def break_at_the_second_piece(*args: Any) -> None:
        calls.append(args)
        if len(calls) == 2:
            raise OSError("No space left on device")
        written(*args)

    monkeypatch.setattr(importing, "_write", break_at_the_second_piece)
    with pytest.raises(OSError, match="No space left"):
        bring([chat(number) for number in range(PIECE_RECORDS + 1)])
    batch = ImportBatch.objects.get()
    assert (batch.status, Rollout.objects.count(), Step.objects.count()) == ("failed", 0, 0)
    assert "No space left on device" in batch.why


def test_a_cancelled_import_leaves_nothing_behind(bring: Callable[..., ImportBatch]) -> None:
    stream = io.BytesIO(json.dumps([chat(number) for number in range(PIECE_RECORDS + 1)]).encode())
    batch = ImportBatch.objects.create(file_name="file.json", status="running", format="chat")

    def cancel(batch: ImportBatch) -> None:
        ImportBatch.objects.filter(pk=batch.pk).update(cancel_asked=True)

    importing.carry_out(batch, stream, cancel)
    batch.refresh_from_db()
    assert (batch.status, batch.read, Rollout.objects.count()) == ("cancelled", 0, 0)


def test_an_import_taken_up_again_after_its_worker_died_counts_every_record_once(
    bring: Callable[..., ImportBatch],
) -> None:
    stream = io.BytesIO(json.dumps([chat(number) for number in range(PIECE_RECORDS + 1)]).encode())
    batch = ImportBatch.objects.create(file_name="file.json", status="running", format="chat")

    class Killed(BaseException):
        pass

    def die_at_the_second_piece(batch: ImportBatch) -> None:
        if batch.read:
            raise Killed

    with pytest.raises(Killed):
        importing.carry_out(batch, stream, die_at_the_second_piece)
    assert Rollout.objects.filter(status="running").count() == PIECE_RECORDS
    stream.seek(0)
    importing.carry_out(batch, stream, lambda batch: None)
    assert (batch.status, batch.read, batch.known) == ("done", PIECE_RECORDS + 1, 0)
    assert Rollout.objects.filter(status="finished").count() == PIECE_RECORDS + 1


def test_two_workers_told_of_one_import_do_it_once() -> None:
    batch = ImportBatch.objects.create(file_name="file.json", status="running")
    assert [ImportBatch.objects.claim(batch.pk, "running") for _ in range(3)] == [True, False, False]


def test_an_unfinished_import_is_in_no_rate_and_no_list(bring: Callable[..., ImportBatch]) -> None:
    bring([chat(1)])
    Rollout.objects.update(status="running")
    assert not Rollout.objects.retained().exists()


def test_masked_values_are_nowhere_in_the_database_and_equal_ones_stay_equal(
    bring: Callable[..., ImportBatch],
) -> None:
    batch = bring([chat(1, email="mei.lin@shop.example mei.lin@shop.example")], masked=True)
    rollout = batch.rollouts.get()
    held = json.dumps([list(rollout.steps.values_list()), rollout.task, rollout.labels, rollout.extra], default=str)
    assert "mei.lin" not in held
    assert rollout.task.count("⟨masked:email-1⟩") == 2
    assert batch.findings["email"] >= 2


@pytest.mark.parametrize("name", ["published_cases.jsonl", "hand_written.jsonl"])
def test_export_then_import_then_export_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    first = import_now(DEMO / name, on_progress=lambda batch: None)
    lines = "".join(rollout_lines(first.rollouts.all()))
    Judgment.objects.all().delete()
    Rollout.objects.all().delete()
    Unit.objects.all().delete()
    AgentModel.objects.all().delete()
    (tmp_path / "again.jsonl").write_text(lines, encoding="utf-8")
    second = import_now(tmp_path / "again.jsonl", on_progress=lambda batch: None)
    assert second.read == first.read > 0
    assert "".join(rollout_lines(second.rollouts.all())) == lines


def test_ugly_text_comes_back_as_it_was(bring: Callable[..., ImportBatch]) -> None:
    record = chat(1)
    ugly = "nul \x00, surrogate \ud800, right-to-left \u202e, <script>alert(1)</script>, 中文 👩‍🔧"
    record["traj"][0]["content"] = ugly
    rollout = bring([record]).rollouts.get()
    assert rollout.steps.get(index=0).text == ugly
    assert rollout.task == ugly


def test_exporting_does_not_ask_the_database_for_each_rollout(
    bring: Callable[..., ImportBatch], django_assert_num_queries: Any
) -> None:
    bring([chat(number) for number in range(30)])
    with django_assert_num_queries(3):
        assert len(list(rollout_lines(Rollout.objects.all()))) == 30


def test_foreign_words_of_any_kind_and_length_fit_the_columns_people_filter_by(
    bring: Callable[..., ImportBatch],
) -> None:
    ugly = "nul \x00 surrogate \ud800 " + "long " * 200
    record = {
        "format": "rite.rollout/1",
        "id": ugly,
        "model": {"name": ugly, "kind": "llm"},
        "intervention": ugly,
        "epoch": 2**40,
        "unit": {"format": "rite.unit/1", "id": ugly, "query": "q", "workflow": ugly, "trace": ugly},
        "steps": [{"kind": "call", "tool": ugly, "arguments": {}, "observation": 1, "started_at": ugly, "ms": 12.50}],
        "final": {"answer": ugly},
        "end": "answered",
        "labels": {"results": [{"judge": ugly, "label": "solved"}]},
    }
    batch = bring((json.dumps(record) + "\n").encode(), name="ugly.jsonl")
    assert (batch.status, batch.read) == ("done", 1), batch.report
    rollout = batch.rollouts.get()
    assert (rollout.epoch, rollout.final_answer, rollout.record_id) == (2**40, ugly, ugly)
    assert rollout.model.name.startswith("nul ␀ surrogate")
    assert json.loads("".join(rollout_lines(batch.rollouts.all())))["final"]["answer"] == ugly
