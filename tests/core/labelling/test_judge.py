"""The rule judge: what it says, on what, and what it refuses to say."""

from dataclasses import replace

import pytest

from benchmark.core.labelling import measures
from benchmark.core.taxonomy import Condition, End, ResultLabel
from benchmark.core.trajectory import Final, Judged, Labels, Rollout
from tests.core.labelling.article_unit import (
    KEYWORDS,
    UNIT,
    WRONG,
    call,
    history,
    merge,
    refetch,
    rollout,
)

REWARD = Judged(judge="tau-bench/reward", label=ResultLabel.UNSOLVED, rationale="Reward 0.")


def verdict(made: Rollout) -> Judged:
    return measures.label(made).results[-1]


def test_a_right_answer_is_solved_and_the_rationale_names_the_clauses() -> None:
    found = verdict(rollout(refetch()))
    assert (found.judge, found.label) == ("rule/1", ResultLabel.SOLVED)
    assert "domain1 must equal “Finance”" in found.rationale


def test_a_wrong_answer_is_unsolved_and_the_rationale_says_which_clause_failed() -> None:
    found = verdict(rollout(final=WRONG))
    assert found.label is ResultLabel.UNSOLVED
    assert "domain1 must equal “Finance”, by id, name or path. Not met: the answer gives “Pet”." in found.rationale
    assert "keywords must not contain any of “cat litter”" in found.rationale


def test_a_lucky_guess_is_solved_by_the_reference_evidence_and_shown_as_ungrounded() -> None:
    labels = measures.label(rollout())
    assert labels.results[-1].label is ResultLabel.SOLVED
    assert labels.diagnostics["grounded"] is False
    assert measures.label(rollout(refetch())).diagnostics["grounded"] is True


def test_a_claim_that_nothing_shows_is_unsupported() -> None:
    invented = Final("Finance.", {"domain1": "Finance", "keywords": [*KEYWORDS[:2], "moon bonds"]})
    found = verdict(rollout(refetch(), final=invented))
    assert found.label is ResultLabel.UNSOLVED
    assert "supports “moon bonds” under keywords" in found.rationale


def test_a_new_observation_supports_a_claim_as_well_as_the_reference_does() -> None:
    encoded = call("KeywordEncoder", {}, {"status": "ok", "data": {"keywords": [{"term": "fund rotation"}]}})
    more = Final("Finance.", {"domain1": "Finance", "keywords": [*KEYWORDS[:2], "fund rotation"]})
    assert verdict(rollout(refetch(), final=more)).label is ResultLabel.UNSOLVED
    assert verdict(rollout(refetch(), encoded, final=more)).label is ResultLabel.SOLVED


def test_evidence_that_neither_reference_nor_rollout_shows_leaves_a_claim_unsupported() -> None:
    reference = (replace(UNIT.reference[0], observation=history("Career", "Side Income")),)
    unit = replace(UNIT, reference=reference)
    assert verdict(rollout(unit=unit)).label is ResultLabel.UNSOLVED
    assert verdict(rollout(refetch(), unit=unit)).label is ResultLabel.SOLVED


def test_a_missing_key_is_unsolved_and_null_is_no_answer() -> None:
    assert verdict(rollout(refetch(), final=Final("No idea.", {}))).label is ResultLabel.UNSOLVED
    found = verdict(rollout(refetch(), final=Final("", {"domain1": None, "keywords": None})))
    assert found.label is ResultLabel.UNSOLVED
    assert "the answer gives null" in found.rationale


def test_no_answer_at_all_is_unsolved() -> None:
    assert verdict(rollout(refetch(), final=None, end=None)).label is ResultLabel.UNSOLVED


def test_a_broken_constraint_is_a_judge_error_never_unsolved() -> None:
    unit = replace(UNIT, constraint={"required": [{"key": "domain1", "op": "is", "value": 1}]})
    found = verdict(rollout(refetch(), unit=unit))
    assert found.label is ResultLabel.JUDGE_ERROR
    assert "'is' is not an operation" in found.rationale


def test_without_a_constraint_nothing_is_judged_and_the_sources_result_stays() -> None:
    given = Labels(results=(REWARD,), diagnostics={"scores": {"a": 1}})
    labels = measures.label(rollout(unit=replace(UNIT, constraint=None), labels=given))
    assert labels.results == (REWARD,)
    assert labels.diagnostics["scores"] == {"a": 1}


def test_the_sources_result_stands_beside_the_rule_judges_and_labelling_twice_adds_nothing() -> None:
    once = measures.label(rollout(refetch(), labels=Labels(results=(REWARD,))))
    assert [result.judge for result in once.results] == ["tau-bench/reward", "rule/1"]
    assert measures.label(rollout(refetch(), labels=once)) == once


@pytest.mark.parametrize("end", [End.BUDGET, End.PARSE_LIMIT])
def test_a_used_up_rollout_is_unsolved_by_rule_even_without_a_constraint(end: End) -> None:
    made = rollout(merge(), unit=replace(UNIT, constraint=None), final=None, end=end)
    assert verdict(made).label is ResultLabel.UNSOLVED


@pytest.mark.parametrize("end", [End.MODEL_ERROR, End.ENVIRONMENT_ERROR, End.CANCELLED])
def test_an_invalid_rollout_gets_no_label_and_no_verdict(end: End) -> None:
    labels = measures.label(rollout(refetch(), end=end))
    assert (labels.noticed, labels.producer_refetch, labels.state, labels.results) == (None, None, None, ())
    assert set(labels.why_null) == {"noticed", "producer_refetch", "refetch_valid", "state"}


def test_three_unreadable_replies_from_the_start_leave_no_valid_record() -> None:
    labels = measures.label(rollout(final=None, end=End.PARSE_LIMIT))
    assert labels.noticed is None
    assert labels.results == ()


def test_a_title_and_full_width_digits_are_as_good_as_the_id_and_the_number() -> None:
    constraint = {
        "required": [
            {"key": "product_id", "op": "eq", "value": "p_0412", "norm": "entity"},
            {"key": "price_cny", "op": "approx", "value": 1299.0, "norm": "money"},
        ],
        "forbidden": [{"key": "product_id", "op": "in", "value": ["p_0413"], "norm": "entity"}],
    }
    listed = call(
        "GetProductDetail", {}, {"status": "ok", "data": {"product_id": "p_0412", "title": "Yunfeng Trail 3"}}
    )
    unit = replace(UNIT, constraint=constraint)
    answer = Final("It costs １,２９９ 元.", {"product_id": "yunfeng trail 3", "price_cny": "１２９９.００元"})
    assert verdict(rollout(listed, unit=unit, final=answer)).label is ResultLabel.SOLVED


def test_hedging_in_the_object_itself_is_no_answer() -> None:
    for value in ("Finance or Pet", ["Finance", "Pet"]):
        answer = Final("See the result.", {"domain1": value, "keywords": KEYWORDS[:2]})
        assert verdict(rollout(refetch(), final=answer)).label is ResultLabel.UNSOLVED


def test_the_verdict_is_the_same_under_every_condition() -> None:
    verdicts = [verdict(rollout(refetch(), condition=condition)) for condition in Condition]
    assert verdicts == [verdicts[0]] * 3
