"""The list of rollouts: filters, pages, the part of a task that differs."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmark.models import AgentModel, Judgment, Rollout
from benchmark.report.rollouts import PAGE, counted, differing, narrowed, page
from tests.benchmark.records import call, record, silent_case

Imported = Callable[..., list[Rollout]]

OPENING = "You are a customer service agent of a shop and follow its policy. "


def test_only_the_part_of_a_task_that_differs_is_shown() -> None:
    shown = differing([OPENING + "Return the lamp.", OPENING + "Return the boots.", "Something else."])
    assert shown == [("lamp.", True), ("boots.", True), ("Something else.", False)]


def test_equal_tasks_and_short_common_beginnings_stay_whole() -> None:
    assert differing(["Return the lamp.", "Return the boots.", "Return the lamp."]) == [
        ("Return the lamp.", False),
        ("Return the boots.", False),
        ("Return the lamp.", False),
    ]
    assert differing([OPENING.strip(), OPENING + "More."])[0] == (OPENING.strip(), False)


def test_a_task_of_a_megabyte_is_one_short_line(imported: Imported) -> None:
    rollout = imported(
        record("long", [call("A", {}, "b")], task={"query": '"\\\u202e中😀' * 100_000, "reference": []})
    )[0]
    (line,) = page(Rollout.objects.filter(pk=rollout.pk)).lines
    assert line.task.startswith('"\\⟨U+202E⟩中😀"')
    assert len(line.task) < 2_000


@pytest.mark.parametrize("length", range(1_960, 2_010))
def test_a_task_cut_in_the_middle_of_an_escape_still_reads(imported: Imported, length: int) -> None:
    rollout = imported(
        record("cut", [call("A", {}, "b")], task={"query": "x" * length + "\ud800\x01" * 9, "reference": []})
    )[0]
    (line,) = page(Rollout.objects.filter(pk=rollout.pk)).lines
    assert line.task.startswith("xxxx")


def test_pages_hold_every_rollout_once(imported: Imported) -> None:
    every = imported(*(record(f"n{number}", [call("A", {"n": number}, "b")]) for number in range(2 * PAGE + 5)))
    seen: list[int] = []
    before = None
    while True:
        listed = page(Rollout.objects.all(), before)
        seen += [line.pk for line in listed.lines]
        if listed.older is None:
            break
        before = listed.older
    assert seen == sorted((rollout.pk for rollout in every), reverse=True)


@pytest.fixture
def mixed(imported: Imported) -> dict[str, int]:
    """Four rollouts that differ in every filter, by name."""
    silent, plain, other, excluded = imported(
        silent_case(),
        record("plain", [call("A", {}, "b", "Fine.")]),
        record("other", [call("A", {}, "c", "Fine.")], model={"name": "model-b", "kind": "llm"}),
        record("excluded", [call("A", {}, "d", "Fine.")]),
    )
    Rollout.objects.filter(pk=excluded.pk).update(excluded="R1: ToolExecutionError")
    for rollout, judge, label in (
        (silent, "rule/1", "unsolved"),
        (silent, "rule/1", "solved"),
        (plain, "rule/1", "solved"),
        (plain, "rule/1", "unsolved"),
        (plain, "llm/1", "solved"),
        (other, "rule/1", "judge_error"),
    ):
        Judgment.objects.create(rollout=rollout, judge=judge, label=label)
    return {"silent": silent.pk, "plain": plain.pk, "other": other.pk, "excluded": excluded.pk}


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({}, {"silent", "plain", "other", "excluded"}),
        ({"condition": "implicit"}, {"silent"}),
        ({"condition": "none"}, {"plain", "other", "excluded"}),
        ({"noticed": "yes"}, {"silent"}),
        ({"noticed": "no"}, {"plain", "other", "excluded"}),
        ({"refetch": "yes"}, {"silent"}),
        ({"refetch": "none"}, {"plain", "other", "excluded"}),
        ({"state": "recovered"}, {"silent"}),
        ({"state": "none"}, {"plain", "other", "excluded"}),
        ({"excluded": "yes"}, {"excluded"}),
        ({"excluded": "no"}, {"silent", "plain", "other"}),
        ({"judge": "rule/1", "result": "solved"}, {"silent"}),
        ({"judge": "rule/1", "result": "unsolved"}, {"plain"}),
        ({"judge": "llm/1", "result": "solved"}, {"plain"}),
        ({"judge": "rule/1", "result": "judge_error"}, {"other"}),
        ({"judge": "llm/1"}, {"plain"}),
        ({"result": "none"}, {"excluded"}),
        ({"condition": "implicit", "noticed": "no"}, set()),
    ],
)
def test_filters_leave_what_they_name(mixed: dict[str, int], said: dict[str, Any], names: set[str]) -> None:
    found = narrowed(said)
    assert {line.pk for line in page(found).lines} == {mixed[name] for name in names}
    assert counted(found) == len(names)


def test_filters_by_model_and_import(mixed: dict[str, int]) -> None:
    model = AgentModel.objects.get(name="model-b")
    batch = Rollout.objects.get(pk=mixed["plain"]).batch
    assert [line.pk for line in page(narrowed({"model": model})).lines] == [mixed["other"]]
    assert counted(narrowed({"batch": batch})) == 4


def test_the_result_that_stands_is_the_newest_that_is_no_error(mixed: dict[str, int]) -> None:
    results = {line.pk: dict(line.results) for line in page(Rollout.objects.all()).lines}
    assert results[mixed["silent"]] == {"rule/1": "solved"}
    assert results[mixed["plain"]] == {"rule/1": "unsolved", "llm/1": "solved"}
    assert results[mixed["other"]] == {"rule/1": "judge_error"}
