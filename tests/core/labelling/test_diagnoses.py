"""The reading of a rollout: diagnoses, marks, highlights, chips, evidence steps."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from benchmark.core.formats.reading import open_records
from benchmark.core.labelling import diagnoses, measures
from benchmark.core.labelling.diagnoses import Chip, Reading, new_observations
from benchmark.core.taxonomy import Condition, End
from benchmark.core.text import parse
from benchmark.core.trajectory import Final, Kind, Rollout, Step
from tests.core.labelling.article_unit import (
    ENCODED,
    INPUT_UNIT,
    MERGED,
    UNAVAILABLE,
    WRONG,
    call,
    history,
    merge,
    refetch,
    rollout,
)
from tests.core.labelling.test_measures import ROLLOUTS

DOUBT = "An accountant's article about CATL. Pet does not fit it."
DEMO = Path(__file__).parents[3] / "fixtures" / "sources" / "demo"


def read(made: Rollout) -> Reading:
    return diagnoses.read(made, measures.label(made))


def chips(made: Rollout) -> dict[str, Chip]:
    return {chip.kind: chip for chip in read(made).chips}


def test_the_slot_says_what_it_shows_under_each_condition() -> None:
    said = {condition: read(rollout(condition=condition)).steps["P2"] for condition in Condition}
    assert said[Condition.CORRECT].diagnosis == "The slot shows the gold value “Finance / Stocks”."
    assert (
        said[Condition.IMPLICIT].diagnosis
        == "The slot shows the polluted value “Pet / Cat” in place of “Finance / Stocks”."
    )
    assert (
        said[Condition.EXPLICIT].diagnosis
        == "The slot shows no valid value. The call fails (UpstreamUnavailable: no answer)."
    )
    assert all("slot" in step.marks for step in said.values())
    assert "error" in said[Condition.EXPLICIT].marks


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            refetch(),
            "Calls the producer again with the recorded arguments; it returns the gold value “Finance / Stocks”.",
        ),
        (
            refetch(history("Pet", "Cat")),
            "Calls the producer again with the recorded arguments; it returns the polluted value “Pet / Cat”.",
        ),
        (
            refetch(history("Career", "AI"), limit=3),
            "Calls the producer again with other arguments; it returns “Career / AI”, neither the gold nor the polluted value.",
        ),
        (
            refetch(UNAVAILABLE),
            "The call fails (UpstreamUnavailable: no answer). Calls the producer again with the recorded arguments; it returns no valid value for the slot.",
        ),
        (refetch(user_id="u_2"), "Calls the producer for another entity; this says nothing about the slot."),
    ],
)
def test_a_refetch_says_what_it_returned(step: Step, said: str) -> None:
    told = read(rollout(step)).steps["R1"]
    assert told.diagnosis == said
    assert "refetch" in told.marks


def test_the_first_use_of_the_polluted_value_is_marked_once() -> None:
    told = read(rollout(merge(), call("KeywordEncoder", {"domain2": "Cat"}, ENCODED))).steps
    assert "first_polluted_use" in told["R1"].marks
    assert "first_polluted_use" not in told["R2"].marks
    assert told["R2"].diagnosis == "Uses the polluted value “Pet / Cat”."


def test_a_reference_carries_what_the_step_it_names_showed() -> None:
    told = read(rollout(refetch(), merge(source="R1"))).steps["R2"]
    assert told.diagnosis == "Uses the gold value “Finance / Stocks”."


def test_signal_words_are_highlighted_where_they_stand() -> None:
    told = read(rollout(refetch(thought=DOUBT))).steps["R1"]
    (light,) = told.highlights
    assert light.field == "thought"
    assert DOUBT[light.start : light.end] == light.words == "does not fit"
    assert {"signal", "remedial", "refetch", "new", "replay"} <= set(told.marks)


def test_a_statement_about_something_else_is_told_but_not_marked() -> None:
    told = read(rollout(refetch(thought="The profile of P1 looks wrong."))).steps["R1"]
    assert "signal" not in told.marks
    assert "does not concern the affected evidence" in told.diagnosis


def test_the_last_message_is_marked_as_the_answer_and_says_what_it_rests_on() -> None:
    stop = Step(kind=Kind.MESSAGE, thought="Done.", text=WRONG.answer)
    told = read(rollout(merge(), stop, final=WRONG))
    assert told.steps["R2"].marks == ("answer",)
    assert told.steps["R2"].diagnosis == told.answer == "The answer rests on the polluted value."
    assert told.judgment["results"] == [{"judge": "rule/1", "label": "unsolved", "step": "R2"}]


def test_chips_tell_the_progression_of_the_published_kind_noticed_recovered_and_lost_again() -> None:
    made = rollout(refetch(thought=DOUBT), merge(source="P2"), final=WRONG)
    found = chips(made)
    assert [(chip.kind, chip.value, chip.step) for chip in found.values()] == [
        ("prefix", "polluted", "P2"),
        ("verification", "gold", "R1"),
        ("use", "polluted", "R2"),
        ("answer", "polluted", None),
    ]


def test_chips_say_failed_none_and_neither_in_words() -> None:
    found = chips(rollout(condition=Condition.EXPLICIT, final=Final("I cannot tell.", {"domain1": None})))
    assert {kind: chip.value for kind, chip in found.items()} == {
        "prefix": "failed",
        "verification": "none",
        "use": "none",
        "answer": "other",
    }
    assert chips(rollout(final=None, end=None))["answer"].value in ("none", "other")


def test_verification_may_be_a_silent_refetch_or_a_corroborating_call() -> None:
    assert chips(rollout(refetch()))["verification"].value == "gold"
    assert chips(rollout(refetch(UNAVAILABLE)))["verification"].value == "failed"
    detail = call("GetArticleDetail", {"article_id": "a_12"}, {"status": "ok", "data": {}})
    assert chips(rollout(detail))["verification"] == Chip("verification", "checked", "GetArticleDetail", "R1")


def test_a_tool_input_slot_is_read_from_the_consumers_argument() -> None:
    prefix = (call("PriceCart", {"coupon_id": "cp_0083"}, {"status": "ok", "data": {}}),)
    again = call("PriceCart", {"coupon_id": "cp_0081"}, {"status": "ok", "data": {}})
    told = read(rollout(again, unit=INPUT_UNIT, prefix=prefix))
    assert told.steps["P1"].diagnosis == "The slot shows the polluted value “cp_0083” in place of “cp_0081”."
    assert told.steps["R1"].diagnosis == "Uses the gold value “cp_0081”."


def test_new_means_in_no_earlier_step_whatever_the_order_of_keys_or_the_writing_of_numbers() -> None:
    observations = [
        parse('{"a":1,"b":[2.50]}'),
        parse('{"b":[2.5],"a":1.0}'),
        {"a": 2},
        "x",
        "x",
        None,
        None,
        0,
        False,
        [],
    ]
    steps = [call("t", {}, observation) for observation in observations]
    assert new_observations(steps) == [True, False, True, True, False, True, False, True, True, True]


def test_what_the_prefix_showed_is_not_new_and_nothing_in_the_prefix_is() -> None:
    told = read(rollout(refetch(history("Pet", "Cat")), merge())).steps
    assert "new" not in told["P1"].marks
    assert "new" not in told["R1"].marks
    assert "new" in told["R2"].marks


def test_replay_and_live_are_told_from_the_steps_source() -> None:
    live = replace(call("SearchNews", {"q": "x"}, MERGED), source="live")
    told = read(rollout(live, merge())).steps
    assert "live" in told["R1"].marks
    assert "replay" in told["R2"].marks
    recorded = replace(live, source="recorded")
    assert not {"live", "replay"} & set(read(rollout(recorded)).steps["R1"].marks)


def test_an_invalid_rollout_is_read_without_labels() -> None:
    made = rollout(refetch(UNAVAILABLE), end=End.MODEL_ERROR)
    told = read(made)
    assert told.chips == ()
    assert told.steps["R1"].marks == ("replay", "error")
    assert told.judgment["noticed"]["value"] is None


def test_a_record_without_a_unit_has_neither_slot_nor_chips() -> None:
    made = rollout(call("get_order", {}, "Error: order not found", None), unit=None, prefix=(), final=Final("Sorry."))
    told = read(made)
    assert told.chips == ()
    assert told.steps["R1"].diagnosis == "The call fails (Error: order not found)."


@given(ROLLOUTS)
def test_a_reading_is_json_and_the_quick_way_gives_the_same(made: Rollout) -> None:
    labels, told = diagnoses.label_and_read(made)
    assert labels == measures.label(made)
    assert told == diagnoses.read(made, labels)
    assert json.loads(json.dumps(told.to_json())) == told.to_json()
    assert all(set(step.marks) <= set(diagnoses.MARKS) for step in told.steps.values())


@given(ROLLOUTS)
def test_every_highlight_holds_its_words(made: Rollout) -> None:
    steps = dict(made.numbered())
    for number, step in read(made).steps.items():
        for light in step.highlights:
            said = steps[number].thought if light.field == "thought" else steps[number].text
            assert said is not None
            assert said[light.start : light.end].strip() == light.words


PUBLISHED = {
    "case1-interval-s1-implicit-published": (True, True, "recovered", "unsolved", "polluted"),
    "case2-articles-s1-implicit-published": (False, False, "residual", "unsolved", "polluted"),
}


def test_the_two_published_cases_get_the_published_labels() -> None:
    path = DEMO / "published_cases.jsonl"
    with path.open("rb") as stream:
        rollouts = [record.rollout for record in open_records(stream, path.name)]
    found = {}
    for made in rollouts:
        labels = measures.label(made)
        used = next(chip for chip in diagnoses.read(made, labels).chips if chip.kind == "use")
        found[made.id] = (labels.noticed, labels.producer_refetch, labels.state, labels.results[-1].label, used.value)
    assert found == PUBLISHED
