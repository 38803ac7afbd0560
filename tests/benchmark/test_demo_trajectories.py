"""The demo's trajectories carry the labels they were written to show, by the real measures."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from benchmark.core.formats import reading, rite
from benchmark.core.labelling.diagnoses import MARKS, label_and_read
from benchmark.core.taxonomy import Condition, Leaf, Locus, State
from benchmark.core.trajectory import Kind, Rollout

FOLDER = settings.ROOT / "fixtures" / "sources" / "demo"
FILES = ("published_cases.jsonl", "hand_written.jsonl")
YES, NO = True, False
RECOVERED, RESIDUAL, NEITHER = State.RECOVERED, State.RESIDUAL, State.NEITHER

# Noticed, producer refetch, a valid refetch, observation state, result: worked out by hand when the records were written.
WRITTEN_TO_SHOW: dict[str, tuple[Any, ...]] = {
    "case1-interval-s1-implicit-published": (YES, YES, YES, RECOVERED, "unsolved"),
    "case2-articles-s1-implicit-published": (NO, NO, NO, RESIDUAL, "unsolved"),
    "case1-interval-s1-correct-a": (NO, NO, NO, RECOVERED, "solved"),
    "case1-interval-s1-explicit-b": (NO, NO, NO, NEITHER, "unsolved"),
    "case1-interval-s1-implicit-c": (YES, YES, YES, RECOVERED, "solved"),
    "case1-interval-s1-implicit-d": (NO, YES, YES, NEITHER, "solved"),
    "case1-interval-s1-explicit-e": (YES, YES, YES, RECOVERED, "solved"),
    "case2-articles-s1-correct-a": (NO, NO, NO, RECOVERED, "solved"),
    "case2-articles-s1-implicit-b": (YES, YES, YES, RECOVERED, "solved"),
    "case2-articles-s1-explicit-c": (YES, YES, YES, RECOVERED, "solved"),
    "case2-articles-s1-implicit-d": (NO, NO, NO, RESIDUAL, "solved"),
    "demo-cart-s1-correct-a": (NO, NO, NO, RECOVERED, "solved"),
    "demo-cart-s1-implicit-b": (NO, NO, NO, RESIDUAL, "unsolved"),
    "demo-cart-s1-implicit-c": (YES, NO, NO, RESIDUAL, "solved"),
    "demo-cart-s1-explicit-d": (YES, YES, YES, RECOVERED, "solved"),
    "demo-cart-s1-explicit-e": (NO, NO, NO, NEITHER, "unsolved"),
    "demo-cart-s1-implicit-f": (NO, NO, NO, RESIDUAL, "unsolved"),
    "demo-cart-s1-explicit-g": (None, None, None, None, None),
    "demo-return-s1-correct-a": (NO, NO, NO, RECOVERED, "solved"),
    "demo-return-s1-implicit-b": (NO, NO, NO, RESIDUAL, "unsolved"),
    "demo-return-s1-implicit-c": (NO, YES, YES, RECOVERED, "solved"),
    "demo-return-s1-explicit-d": (NO, NO, NO, NEITHER, "unsolved"),
    "demo-return-s1-explicit-e": (NO, YES, YES, RECOVERED, "solved"),
    "demo-member-s1-correct-a": (NO, NO, NO, RECOVERED, "solved"),
    "demo-member-s1-implicit-b": (YES, NO, NO, RESIDUAL, "solved"),
    "demo-member-s1-implicit-c": (NO, NO, NO, RESIDUAL, "unsolved"),
    "demo-member-s1-explicit-d": (NO, NO, NO, NEITHER, "solved"),
    "demo-member-s1-correct-e": (YES, YES, YES, RECOVERED, "solved"),
    "demo-audit-s1-correct-a": (NO, NO, NO, RECOVERED, "solved"),
    "demo-audit-s1-implicit-b": (NO, NO, NO, RESIDUAL, "unsolved"),
    "demo-audit-s1-implicit-c": (YES, YES, YES, RECOVERED, "solved"),
    "demo-audit-s1-explicit-d": (YES, YES, YES, RECOVERED, "solved"),
    "demo-audit-s1-correct-e": (NO, NO, NO, RECOVERED, "unsolved"),
    "demo-audit-s1-implicit-f": (NO, NO, NO, RESIDUAL, "unsolved"),
    "demo-search-s1-correct-a": (NO, NO, NO, RECOVERED, "solved"),
    "demo-search-s1-implicit-b": (NO, NO, NO, RESIDUAL, "unsolved"),
    "demo-search-s1-implicit-c": (YES, YES, YES, RECOVERED, "solved"),
    "demo-search-s1-implicit-d": (NO, NO, NO, RESIDUAL, "solved"),
    "demo-search-s1-explicit-e": (YES, YES, YES, RECOVERED, "solved"),
    "demo-stock-s1-correct-a": (NO, NO, NO, RECOVERED, "solved"),
    "demo-stock-s1-implicit-b": (NO, NO, NO, RESIDUAL, "unsolved"),
    "demo-stock-s1-implicit-c": (YES, YES, YES, RECOVERED, "solved"),
    "demo-stock-s1-implicit-d": (YES, YES, NO, RESIDUAL, "unsolved"),
    "demo-stock-s1-implicit-e": (YES, NO, NO, RESIDUAL, "unsolved"),
    "demo-stock-s1-explicit-f": (YES, YES, NO, NEITHER, "unsolved"),
    "demo-chat-1": (NO, None, None, None, None),
}


def rollouts() -> Iterator[Rollout]:
    """Every record of the demo's own files, by the reader that imports use."""
    for name in FILES:
        with (FOLDER / name).open("rb") as stream:
            for record in reading.open_records(stream, name):
                assert record.rollout, f"{name}, {record.locator}: {record.skipped}"
                assert record.warnings == (), f"{name}, {record.locator}"
                yield record.rollout


