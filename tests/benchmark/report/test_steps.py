"""Steps as anybody may read them."""

from collections.abc import Callable
from dataclasses import fields

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmark.core.formats import rite
from benchmark.models import Rollout
from benchmark.report.steps import (
    ShownStep,
    excerpt,
    prose,
    shown_steps,
    shown_steps_of_record,
    step_index,
    step_number,
)
from tests.benchmark.records import call, record, silent_case

Imported = Callable[..., list[Rollout]]


def test_a_shown_step_has_no_room_for_what_blind_readers_may_not_see() -> None:
    assert {field.name for field in fields(ShownStep)} == {
        *("number", "index", "kind", "actor", "thought", "text", "tool"),
        *("arguments", "arguments_json", "arguments_left", "observation", "characters", "is_new", "error"),
    }


def test_steps_are_numbered_over_prefix_and_continuation(imported: Imported) -> None:
    prefix, continuation = shown_steps(imported(silent_case())[0])
    assert [step.number for step in prefix] == ["P1"]
    assert [step.number for step in continuation] == ["R1", "R2", "R3"]
    assert [step.index for step in (*prefix, *continuation)] == [0, 1, 2, 3]


def test_a_row_and_its_record_show_the_same_steps(imported: Imported) -> None:
    source = silent_case()
    rows = shown_steps(imported(source)[0])
    assert rows == shown_steps_of_record(rite.from_record(source), frozenset({"R1", "R2", "R3"}))


def test_an_error_that_was_only_read_out_of_a_text_is_no_error_of_a_shown_step(imported: Imported) -> None:
    told = call("A", {}, {"status": "error", "error": {"type": "Timeout", "message": "late"}})
    guessed = call("B", {}, "Error: user not found", error={"type": "NotFound", "message": "user", "rule": "E3"})
    _, steps = shown_steps(imported(record("errors", [told, guessed]))[0])
    assert [step.error for step in steps] == [("Timeout", "late"), None]


def test_empty_null_and_missing_observations_are_told_apart(imported: Imported) -> None:
    missing = {"kind": "call", "actor": "agent", "tool": "C", "arguments": {}}
    _, steps = shown_steps(imported(record("nothing", [call("A", {}, ""), call("B", {}, None), missing]))[0])
    seen = [(step.observation and step.observation.head, step.characters) for step in steps]
    assert seen == [("", 0), ("null", 4), (None, 0)]


def test_a_megabyte_is_not_read_for_its_first_lines(imported: Imported) -> None:
    rollout = imported(record("long", [call("A", {}, "x" * 1_000_000) for _ in range(5)]))[0]
    with CaptureQueriesContext(connection) as queries:
        _, steps = shown_steps(rollout)
    assert len(queries) == 1
    assert 'SELECT "benchmark_step"."id"' in queries[0]["sql"]
    assert '"benchmark_step"."observation",' not in queries[0]["sql"]
    assert [(len(step.observation.head), step.observation.left) for step in steps if step.observation] == [
        (800, 999_200)
    ] * 5


def test_the_first_eight_lines_stand_and_the_rest_unfolds_without_a_lost_character() -> None:
    whole = "\n".join(f"line {number}" for number in range(1, 21))
    shown = excerpt(whole, len(whole))
    assert shown.head.split("\n")[-1] == "line 8"
    assert f"{shown.head}\n{shown.rest}" == whole
    assert shown.left == 0


def test_what_is_known_only_in_part_counts_what_is_to_be_fetched() -> None:
    shown = excerpt("x" * 1_000, 5_000)
    assert (len(shown.head), shown.rest, shown.left) == (800, "", 4_200)


def test_a_long_thought_unfolds_and_then_is_fetched() -> None:
    shown = prose("y" * 100_000)
    assert shown is not None
    assert (len(shown.head), len(shown.rest), shown.left) == (4_000, 12_000, 84_000)
    assert prose("  \n ") is None


@pytest.mark.parametrize(
    ("number", "index"),
    [
        ("P1", 0),
        ("P2", 1),
        ("R1", 2),
        ("R3", 4),
        ("P3", None),
        ("R4", None),
        ("R0", None),
        ("R-1", None),
        ("X1", None),
        ("", None),
        ("R²", None),
    ],
)
def test_a_number_names_a_step_or_nothing(number: str, index: int | None) -> None:
    assert step_index(number, prefix_count=2, step_count=3) == index
    if index is not None:
        assert step_number(index, 2) == number
