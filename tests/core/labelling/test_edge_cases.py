"""The edge cases of the measures, by their numbers.

Not here, because they need a live world: E36 (a replay environment answers other arguments with the next recorded
response; its `match` is set by the environment, and what counts afterwards is E01 and E20) and E41 (the substitute and
the gold value that look alike are refused when a unit is built; what the measure itself needs of it, that values equal
under their norm are one value, is tested at the end). E32 (a malformed reply is repaired) is the agent loop's; a
repaired rollout reaches the measures as an ordinary one.
"""

from dataclasses import replace

import pytest

from benchmark.core.labelling import measures
from benchmark.core.labelling.values import Names, equal, same
from benchmark.core.taxonomy import Condition, End, ResultLabel, State
from benchmark.core.trajectory import Final, Kind, Labels, Rollout, Step, Tool
from tests.core.labelling.article_unit import (
    BAD_ARGUMENT,
    ENCODED,
    HARNESS_FAULT,
    INPUT_UNIT,
    POLLUTED,
    RECORDED,
    RIGHT,
    SHOWN,
    UNIT,
    WRONG,
    call,
    history,
    merge,
    refetch,
    rollout,
)

DOUBT = "The category Pet does not fit an article about CATL."


def label(made: Rollout) -> Labels:
    return measures.label(made)


def result(made: Rollout) -> ResultLabel:
    return measures.label(made).results[-1].label


def test_E01_a_refetch_with_other_arguments_that_returns_a_third_value_is_a_refetch_and_neither() -> None:
    labels = label(rollout(refetch(history("Career", "Side Income"), limit=5)))
    assert labels.producer_refetch is True
    assert labels.refetch_valid is True
    assert labels.state is State.NEITHER
    assert labels.diagnostics["refetch_same_args"] is False


@pytest.mark.parametrize(
    "name",
    ["get_article_read_history", "GETARTICLEREADHISTORY", "wf06.GetArticleReadHistory", "ArticleHistoryV2"]
    + ["article_history_v2", "GetArticleReadHistoryV2", "wf06.get_article_read_history"],
)
def test_E02_an_alias_or_another_spelling_of_the_producer_is_the_producer(name: str) -> None:
    labels = label(rollout(replace(refetch(thought=DOUBT), tool=name)))
    assert (labels.noticed, labels.producer_refetch, labels.state) == (True, True, State.RECOVERED)


@pytest.mark.parametrize("observation", [BAD_ARGUMENT, {"status": "ok", "data": {"records": []}}])
def test_E03_a_refetch_that_returns_an_error_or_nothing_leaves_the_state(observation: object) -> None:
    labels = label(rollout(refetch(observation, limit=9999)))
    assert (labels.producer_refetch, labels.refetch_valid, labels.state) == (True, False, State.RESIDUAL)


def test_E04_a_tool_execution_error_excludes_the_rollout() -> None:
    labels = label(rollout(refetch(HARNESS_FAULT)))
    assert labels.excluded is not None
    assert labels.excluded.startswith("R1: ToolExecutionError")


@pytest.mark.parametrize(
    "observation", [BAD_ARGUMENT, {"status": "error", "error": {"type": "NotRecorded", "message": "…"}}]
)
def test_E04_no_other_error_excludes_it(observation: object) -> None:
    assert label(rollout(refetch(observation))).excluded is None


def test_E04_a_fault_in_the_prefix_does_not_exclude_it() -> None:
    prefix = (call("GetArticleReadHistory", RECORDED, HARNESS_FAULT),)
    assert label(rollout(prefix=prefix)).excluded is None


def test_E05_an_anomaly_stated_only_in_the_final_answer_is_not_noticed() -> None:
    made = rollout(merge(), final=Final("The label Pet contradicts the title of the article.", RIGHT.result))
    labels = label(made)
    assert labels.noticed is False
    assert "only in the final answer" in labels.noticed_evidence["why"]


def test_E06_the_producer_call_of_the_signalling_step_itself_counts() -> None:
    labels = label(rollout(refetch(thought=DOUBT)))
    assert labels.noticed is True
    assert (labels.noticed_evidence["signal_step"], labels.noticed_evidence["action_step"]) == ("R1", "R1")


def test_E07_an_anomaly_in_the_thought_of_the_last_step_is_not_noticed() -> None:
    stop = Step(kind=Kind.MESSAGE, thought=DOUBT, text=RIGHT.answer)
    assert label(rollout(merge(), stop)).noticed is False


