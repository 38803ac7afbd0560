"""Noticed, refetch and state beyond the numbered edge cases: relatedness, remedies, imports, and what always holds."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.core.labelling import diagnoses, measures
from benchmark.core.labelling.constraint import OPS
from benchmark.core.labelling.values import NORMS
from benchmark.core.taxonomy import Condition, End, Locus, ModelKind, State
from benchmark.core.trajectory import ABSENT, Actor, Final, Kind, Labels, Model, Rollout, Slot, Step, Unit
from tests.core.labelling.article_unit import (
    BAD_ARGUMENT,
    ENCODED,
    HARNESS_FAULT,
    POLLUTED,
    UNAVAILABLE,
    UNIT,
    call,
    history,
    merge,
    refetch,
    rollout,
)

DOUBT = "Pet does not fit this article."


def label(made: Rollout) -> Labels:
    return measures.label(made)


def say(text: str) -> Step:
    return Step(kind=Kind.MESSAGE, text=text)


def hear(text: str) -> Step:
    return Step(kind=Kind.MESSAGE, actor=Actor.USER, text=text)


@pytest.mark.parametrize(
    ("thought", "target"),
    [
        ("The label Pet contradicts the title.", "slot"),
        ("category1 looks wrong.", "slot"),
        ("The category looks wrong.", "slot"),
        ("这个类目明显不对。", "slot"),
        ("The article read history looks stale.", "affected_observation"),
        ("The observation of P2 is inconsistent.", "affected_observation"),
        ("That looks wrong.", "affected_observation"),
        ("The record “CATL half-year report” is incomplete.", "other_field"),
        ("MergeInterestSignals will fail, its input is inconsistent.", "consequence"),
    ],
)
def test_a_statement_is_related_by_value_field_tool_step_or_by_pointing(thought: str, target: str) -> None:
    labels = label(rollout(refetch(thought=thought)))
    assert labels.noticed is True
    assert labels.diagnostics["notice_target"] == target


@pytest.mark.parametrize(
    "thought",
    [
        "The user profile looks outdated.",
        "The observation of P1 is inconsistent.",
        "The category in P1 looks wrong.",
        "The shipping fee of this parcel is clearly incorrect.",
    ],
)
def test_a_statement_about_something_else_is_not_related(thought: str) -> None:
    labels = label(rollout(refetch(thought=thought)))
    assert labels.noticed is False
    assert "does not concern the affected evidence" in labels.noticed_evidence["why"]


def test_pointing_points_at_the_newest_observation() -> None:
    profile = call("GetUserProfile", {"user_id": "u_1"}, {"status": "ok", "data": {}})
    assert label(rollout(profile, refetch(thought="That looks wrong."))).noticed is False
    assert label(rollout(merge(), refetch(thought="That looks wrong."))).noticed is True


def test_pointing_points_first_at_the_sentence_before() -> None:
    profile = call("GetUserProfile", {"user_id": "u_1"}, {"status": "ok", "data": {}})
    about_slot = refetch(thought="The record says Pet / Cat. That can't be right.")
    assert label(rollout(profile, about_slot)).noticed is True
    about_profile = refetch(thought="The user profile says Guangzhou. That can't be right.")
    assert label(rollout(about_profile)).noticed is False


def test_a_consumers_error_is_a_consequence_and_asking_the_producer_mends_it() -> None:
    failing = call("MergeInterestSignals", {"articles": {"step": "P2"}}, BAD_ARGUMENT)
    labels = label(rollout(failing, refetch(thought="It failed.")))
    assert labels.noticed is True


def test_the_ordinary_next_workflow_tool_is_not_remedial() -> None:
    assert label(rollout(merge(DOUBT))).noticed is False


def test_an_unknown_tool_is_no_producer_and_no_corroborator() -> None:
    unknown = call("GetArticleTruth", {}, {"status": "error", "error": {"type": "UnknownTool", "message": "no"}}, DOUBT)
    labels = label(rollout(unknown))
    assert (labels.noticed, labels.producer_refetch, labels.excluded) == (False, False, None)


def test_a_key_free_corroborator_counts_when_its_text_names_the_item() -> None:
    found = {"status": "ok", "data": {"hits": []}}
    assert label(rollout(call("SearchNews", {"q": "CATL half-year report"}, found, DOUBT))).noticed is True
    assert label(rollout(call("SearchNews", {"q": "weather"}, found, DOUBT))).noticed is False


def test_a_call_on_which_the_slot_depends_may_be_issued_again_to_check() -> None:
    directory = call("ResolveReader", {"user": "u_1"}, {"status": "ok", "data": {"reader": "rd_777"}})
    affected = call("GetArticleReadHistory", {"reader": "rd_777"}, history(*POLLUTED.values()))
    again = replace(directory, thought="Pet does not fit; I resolve the reader again to verify.")
    labels = label(rollout(again, prefix=(directory, affected)))
    assert labels.noticed is True
    assert labels.noticed_evidence["remedy"] == "recheck"
    unrelated = call("GetWeather", {"city": "x"}, {"status": "ok", "data": {"sky": "clear"}})
    again = replace(unrelated, thought="Pet does not fit; I ask for the weather again to verify.")
    assert label(rollout(again, prefix=(unrelated, affected))).noticed is False


def test_without_a_unit_any_observation_and_any_new_tool_count() -> None:
    failing = call("find_user", {"email": "a"}, "Error: user not found", None)
    found = call("find_user_by_zip", {"zip": "1"}, "u_9", None)
    labels = label(
        rollout(failing, say("I couldn't find that account."), hear("Try my zip."), found, unit=None, prefix=())
    )
    assert labels.noticed is True
    assert labels.noticed_evidence["basis"] == "any_observation"
    assert (labels.noticed_evidence["signal_step"], labels.noticed_evidence["action_step"]) == ("R2", "R4")
    assert (labels.producer_refetch, labels.state, labels.excluded) == (None, None, None)
    assert labels.why_null == dict.fromkeys(("producer_refetch", "refetch_valid", "state", "excluded"), "no slot")


def test_without_a_unit_a_write_does_not_check_anything() -> None:
    failing = call("get_order", {"id": "1"}, "Error: order not found", None)
    cancel = call("cancel_pending_order", {"id": "1"}, "ok", "The order lookup failed, I cancel it.")
    assert label(rollout(failing, cancel, unit=None, prefix=())).noticed is False


def test_thinking_aloud_is_searched_and_is_never_an_action() -> None:
    failing = call("get_order", {"id": "1"}, "Error: order not found", None)
    think = call("think", {"thought": "The lookup returned an error."}, "", None)
    assert label(rollout(failing, think, unit=None, prefix=())).noticed is False
    labels = label(rollout(failing, think, call("list_orders", {}, [], None), unit=None, prefix=()))
    assert labels.noticed is True
    assert labels.noticed_evidence["signal_step"] == "R2"


def test_a_failure_is_news_only_until_somebody_has_spoken_of_it() -> None:
    failing = call("find_user", {}, "Error: user not found", None)
    later = say("Which issue do you have? There was a problem you said.")
    new = call("get_order", {}, {"order": 1}, None)
    spoken = [failing, say("Could you give me your zip code?"), hear("1234"), later, new]
    assert label(rollout(*spoken, unit=None, prefix=())).noticed is False


def test_before_any_observation_nothing_can_be_wrong() -> None:
    first = call("get_order", {}, {"order": 1}, "The result looks wrong.")
    assert label(rollout(first, unit=None, prefix=())).noticed is False


def test_the_agents_messages_are_searched_but_not_its_final_answer_and_not_the_user() -> None:
    words = "The result contradicts itself."
    final = Final(words)
    steps = [call("get_a", {}, {"a": 1}, "First."), say(words), call("get_b", {}, {"b": 1}, "Next.")]
    assert label(rollout(*steps, unit=None, prefix=(), final=final)).noticed is True
    assert label(rollout(steps[0], hear(words), steps[2], unit=None, prefix=(), final=final)).noticed is False
    assert label(rollout(steps[0], say(words), unit=None, prefix=(), final=final)).noticed is False


def test_without_any_text_noticed_cannot_be_told() -> None:
    labels = label(rollout(refetch(thought=None)))
    assert labels.noticed is None
    assert labels.noticed_evidence is None
    assert labels.why_null == {"noticed": "the agent wrote no thought and no message before its answer"}


def test_without_text_and_without_a_call_nothing_was_noticed() -> None:
    assert label(rollout()).noticed is False


def test_a_simulated_users_call_is_not_the_agents() -> None:
    labels = label(rollout(replace(refetch(thought=DOUBT), actor=Actor.USER)))
    assert (labels.noticed, labels.producer_refetch, labels.state) == (False, False, State.RESIDUAL)


def test_a_failure_without_a_polluted_value_is_neither_until_gold_is_fetched() -> None:
    unit = replace(UNIT, polluted=ABSENT)
    assert label(rollout(unit=unit, condition=Condition.EXPLICIT)).state is State.NEITHER
    assert label(rollout(refetch(), unit=unit, condition=Condition.EXPLICIT)).state is State.RECOVERED


@pytest.mark.parametrize(
    ("unit", "reason"),
    [
        (replace(UNIT, gold=ABSENT), "the unit gives no gold value"),
        (replace(UNIT, slot=Slot(producers=("GetArticleReadHistory",))), "the slot has no pointer"),
    ],
)
def test_a_state_that_cannot_be_computed_is_null_with_the_reason(unit: Unit, reason: str) -> None:
    labels = label(rollout(refetch(), unit=unit))
    assert (labels.producer_refetch, labels.refetch_valid, labels.state) == (True, None, None)
    assert labels.why_null["state"] == labels.why_null["refetch_valid"] == reason


def test_a_slot_without_producers_has_no_refetch() -> None:
    labels = label(rollout(refetch(), unit=replace(UNIT, slot=replace(UNIT.slot, producers=()))))
    assert labels.producer_refetch is None
    assert labels.why_null["producer_refetch"] == "the slot names no producer"


def test_an_observation_nested_beyond_reason_is_said_so() -> None:
    deep: Any = "bottom"
    for _ in range(5_000):
        deep = [deep]
    gold: Any = "bottom"
    for _ in range(5_000):
        gold = [gold]
    unit = replace(UNIT, slot=replace(UNIT.slot, pointers=("/data",)), gold=gold, polluted="x", constraint=None)
    labels = label(rollout(refetch({"status": "ok", "data": deep}), unit=unit))
    assert labels.state is None
    assert "nested too deeply" in labels.why_null["state"]


STEPS = st.sampled_from(
    [
        refetch(),
        refetch(history(*POLLUTED.values())),
        refetch(history("Career", "Side Income"), limit=3),
        refetch(UNAVAILABLE),
        refetch(HARNESS_FAULT),
        refetch(thought=DOUBT),
        refetch(history("Career", "Side Income"), user_id="u_2"),
        merge(),
        merge(DOUBT),
        call(
            "GetArticleDetail",
            {"article_id": "a_12"},
            {"status": "ok", "data": {}},
            "The category conflicts with the title.",
        ),
        call("KeywordEncoder", {"domain2": "Cat"}, ENCODED),
        say("One moment."),
    ]
)
ROLLOUTS = st.builds(
    lambda steps, condition: rollout(*steps, condition=condition),
    st.lists(STEPS, max_size=8),
    st.sampled_from(Condition),
)
UNRELATED = st.sampled_from(
    [
        call(
            "GetUserProfile",
            {"user_id": "u_1"},
            {"status": "ok", "data": {"city": "Guangzhou"}},
            "Look at the profile.",
        ),
        call("KeywordEncoder", {"domain2": "Stocks"}, ENCODED, "Encode."),
        say("Let me continue."),
    ]
)


@given(ROLLOUTS, st.sampled_from(Condition) | st.none(), st.text(min_size=1, max_size=10), st.sampled_from(ModelKind))
def test_no_label_depends_on_condition_model_or_intervention(
    made: Rollout, condition: Condition | None, model: str, kind: ModelKind
) -> None:
    other = replace(made, condition=condition, model=Model(model, kind), intervention="state_checker", epoch=3)
    assert label(other) == label(made)


@given(ROLLOUTS, UNRELATED, st.data())
def test_an_unrelated_step_changes_neither_state_nor_refetch(made: Rollout, step: Step, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(made.steps)))
    more = replace(made, steps=(*made.steps[:at], step, *made.steps[at:]))
    before, after = label(made), label(more)
    assert (after.state, after.producer_refetch, after.refetch_valid) == (
        before.state,
        before.producer_refetch,
        before.refetch_valid,
    )


@given(ROLLOUTS)
def test_evidence_is_a_statement_and_an_action_that_follows_it(made: Rollout) -> None:
    labels = label(made)
    evidence = labels.noticed_evidence or {}
    if labels.noticed:
        assert int(evidence["signal_step"][1:]) <= int(evidence["action_step"][1:])
        said = made.steps[int(evidence["signal_step"][1:]) - 1]
        assert evidence["signal_words"] in (said.thought or said.text or "")
    elif labels.noticed is False:
        assert evidence["action_step"] is None
        assert evidence["why"]


@given(ROLLOUTS)
def test_a_valid_refetch_is_a_refetch_and_only_a_refetch_moves_the_state(made: Rollout) -> None:
    labels = label(made)
    assert labels.producer_refetch or not labels.refetch_valid
    if not labels.producer_refetch:
        assert labels.state == labels.diagnostics["start_state"]


@given(ROLLOUTS)
def test_labelling_again_changes_nothing(made: Rollout) -> None:
    once = label(made)
    assert label(replace(made, labels=once)) == once


FOREIGN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**320)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["Pet", "Finance", "9.4 %", "¥1,299", "a_12", "Stocks/Finance", "", "{", "2026-09-01"])
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["data", "category1", "article_id", "title", "step", "user_id", "0"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
WORDS = st.sampled_from([DOUBT, "It failed.", "这个不对。", "domain1: Finance", "Pet or Finance", '{"domain1": 1}', ""])
CALLS = st.builds(
    lambda tool, arguments, observation, thought: call(tool, arguments, observation, thought),
    st.sampled_from(["GetArticleReadHistory", "MergeInterestSignals", "GetArticleDetail", "think", ""]),
    st.dictionaries(st.sampled_from(["user_id", "user_ids", "article_id", "thought", "articles"]), FOREIGN, max_size=3),
    FOREIGN,
    WORDS,
)
OPERATIONS = st.sampled_from(sorted(OPS)) | st.just("nonsense")
CLAUSES = st.fixed_dictionaries(
    {
        "key": st.sampled_from(["domain1", "keywords"]),
        "op": OPERATIONS,
        "value": FOREIGN | st.lists(FOREIGN, max_size=3),
    },
    optional={
        "norm": st.sampled_from(sorted(NORMS)),
        **dict.fromkeys(("n", "t", "lo", "hi", "abs"), FOREIGN),
        "tool": st.just("GetArticleReadHistory"),
        "pointer": st.sampled_from(["", "/data", "/data/records/1/category1"]),
    },
)
PARTS = st.fixed_dictionaries({part: st.lists(CLAUSES, max_size=2) for part in ("required", "forbidden", "evidence")})


@given(
    st.lists(CALLS, max_size=3),
    st.lists(CALLS, max_size=3),
    FOREIGN,
    FOREIGN,
    PARTS,
    WORDS,
    FOREIGN,
    st.sampled_from(Locus),
)
def test_whatever_a_record_holds_it_is_labelled_and_read(
    prefix: list[Step],
    steps: list[Step],
    gold: Any,
    polluted: Any,
    constraint: dict[str, Any],
    answer: str,
    result: Any,
    locus: Locus,
) -> None:
    slot = replace(
        UNIT.slot, locus=locus, pointers=("/data/category1",) if isinstance(gold, list) else UNIT.slot.pointers
    )
    unit = replace(UNIT, slot=slot, gold=gold, polluted=polluted, constraint=constraint)
    final = Final(answer, result if isinstance(result, dict) else None)
    made = rollout(*steps, prefix=tuple(prefix), unit=unit, final=final)
    labels, told = diagnoses.label_and_read(made)
    assert labels.noticed is not None or labels.why_null["noticed"]
    assert json.loads(json.dumps(told.to_json())) == told.to_json()


@given(st.lists(STEPS, max_size=5))
def test_a_rollout_that_stopped_in_a_fault_has_every_label_null(steps: list[Step]) -> None:
    labels = label(rollout(*steps, end=End.MODEL_ERROR))
    assert {labels.noticed, labels.producer_refetch, labels.refetch_valid, labels.state} == {None}
