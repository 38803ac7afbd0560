"""Signals: how well the detector tells stated anomalies, on sentences written by hand and on real agents' texts.

`tests/data/thoughts.jsonl` holds sentences of our own in the manner of agents, labelled by the definition of a signal and
dealt into halves by turns. The wording was developed on the first half alone; the second half was never looked at while
doing so. All were written by one hand, so the figures are for orientation, not a validation. The second test points at
real trajectories where they lie beside the repository.
"""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from benchmark.core.formats.reading import open_records
from benchmark.core.labelling import signals
from benchmark.core.labelling.lexicon import CHINESE, CHINESE_AFTER_FAILURE, ENGLISH, ENGLISH_AFTER_FAILURE
from benchmark.core.labelling.noticing import answering
from benchmark.core.labelling.trail import Trail, spoken
from benchmark.core.trajectory import Kind, Rollout

THOUGHTS = Path(__file__).parents[2] / "data" / "thoughts.jsonl"
SHARED = Path(__file__).parents[4] / "shared" / "data" / "traces"
PRECISION, RECALL = 0.9, 0.8

# The texts of the shared trajectories that state an anomaly, as (record, step number, field); every other one does not.
REAL_SIGNALS = {
    "taubench_retail_toolcalling_8.json": {
        (6, "R13", "thought"),
        (6, "R13", "arguments/thought"),
        (6, "R15", "thought"),
    },
    "taubench_retail_assertions_agent_4.json": set(),
    "taubench_retail_python_variant_1.json": set(),
    "taubench_airline_docent_single.json": set(),
    "agentcheck_deepseek_langchain_14.json": {(8, "R1", "thought"), (9, "R1", "thought"), (10, "R1", "thought")},
}


def thoughts(half: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in THOUGHTS.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["half"] == half]


def told(row: dict[str, Any]) -> bool:
    return bool(signals.find(row["text"], after_failure=row.get("after_failure", False)))


@pytest.mark.parametrize("half", ["develop", "held_out"])
def test_stated_anomalies_are_told_from_other_thoughts(half: str) -> None:
    rows = thoughts(half)
    right = sum(1 for row in rows if row["signal"] and told(row))
    called = sum(1 for row in rows if told(row))
    stated = sum(1 for row in rows if row["signal"])
    precision, recall = right / called, right / stated
    figures = (
        f"{half}: precision {precision:.3f} ({right}/{called}), recall {recall:.3f} ({right}/{stated}), n {len(rows)}"
    )
    assert precision >= PRECISION, figures
    assert recall >= RECALL, figures


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_language_is_told_about_as_well(language: str) -> None:
    rows = [row for half in ("develop", "held_out") for row in thoughts(half) if row["lang"] == language]
    right = sum(1 for row in rows if row["signal"] == told(row))
    assert right / len(rows) >= 0.85, f"{language}: {right} of {len(rows)} right"


def test_the_hand_labelled_set_is_as_large_as_it_is_said_to_be() -> None:
    assert len(thoughts("develop")) + len(thoughts("held_out")) >= 360
    assert len(ENGLISH + ENGLISH_AFTER_FAILURE + CHINESE + CHINESE_AFTER_FAILURE) >= 120


@pytest.mark.parametrize("name", REAL_SIGNALS)
def test_real_agents_texts_are_told_as_labelled_by_hand(name: str) -> None:
    path = SHARED / name
    if not path.is_file():
        pytest.skip(f"the shared trajectories are not here: {name}")
    with path.open("rb") as stream:
        rollouts = [record.rollout for record in open_records(stream, name)]
    found = {(at, *where) for at, rollout in enumerate(rollouts) if rollout for where in _signalling(rollout)}
    assert found == REAL_SIGNALS[name]


def _signalling(rollout: Rollout) -> set[tuple[str, str]]:
    """Where the continuation's texts state an anomaly, the final answer left out."""
    trail = Trail(rollout)
    answer = answering(trail)
    failed = any(place.step.error for place in trail.places[trail.first_own - 1 : trail.first_own])
    found = set()
    for place in trail.own:
        for field, text in spoken(place):
            if place != answer and signals.find(text, after_failure=failed):
                found.add((place.number, field))
        failed = place.step.error is not None if place.step.kind is Kind.CALL else False
    return found


@pytest.mark.parametrize(
    "text",
    [
        "Unfortunately, this specific option is not available.",
        "There are no direct flights available on that date.",
        "I could not find a cheaper one.",
    ],
)
def test_a_fact_of_the_business_is_no_anomaly(text: str) -> None:
    assert not signals.find(text)


def test_everyday_words_for_a_failure_count_only_after_a_failed_call() -> None:
    text = "There was a problem with that payment method, could you choose another one?"
    assert not signals.find(text)
    assert signals.find(text, after_failure=True)


@pytest.mark.parametrize(
    "text",
    [
        "If this were wrong, the total would be inconsistent.",
        "Nothing contradicts it.",
        "I found no discrepancy, no mismatch and no error.",
        "The user says the label is wrong.",
        "Check whether the category is incorrect, to avoid errors.",
        "如果类目有误，再查一次。",
        "没有矛盾，也没有冲突。",
    ],
)
def test_conditions_denials_and_reports_of_others_are_no_signal(text: str) -> None:
    assert not signals.find(text)


def test_a_question_that_names_the_conflict_is_a_signal() -> None:
    assert signals.find("Why would an accountant's CATL article be filed under Pet/Cat?")
    assert not signals.find("Why is the user asking for this?")


def test_the_words_of_a_signal_are_where_it_says_they_are() -> None:
    text = "İstanbul: the ﬁrst record is fine. The second one contradicts its title.\n第三条也对不上。"
    for signal in signals.find(text):
        assert text[signal.start : signal.end].strip() == signal.words
        assert signal.words in signal.sentence
    assert len(signals.find(text)) == 2


def test_each_sentence_gives_one_signal_at_most() -> None:
    text = "The label is wrong, inconsistent and contradicts the title. The price is missing."
    assert [signal.sentence for signal in signals.find(text)] == [
        "The label is wrong, inconsistent and contradicts the title.",
        "The price is missing.",
    ]


def test_every_rule_has_its_own_name_and_a_known_kind() -> None:
    rows = ENGLISH + ENGLISH_AFTER_FAILURE + CHINESE + CHINESE_AFTER_FAILURE
    names = [rule for rule, _, _, _ in rows]
    assert len(names) == len(set(names))
    assert {kind for _, kind, _, _ in rows} == {
        *("wrong", "inconsistent", "contradictory", "implausible", "missing", "failed", "stale", "mismatch")
    }


@pytest.mark.parametrize(
    "unit",
    [
        "if error with ",
        "the value is not right and ",
        "wrong ",
        "returned ",
        "why would the ",
        "a",
        '" ',
        "这个",
        "如果异常",
    ],
)
def test_the_price_of_a_hostile_text_grows_with_its_length_only(unit: str) -> None:
    def seconds(characters: int) -> float:
        text = unit * (characters // len(unit))
        begin = time.process_time()
        signals.find(text, after_failure=True)
        return time.process_time() - begin

    assert seconds(80_000) < 12 * seconds(10_000) + 0.2