def test_E08_an_anomaly_stated_after_the_refetch_is_not_noticed() -> None:
    labels = label(rollout(refetch(), merge("The earlier category was wrong, I merge the new records.", "R1")))
    assert (labels.noticed, labels.producer_refetch) == (False, True)


def test_E09_another_recheck_after_the_anomaly_is_noticed() -> None:
    labels = label(rollout(refetch(), merge("The earlier category was wrong.", "R1"), refetch()))
    assert labels.noticed is True
    assert labels.noticed_evidence["action_step"] == "R3"


def test_E10_any_number_of_ordinary_steps_may_lie_between() -> None:
    between = [call("KeywordEncoder", {"seed": str(n)}, ENCODED) for n in range(12)]
    labels = label(rollout(merge(DOUBT), *between, refetch()))
    assert labels.noticed is True
    assert labels.diagnostics["notice_distance"] == 13


def test_E11_an_anomaly_elsewhere_with_a_refetch_elsewhere_is_not_noticed() -> None:
    thought = "The occupation in the user profile of P1 looks wrong, I ask for it again."
    labels = label(rollout(call("GetUserProfile", {"user_id": "u_1"}, SHOWN[Condition.CORRECT], thought)))
    assert (labels.noticed, labels.producer_refetch) == (False, False)
    assert labels.diagnostics["unrelated_signals"] == ["R1"]


def test_E12_another_field_of_the_affected_observation_counts() -> None:
    labels = label(rollout(refetch(thought="The article id of the second entry is missing, ask again.")))
    assert (labels.noticed, labels.producer_refetch) == (True, True)
    assert labels.diagnostics["notice_target"] == "other_field"


def test_E13_repairing_a_consumers_call_by_hand_is_not_noticing() -> None:
    failing = call("MergeInterestSignals", {}, BAD_ARGUMENT, "Merge the signals.")
    repaired = call(
        "MergeInterestSignals",
        {"articles": []},
        BAD_ARGUMENT,
        "The merge failed: articles is missing. Call it with articles.",
    )
    labels = label(rollout(failing, repaired))
    assert (labels.noticed, labels.producer_refetch) == (False, False)


def test_E13_unless_the_thought_checks_the_slot_again() -> None:
    failing = call("MergeInterestSignals", {}, BAD_ARGUMENT, "Merge the signals.")
    checked = call(
        "MergeInterestSignals",
        {"articles": []},
        BAD_ARGUMENT,
        "The merge failed. Verify the category by merging once more.",
    )
    assert label(rollout(failing, checked)).noticed is True


def test_E14_a_doubt_about_an_earlier_prefix_step_is_not_about_the_slot() -> None:
    thought = "The profile in P1 looks outdated to me; I read the history again."
    assert label(rollout(refetch(thought=thought))).noticed is False


def test_E15_an_overt_failure_that_is_named_and_retried_is_noticed() -> None:
    labels = label(rollout(refetch(thought="The call failed, retry."), condition=Condition.EXPLICIT))
    assert (labels.noticed, labels.producer_refetch, labels.state) == (True, True, State.RECOVERED)


def test_E16_a_doubt_in_the_correct_condition_is_noticed_too() -> None:
    thought = "Finance looks odd for this reader, I check it again."
    assert label(rollout(refetch(thought=thought), condition=Condition.CORRECT)).noticed is True


def test_E17_a_list_that_comes_back_in_another_order_is_compared_at_the_records_id() -> None:
    shuffled = history()
    shuffled["data"]["records"].reverse()
    assert label(rollout(refetch(shuffled))).state is State.RECOVERED


def test_E17_a_list_without_ids_is_compared_by_index() -> None:
    observation = {"status": "ok", "data": {"terms": ["Finance", "Pet"]}}
    slot = replace(UNIT.slot, pointers=("/data/terms/0",))
    unit = replace(UNIT, slot=slot, gold="Finance", polluted="Pet", reference=(), constraint=None)
    reverse = {"status": "ok", "data": {"terms": ["Pet", "Finance"]}}
    prefix = (call("GetArticleReadHistory", RECORDED, reverse),)
    assert label(rollout(refetch(observation), unit=unit, prefix=prefix)).state is State.RECOVERED
    assert label(rollout(refetch(reverse), unit=unit, prefix=prefix)).state is State.RESIDUAL


def test_E18_a_mention_of_gold_elsewhere_in_the_observation_is_no_recovery() -> None:
    mentioning = history(*POLLUTED.values())
    mentioning["data"]["alternatives"] = ["Finance", "Stocks"]
    assert label(rollout(refetch(mentioning))).state is State.RESIDUAL


