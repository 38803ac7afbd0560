"""AgentCheck runs become units with prefix, gold and polluted value. All runs are made up."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.core.formats import agentcheck
from benchmark.core.formats.agentcheck import differing
from benchmark.core.formats.outcome import Read, Unreadable
from benchmark.core.taxonomy import Condition, End, Leaf, Locus, ResultLabel
from benchmark.core.trajectory import ABSENT, Kind, StepError

SHA = "0123456789abcdef" * 4
CLEAN = {"sku": "A1", "price": 9.5, "stock": {"bern": 3, "basel": 0}}
STALE = {"sku": "A1", "price": 8.0, "stock": {"bern": 5, "basel": 0}}
ANSWER = "It costs 8.00."


def interaction(tool: str, clean: Any, injected: Any = None, **beside: Any) -> dict:
    return {
        "tool_id": tool,
        "tool_input": {"sku": "A1"},
        "clean_response": clean,
        "injected_response": injected,
        **beside,
    }


def turn(completion: str, *made: dict, answer: str | None = None) -> dict:
    return {"llm_generation": {"completion": completion}, "tool_interactions": list(made), "final_answer": answer}


def run(fault: str = "B1", injected: Any = STALE, **changes: Any) -> dict:
    record = {
        "scenario_id": "B1_price",
        "run_number": 2,
        "fault_type": fault,
        "task": "What does A1 cost?",
        "execution_settings": {"model": "model-x", "max_steps": 4},
        "faulty_tool_id": "get_price",
        "steps": [
            turn("Look it up.", interaction("list_skus", ["A1"]), interaction("get_price", CLEAN, injected)),
            turn("Check again.", interaction("get_price", CLEAN)),
            turn(ANSWER, answer=ANSWER),
        ],
        "final_answer": ANSWER,
        "scores": {"recovery_action": {"score": "propagated", "evidence": "It took the old price."}},
        "token_usage": {"totals": {"prompt_tokens": 9}, "by_component": {"agent": {"prompt_tokens": 7}}},
    }
    return {**record, **changes}


def read(**changes: Any) -> Read:
    return agentcheck.read(run(**changes), SHA)


def test_the_prefix_ends_with_the_turn_that_shows_the_injected_response():
    rollout = read().rollout
    assert [(number, step.tool, step.observation, step.group) for number, step in rollout.numbered()] == [
        ("P1", "list_skus", ["A1"], 1),
        ("P2", "get_price", STALE, 1),
        ("R1", "get_price", CLEAN, None),
    ]
    assert [step.thought for _, step in rollout.numbered()] == ["Look it up.", None, "Check again."]


def test_the_unit_holds_the_leaves_that_differ_as_one_bundle():
    unit = read().rollout.unit
    assert (unit.id, unit.query, unit.leaf) == ("agentcheck/B1_price", "What does A1 cost?", Leaf.TEMPORAL_STALENESS)
    assert (unit.slot.producers, unit.slot.locus) == (("get_price",), Locus.TOOL_OUTPUT)
    assert unit.slot.pointers == ("/price", "/stock/bern")
    assert (unit.gold, unit.polluted) == ({"price": 9.5, "bern": 3}, {"price": 8.0, "bern": 5})
    assert [(step.tool, step.arguments, step.observation) for step in unit.reference] == [
        ("get_price", {"sku": "A1"}, CLEAN)
    ]


def test_members_whose_last_name_repeats_are_named_by_the_whole_pointer():
    clean, injected = {"a": {"n": 1}, "b": {"n": 2}}, {"a": {"n": 3}, "b": {"n": 4}}
    steps = [turn("x", interaction("get_price", clean, injected))]
    unit = read(steps=steps).rollout.unit
    assert (unit.gold, unit.polluted) == ({"/a/n": 1, "/b/n": 2}, {"/a/n": 3, "/b/n": 4})


@pytest.mark.parametrize(
    ("gold", "polluted", "pointers"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, ["/b"]),
        ({"a": 1}, {"renamed": 1}, ["/a"]),
        ({"rows": [1, 2]}, {"rows": []}, ["/rows"]),
        ({"rows": [{"t": "x"}, {"t": "y"}]}, {"rows": [{"t": "x"}, {"t": "z"}]}, ["/rows/1/t"]),
        ({"a/b": 1, "c~d": 2}, {"a/b": 0, "c~d": 0}, ["/a~1b", "/c~0d"]),
        ({"a": 1}, {"a": "1"}, ["/a"]),
        ({"a": 1}, {"a": True}, ["/a"]),
        ({"a": None}, {}, ["/a"]),
        ("206 bones", "213 bones", [""]),
        ({"a": 1}, {"a": 1, "more": 2}, []),
    ],
)
def test_pointers_lead_to_the_leaves_that_differ(gold, polluted, pointers):
    assert list(differing(gold, polluted)) == pointers


@pytest.mark.parametrize(
    ("fault", "condition"),
    [
        *(("A1", Condition.EXPLICIT), ("A2", Condition.EXPLICIT)),
        *(("B1", Condition.IMPLICIT), ("B2", Condition.IMPLICIT), ("B3", Condition.IMPLICIT)),
        *(("A4", None), ("B4", None), ("C3", None), ("Z9", None)),
    ],
)
def test_only_five_fault_codes_name_a_condition_and_every_code_is_kept(fault, condition):
    rollout = read(fault=fault).rollout
    assert rollout.condition is condition
    assert rollout.extra["origin"]["fault_type"] == fault
    assert (rollout.unit.leaf is Leaf.TEMPORAL_STALENESS) == (fault == "B1")


def test_an_overt_failure_has_no_polluted_value():
    failure = {"error": "timeout", "code": 408, "message": "Tool timed out"}
    steps = [turn("x", interaction("get_price", CLEAN, failure, timed_out=True))]
    rollout = read(fault="A1", steps=steps).rollout
    assert rollout.unit.polluted is ABSENT
    assert rollout.unit.explicit == {"kind": "error_observation", "type": "timeout"}
    assert rollout.prefix[0].error == StepError("timeout", "Tool timed out", "E3")
    assert rollout.prefix[0].extra == {"timed_out": True}


@pytest.mark.parametrize(
    ("score", "label"),
    [("recovered", "solved"), ("propagated", "unsolved"), ("crashed", "unsolved"), ("safe_abort", "unsolved")],
)
def test_the_recovery_score_is_the_result_and_scenario_passed_is_not(score, label):
    scores = {"scenario_passed": True, "recovery_action": {"score": score, "evidence": "Why."}}
    (judged,) = read(scores=scores).rollout.labels.results
    assert (judged.judge, judged.label) == ("agentcheck/recovery_action", ResultLabel(label))
    assert judged.rationale == f"recovery_action: {score}. Why."


@pytest.mark.parametrize("scores", [None, {}, {"recovery_action": None}, {"recovery_action": {"score": "odd"}}])
def test_a_run_without_a_known_score_has_a_reason_instead_of_a_label(scores):
    labels = read(scores=scores).rollout.labels
    assert labels.results == ()
    assert labels.why_null["result"].startswith("recovery_action is ")


def test_the_completion_that_is_the_answer_is_not_repeated_but_other_words_are():
    steps = [
        turn("x", interaction("get_price", CLEAN, STALE)),
        turn("I wonder.", answer=None),
        turn(ANSWER, answer=ANSWER),
    ]
    rollout = read(steps=steps).rollout
    assert [(step.kind, step.text) for step in rollout.steps] == [(Kind.MESSAGE, "I wonder.")]
    assert (rollout.final.answer, rollout.end, rollout.model.name) == (ANSWER, End.ANSWERED, "model-x")
    assert rollout.usage == {"prompt_tokens": 7}


def test_a_fault_that_never_reached_the_agent_makes_no_prefix_and_no_condition():
    found = read(steps=[turn("x", interaction("list_skus", ["A1"]))])
    assert (found.rollout.prefix, found.rollout.condition, found.rollout.unit.gold) == ((), None, ABSENT)
    assert found.rollout.unit.slot.producers == ("get_price",)
    assert "never reached the agent" in found.warnings[0]


def test_equal_responses_leave_no_slot_value_to_follow():
    found = read(steps=[turn("x", interaction("get_price", CLEAN, dict(CLEAN)))])
    assert (found.rollout.unit.slot.pointers, found.rollout.unit.gold) == ((), ABSENT)
    assert "equal" in found.warnings[0]


def test_a_run_that_used_up_its_steps_without_an_answer_ended_by_budget():
    steps = [turn("x", interaction("get_price", CLEAN, STALE))] * 4
    assert read(steps=steps, final_answer=None).rollout.end is End.BUDGET
    assert read(steps=steps[:2], final_answer=None).rollout.end is None


@pytest.mark.parametrize("record", [None, [], {"scenario_id": 1}, {"scenario_id": "s", "steps": [turn("x")]}])
def test_what_is_no_run_is_refused_in_words(record):
    with pytest.raises(Unreadable):
        agentcheck.read(record, SHA)


JUNK = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from([{}, [], [1], {"a": [None]}])


@settings(deadline=None)
@given(st.data())
def test_a_run_with_any_value_in_any_place_is_read_or_refused_in_words(data):
    record = json.loads(json.dumps(run()))
    for _ in range(data.draw(st.integers(1, 3))):
        holders = [record]
        for holder in holders:
            inner = holder.values() if isinstance(holder, dict) else holder
            holders.extend(item for item in inner if isinstance(item, dict | list) and item)
        holder = data.draw(st.sampled_from(holders))
        key = data.draw(st.sampled_from(list(holder) if isinstance(holder, dict) else range(len(holder))))
        holder[key] = copy.deepcopy(data.draw(JUNK))
        if not record:
            break
    try:
        rollout = agentcheck.read(record, SHA).rollout
    except Unreadable:
        return
    assert any(step.is_agent_call for _, step in rollout.numbered())