@pytest.fixture(scope="module")
def demo() -> dict[str, Rollout]:
    return {rollout.id: rollout for rollout in rollouts()}


def test_every_record_is_listed_with_what_it_was_written_to_show(demo: dict[str, Rollout]) -> None:
    assert set(demo) == set(WRITTEN_TO_SHOW)


@pytest.mark.parametrize("name", WRITTEN_TO_SHOW)
def test_a_record_gets_the_labels_it_was_written_to_show(demo: dict[str, Rollout], name: str) -> None:
    labels, _ = label_and_read(demo[name])
    result = next((judged.label.value for judged in labels.results if judged.judge == "rule/1"), None)
    assert (
        labels.noticed,
        labels.producer_refetch,
        labels.refetch_valid,
        labels.state,
        result,
    ) == WRITTEN_TO_SHOW[name], labels


def test_the_first_published_case_notices_another_field_and_still_answers_from_the_old_window(
    demo: dict[str, Rollout],
) -> None:
    labels, told = label_and_read(demo["case1-interval-s1-implicit-published"])
    assert labels.diagnostics["notice_target"] == "other_field"
    assert [chip.value for chip in told.chips if chip.kind in ("prefix", "verification", "use", "answer")] == [
        "polluted", "gold", "polluted", "polluted",
    ]  # fmt: skip


def test_one_record_is_excluded_for_the_environment_and_one_is_invalid(demo: dict[str, Rollout]) -> None:
    excluded = {name for name, rollout in demo.items() if label_and_read(rollout)[0].excluded}
    assert excluded == {"demo-audit-s1-correct-e"}
    labels, _ = label_and_read(demo["demo-cart-s1-explicit-g"])
    assert "model_error" in labels.why_null["noticed"]


def test_together_they_show_every_mark_of_the_case_box(demo: dict[str, Rollout]) -> None:
    shown = {
        mark for rollout in demo.values() for step in label_and_read(rollout)[1].steps.values() for mark in step.marks
    }
    assert shown == set(MARKS)


def test_together_they_show_every_leaf_locus_condition_end_and_kind_of_step(demo: dict[str, Rollout]) -> None:
    units = [rollout.unit for rollout in demo.values() if rollout.unit]
    steps = [step for rollout in demo.values() for step in rollout.steps]
    assert {unit.leaf for unit in units} == set(Leaf)
    assert {unit.slot.locus for unit in units if unit.slot} == set(Locus)
    assert {rollout.condition for rollout in demo.values()} == {*Condition, None}
    assert {rollout.end.value for rollout in demo.values() if rollout.end} == {
        "answered", "budget", "parse_limit", "model_error",
    }  # fmt: skip
    assert {step.kind for step in steps} == set(Kind)
    assert {step.match for step in steps} >= {"exact", "canonical", "live", "none"}
    assert any(step.group is not None for step in steps)
    assert any(step.aliased for step in steps)
    assert any(step.arguments_raw for step in steps)


def test_a_rollout_that_used_up_its_budget_made_twenty_five_steps(demo: dict[str, Rollout]) -> None:
    assert [len(rollout.steps) for rollout in demo.values() if rollout.end and rollout.end.value == "budget"] == [25]


def test_conditions_of_a_unit_share_task_and_prefix_but_for_the_affected_step(demo: dict[str, Rollout]) -> None:
    for unit in {rollout.unit.id for rollout in demo.values() if rollout.unit}:
        siblings = [rollout for rollout in demo.values() if rollout.unit and rollout.unit.id == unit]
        assert len({rite.write_line(Rollout(id="u", unit=sibling.unit)) for sibling in siblings}) == 1
        assert len({repr(sibling.prefix[:-1]) for sibling in siblings}) == 1
        assert len({sibling.prefix[-1].thought for sibling in siblings}) == 1


def test_exporting_what_was_read_gives_the_files_again() -> None:
    written = "".join(map(rite.write_line, rollouts()))
    assert written == "".join((FOLDER / name).read_text(encoding="utf-8") for name in FILES)