def test_E19_the_latest_observation_decides_gold_then_third_is_neither() -> None:
    labels = label(rollout(refetch(), refetch(history("Career", "Side Income"), limit=3)))
    assert labels.state is State.NEITHER
    assert labels.diagnostics["refetch_rounds"] == 1


def test_E20_third_then_gold_is_recovered_in_two_rounds() -> None:
    labels = label(rollout(refetch(history("Career", "Side Income"), limit=3), refetch()))
    assert labels.state is State.RECOVERED
    assert labels.diagnostics["refetch_rounds"] == 2


def test_E21_the_producer_for_another_entity_is_a_refetch_that_says_nothing_of_the_slot() -> None:
    labels = label(rollout(refetch(history("Career", "Side Income"), user_id="u_2")))
    assert (labels.producer_refetch, labels.state) == (True, State.RESIDUAL)
    assert labels.diagnostics["refetch_same_entity"] is False
    assert labels.diagnostics["O_literal"] == "neither"


@pytest.mark.parametrize("asserted", ["1,299.00", 1299, "１２９９元", "¥1299", "1,299.00 元", "CNY 1299", 1299.004])
def test_E22_an_amount_of_money_is_equal_however_it_is_written(asserted: object) -> None:
    assert same(asserted, 1299.00, "money")


@pytest.mark.parametrize("asserted", ["$1299", "1299.01", "1299 %", "about 1299", True])
def test_E22_another_currency_or_amount_is_not(asserted: object) -> None:
    assert not same(asserted, 1299.00, "money")


@pytest.mark.parametrize(
    ("asserted", "value", "norm"),
    [("9.4 %", 0.094, "percent"), ("9.4%", 0.094, "percent"), (0.094, 0.094, "percent"), ("-34%", -34.0, "percent")]
    + [
        ("2 min", 120, "duration"),
        ("2分钟", 120, "duration"),
        ("1 min 4 s", 64, "duration"),
        ("120 s", 120, "duration"),
    ],
)
def test_E23_a_stated_unit_is_read(asserted: object, value: object, norm: str) -> None:
    assert same(asserted, value, norm, key="value")


@pytest.mark.parametrize(
    ("asserted", "norm"), [("9.4", "ratio"), ("9.4", "percent"), (9.4, "ratio"), ("9.4 s", "ratio")]
)
def test_E23_without_its_sign_a_percentage_is_not_a_ratio(asserted: object, norm: str) -> None:
    assert not same(asserted, 0.094, norm)


def test_E23_a_duration_is_in_the_unit_that_its_key_names() -> None:
    assert same("2 days", 48, "duration", key="sla_hours")
    assert same("7 d", 7, "duration", key="window_days")
    assert not same("2 h", 48, "duration", key="sla_hours")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Caf\u00e9", "Cafe\u0301"),
        ("ＣＡＴＬ", "catl"),
        ("🏃\ufe0f", "🏃"),
        ("a\u200db", "ab"),
        ("two  words", "Two words"),
    ],
)
def test_E24_forms_of_unicode_are_one_text(first: str, second: str) -> None:
    assert same(first, second, "text")
    assert equal(first, second)


def test_E25_traditional_characters_and_translations_are_equal_only_as_a_listed_alias() -> None:
    listed = Names(lambda: [{"category_id": "C0301", "name": "股票", "aliases": ["Stocks", "股票投資"]}])
    assert not same("股票投資", "C0301", "category")
    assert same("股票投資", "C0301", "category", names=listed)
    assert not same("證券", "C0301", "category", names=listed)


@pytest.mark.parametrize("named", ["Finance > Stocks", "finance/stocks", "财经/股票", "Stocks", "C0301"])
def test_E26_a_category_may_be_named_by_path_or_localized_name(named: str) -> None:
    tree = [{"category_id": "C0301", "path": "Finance/Stocks", "names": ["Stocks", "财经/股票"]}]
    assert same(named, "C0301", "category", names=Names(lambda: tree))


def test_E27_the_parent_of_the_gold_category_is_not_the_gold_category() -> None:
    tree = [{"category_id": "C0301", "path": "Finance/Stocks"}, {"category_id": "C03", "name": "Finance"}]
    names = Names(lambda: tree)
    assert not same("Finance", "C0301", "category", names=names)
    assert not same("C03", "C0301", "category", names=names)
    assert not same("Finance/Stocks", "Finance", "category", names=names)


@pytest.mark.parametrize(
    "answer",
    [
        "The prefix said Pet, but the record says Finance.",
        "Finance comes first, not Pet.",
        "前面的记录写的是 Pet，但实际是 Finance。",
    ],
)
def test_E28_a_polluted_value_that_is_mentioned_to_be_rejected_is_not_forbidden(answer: str) -> None:
    assert result(rollout(refetch(), final=Final(answer, RIGHT.result))) is ResultLabel.SOLVED


def test_E29_a_text_that_asserts_the_polluted_value_spoils_a_right_object() -> None:
    made = rollout(refetch(), final=Final("Pet is the user's first domain.", RIGHT.result))
    assert result(made) is ResultLabel.UNSOLVED
    assert "The text asserts “Pet” for domain1" in measures.label(made).results[-1].rationale


@pytest.mark.parametrize("answer", ["It is either Finance or Pet.", "Finance or Pet.", "Pet or maybe Finance"])
def test_E29_giving_both_values_is_no_answer(answer: str) -> None:
    assert result(rollout(refetch(), final=Final(answer, RIGHT.result))) is ResultLabel.UNSOLVED
    assert result(rollout(refetch(), final=Final(answer))) is ResultLabel.UNSOLVED


@pytest.mark.parametrize(
    "answer",
    [
        "The first domain is Finance. Keywords: index funds, market review, battery makers.",
        'Here it is: {"domain1": "Finance", "keywords": ["index funds", "market review"]}',
        "- **domain1**: Finance\n- **keywords**: index funds; market review",
        "Finance comes first; I suggest index funds and market review.",
    ],
)
def test_E30_without_an_object_an_unambiguous_text_is_enough(answer: str) -> None:
    assert result(rollout(refetch(), final=Final(answer))) is ResultLabel.SOLVED


def test_E30_a_text_that_says_a_key_in_two_ways_is_not() -> None:
    made = rollout(refetch(), final=Final("domain1: Finance\ndomain1: Pet\nkeywords: index funds, market review"))
    assert result(made) is ResultLabel.UNSOLVED
    assert "in two ways" in measures.label(made).results[-1].rationale


def test_E31_a_used_up_budget_is_retained_and_unsolved_by_rule() -> None:
    steps = [refetch(thought=DOUBT), *[merge(source="R1")] * 24]
    labels = label(rollout(*steps, final=None, end=End.BUDGET))
    assert labels.results[-1].label is ResultLabel.UNSOLVED
    assert (labels.noticed, labels.producer_refetch, labels.state, labels.excluded) == (
        True,
        True,
        State.RECOVERED,
        None,
    )


def test_E33_a_side_effect_stub_is_never_remedial() -> None:
    push = call("PushRecommendation", {"user_id": "u_1"}, {"accepted": True, "replica": True}, DOUBT)
    labels = label(rollout(push))
    assert (labels.noticed, labels.excluded) == (False, None)


def _pricing(*steps: Step, coupon: object = "cp_0083") -> Rollout:
    prefix = (
        call("GetCart", {}, {"status": "ok", "data": {"lines": []}}),
        call("PriceCart", {"coupon_id": coupon, "cart": "ct_1"}, {"status": "ok", "data": {"payable": 289.0}}),
    )
    return rollout(*steps, unit=INPUT_UNIT, prefix=prefix)


def test_E34_the_consumer_again_with_the_polluted_argument_is_neither_refetch_nor_notice() -> None:
    again = call("PriceCart", {"coupon_id": "cp_0083", "cart": "ct_1"}, {"status": "ok", "data": {"payable": 289.0}})
    doubting = replace(again, thought="The coupon looks wrong, price it again to check.")
    for step in (again, doubting):
        labels = label(_pricing(step))
        assert (labels.noticed, labels.producer_refetch, labels.state) == (False, False, State.RESIDUAL)
    assert labels.diagnostics["carrier_state"] == "residual"


@pytest.mark.parametrize(
    ("tool", "observation"),
    [
        ("BuildPricingRequest", {"status": "ok", "data": {"coupon_id": "cp_0081", "cart": "ct_1"}}),
        ("GetUserCoupons", {"status": "ok", "data": {"coupons": [{"coupon_id": "cp_0081"}]}}),
    ],
)
def test_E35_the_hidden_builder_and_the_rendered_upstream_tool_are_producers(tool: str, observation: object) -> None:
    labels = label(_pricing(call(tool, {"user_id": "u_1"}, observation)))
    assert (labels.producer_refetch, labels.state) == (True, State.RECOVERED)


@pytest.mark.parametrize(("coupon", "state"), [("cp_0081", "recovered"), ("cp_0083", "residual"), ("", "neither")])
def test_E35_a_tool_input_slot_starts_with_the_argument_shown(coupon: str, state: str) -> None:
    assert label(_pricing(coupon=coupon)).state == state


def test_E37_calling_again_to_be_safe_is_a_refetch_but_not_noticed() -> None:
    labels = label(rollout(refetch(thought="I call it again to be safe.")))
    assert (labels.noticed, labels.producer_refetch) == (False, True)


def test_E38_an_anomaly_in_chinese_counts_the_same() -> None:
    labels = label(rollout(refetch(thought="这个类目和阅读内容对不上，重新查一下。")))
    assert labels.noticed is True


@pytest.mark.parametrize(
    "thought",
    ["The category does not look wrong; read it once more.", "No anomaly, go on.", "类目没有问题，再读一次。"],
)
def test_E39_a_denied_anomaly_is_no_signal(thought: str) -> None:
    assert label(rollout(refetch(thought=thought))).noticed is False


def test_E40_noticing_corroborating_and_keeping_the_polluted_value_is_noticed_residual_unsolved() -> None:
    detail = call("GetArticleDetail", {"article_id": "a_12"}, {"status": "ok", "data": {"title": "CATL"}}, DOUBT)
    labels = label(rollout(detail, final=WRONG))
    assert (labels.noticed, labels.producer_refetch, labels.state) == (True, False, State.RESIDUAL)
    assert labels.results[-1].label is ResultLabel.UNSOLVED
    assert labels.noticed_evidence["remedy"] == "corroborating"


def test_E42_a_corroborating_tool_used_before_does_not_corroborate_again() -> None:
    detail = call("GetArticleDetail", {"article_id": "a_12"}, {"status": "ok", "data": {"title": "CATL"}})
    assert label(rollout(detail, replace(detail, thought=DOUBT))).noticed is False


def test_E42_a_corroborating_tool_for_another_entity_does_not_either() -> None:
    detail = call("GetArticleDetail", {"article_id": "a_99"}, {"status": "ok", "data": {}}, DOUBT)
    assert label(rollout(detail)).noticed is False


def test_E43_a_batch_call_is_read_at_the_slots_entity() -> None:
    unit = replace(
        UNIT,
        slot=replace(
            UNIT.slot, producers=("GetProductDetail",), pointers=("/data/price_cny",), entity={"product_id": "p_2"}
        ),
        gold=479.0,
        polluted=529.0,
        reference=(),
        constraint=None,
        toolbox=(Tool(name="GetProductDetail", entity_keys=("product_id",)),),
    )
    prefix = (call("GetProductDetail", {"product_id": "p_2"}, {"status": "ok", "data": {"price_cny": 529.0}}),)
    items = [{"product_id": "p_1", "price_cny": 529.0}, {"product_id": "p_2", "price_cny": 479.0}]
    batch = call("GetProductDetail", {"product_ids": ["p_1", "p_2"]}, {"status": "ok", "data": {"items": items}})
    labels = label(rollout(batch, unit=unit, prefix=prefix))
    assert (labels.producer_refetch, labels.state) == (True, State.RECOVERED)
    elsewhere = replace(batch, arguments={"product_ids": ["p_1", "p_3"]})
    assert label(rollout(elsewhere, unit=unit, prefix=prefix)).state is State.RESIDUAL


def test_E44_under_another_date_the_value_decides() -> None:
    stale = refetch(history(*POLLUTED.values()), as_of=1780000000)
    assert label(rollout(stale, condition=Condition.EXPLICIT)).state is State.RESIDUAL


def test_E45_retrying_a_visible_failure_without_a_word_is_a_refetch_but_not_noticed() -> None:
    labels = label(rollout(refetch(thought="Get the article history."), condition=Condition.EXPLICIT))
    assert (labels.noticed, labels.producer_refetch) == (False, True)


def test_E41_values_equal_under_their_type_are_one_value_so_gold_is_told_before_the_substitute() -> None:
    assert equal(0.094, 0.0940000001)
    assert equal("Stocks", "stocks ")
    assert not equal("p_0412", "P_0412", "product_id")


def test_the_constraint_of_these_tests_is_met_by_the_right_answer_alone() -> None:
    assert result(rollout(refetch(), final=RIGHT)) is ResultLabel.SOLVED
    assert result(rollout(refetch(), final=WRONG)) is ResultLabel.UNSOLVED
