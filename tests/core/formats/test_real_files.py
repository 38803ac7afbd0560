"""Every shared sample file is accounted for, with counts taken from the files by hand."""

from collections import Counter
from pathlib import Path

import pytest

from benchmark.core.formats.reading import Record, Refused, open_records
from benchmark.core.taxonomy import Condition, ModelKind, ResultLabel
from benchmark.core.trajectory import Kind, Step

TRACES = Path(__file__).parents[4] / "shared" / "data" / "traces"

RETAIL = "taubench_retail_toolcalling_8.json"
NO_IDS = "taubench_retail_assertions_agent_4.json"
REUSED_IDS = "taubench_retail_python_variant_1.json"
AIRLINE = "taubench_airline_docent_single.json"
PAIRS = "agentcheck_deepseek_langchain_14.json"
REFUSED = {
    "inspect_browser_gpt-4o-mini.json": "Inspect AI log (the keys eval, status and version): recognised, not read yet.",
    "inspect_docent_ctf.eval": "Inspect AI log (zip with header.json): recognised, not read yet.",
    "inspect_tool_call_errors.json": "Inspect AI log (the keys eval, status and version): recognised, not read yet.",
    "langfuse_microsoft-agent-2025-12-17.json": "Langfuse export (the keys observations and trace): recognised, not read yet.",
    "langfuse_openai-agents-2025-09-30.json": "Langfuse export (the keys observations and trace): recognised, not read yet.",
    "langfuse_pydantic-ai-tools-2025-12-04.json": "Langfuse export (the keys observations and trace): recognised, not read yet.",
    "tau2_airline_gpt-4.1-mini_5.json": "τ²-bench results (the keys simulations and tasks): recognised, not read yet.",
    "tau2_retail_gpt-4.1-mini_1.json": "τ²-bench results (the keys simulations and tasks): recognised, not read yet.",
    "taubench_retail_fewshot_12.jsonl": (
        "Transcript for display (the key messages_display): tool names and arguments are not in this file."
    ),
}


def read(name: str) -> list[Record]:
    path = TRACES / name
    if not path.exists():
        pytest.skip(f"the shared trajectories are not here: {name}")
    with path.open("rb") as stream:
        records = list(open_records(stream, name))
    assert [record.skipped for record in records] == [None] * len(records)
    return records


def calls(records: list[Record]) -> list[Step]:
    return [step for record in records for _, step in record.rollout.numbered() if step.kind is Kind.CALL]


def kinds(steps: list[Step]) -> Counter[str]:
    return Counter(type(step.observation).__name__ for step in steps)


def results(records: list[Record]) -> list[ResultLabel]:
    return [judged.label for record in records for judged in record.rollout.labels.results]


def test_no_shared_file_is_left_without_an_account():
    if not TRACES.exists():
        pytest.skip("the shared trajectories are not here")
    assert {path.name for path in TRACES.iterdir()} == {RETAIL, NO_IDS, REUSED_IDS, AIRLINE, PAIRS, *REFUSED}


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_not_read_are_refused_by_name_with_the_rule_that_told(name):
    path = TRACES / name
    if not path.exists():
        pytest.skip(f"the shared trajectories are not here: {name}")
    with path.open("rb") as stream, pytest.raises(Refused) as refusal:
        next(open_records(stream, name))
    assert refusal.value.why == REFUSED[name]


def test_of_73_retail_observations_52_are_objects_3_numbers_and_18_stay_text():
    records = read(RETAIL)
    steps = calls(records)
    assert len(records) == 8
    assert kinds(steps) == {"dict": 52, "float": 3, "str": 18}
    assert Counter(step.tool for step in steps)["get_order_details"] == 18
    assert [step.observation for step in steps if step.tool == "find_user_id_by_name_zip"][:2] == [
        "yusuf_rossi_9620"
    ] * 2
    assert [step.error.message for step in steps if step.error] == [
        "user not found",
        "the number of items to be exchanged should match",
        "new item 1340995114 not found or available",
        "user not found",
    ]
    assert {step.error.rule for step in steps if step.error} == {"E2"}


def test_retail_rewards_become_result_labels_that_name_what_is_missing():
    records = read(RETAIL)
    solved, unsolved = ResultLabel.SOLVED, ResultLabel.UNSOLVED
    assert results(records) == [solved, solved, unsolved, unsolved, solved, solved, unsolved, unsolved]
    rationales = [record.rollout.labels.results[0].rationale for record in records]
    assert rationales[2].startswith('Reward 0.0. Expected in the agent\'s messages and not found there: "10".')
    assert rationales[7] == (
        "Reward 0.0. Every expected output was said, but the data did not end as the expected actions leave it. "
        'Expected and never called with these arguments: calculate({"expression":"466.75 + 288.82 + 135.24 + 193.38 + 46.66"}); '
        'cancel_pending_order({"order_id":"#W9348897","reason":"no longer needed"}).'
    )


def test_retail_final_answers_are_the_agents_last_words_and_the_users_stop_stays_a_step():
    rollout = read(RETAIL)[1].rollout
    assert rollout.final.answer.startswith("The exchange has been successfully processed.")
    assert rollout.steps[-1].text == "Thank you, that takes care of everything. Have a great day! \n\n###STOP###"
    assert "###STOP###" not in rollout.query
    assert rollout.task.goal.startswith("You are Yusuf Rossi in 19122.")
    assert rollout.task.extra["instruction"].startswith("# Retail agent policy")
    assert (rollout.model, rollout.condition, rollout.unit, rollout.prefix) == (None, None, None, ())


def test_words_beside_a_call_are_its_thought():
    thoughts = [step.thought for step in calls(read(RETAIL)) if step.thought]
    assert len(thoughts) == 4
    assert thoughts[0].startswith("It seems there was an issue with the modification process.")


def test_calls_without_ids_and_with_python_arguments_are_read_whole():
    records = read(NO_IDS)
    steps = calls(records)
    assert len(records) == 4
    assert kinds(steps) == {"dict": 17, "str": 5}
    assert [step.arguments_raw for step in steps] == [None] * 22
    assert steps[0].arguments == {"email": "amelia.gonzalez4271@example.com"}
    assert results(records) == [ResultLabel.SOLVED] * 2 + [ResultLabel.UNSOLVED] * 2
    assert all("written as a Python dict" in record.warnings[0] for record in records)


def test_where_ids_are_used_twice_the_tool_messages_own_name_counts():
    (record,) = read(REUSED_IDS)
    steps = calls([record])
    renamed = [step.tool for step in steps if step.tool != "think"]
    assert (len(record.rollout.steps), len(steps)) == (61, 56)
    assert kinds(steps) == {"str": 48, "dict": 8}
    assert Counter(renamed) == {
        "get_order_details": 5,
        "list_all_product_types": 1,
        "get_product_details": 1,
        "find_user_id_by_name_zip": 1,
        "get_user_details": 1,
    }
    assert all(step.extra == {"called_as": "think"} for step in steps if step.tool != "think")
    assert any("the tool message's own name was used" in warning for warning in record.warnings)


def test_a_trajectory_that_breaks_off_in_a_call_has_no_final_answer():
    (record,) = read(REUSED_IDS)
    assert (record.rollout.final, record.rollout.end) == (None, None)
    assert record.rollout.labels.results[0].rationale.startswith("Reward 0.0. The record does not say why.")


def test_a_bare_record_whose_ids_are_all_zero_pairs_inside_each_turn():
    (record,) = read(AIRLINE)
    steps = calls([record])
    assert kinds(steps) == {"list": 8, "dict": 3, "str": 1}
    assert [step.call_id for step in steps] == ["0"] * 12
    assert [step.error.message for step in steps if step.error] == ["not enough seats on flight HAT213"]
    assert record.rollout.steps[-1].text == " ###STOP###"
    assert record.rollout.final.answer.startswith("\n\nGreat! Your reservation has been successfully booked.")
    assert record.warnings == ()


def test_agentcheck_pairs_have_their_conditions_and_results():
    records = read(PAIRS)
    assert Counter(record.rollout.condition for record in records) == {
        Condition.EXPLICIT: 2,
        Condition.IMPLICIT: 7,
        None: 5,
    }
    assert Counter(results(records)) == {ResultLabel.SOLVED: 8, ResultLabel.UNSOLVED: 6}
    assert {(record.rollout.model.name, record.rollout.model.kind) for record in records} == {
        ("deepseek-v4-pro", ModelKind.LLM)
    }
    assert [len(record.rollout.prefix) for record in records] == [1, 1, 2, 1, 1, 2, 2, 2, 1, 1, 1, 2, 1, 1]
    assert [len(record.rollout.steps) for record in records] == [2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 4, 2, 1]


def test_an_agentcheck_pair_knows_gold_and_polluted_of_the_leaves_that_differ():
    rollout = next(
        record.rollout for record in read(PAIRS) if record.rollout.unit.id == "agentcheck/B3_country_mismatch"
    )
    assert rollout.unit.slot.producers == ("get_country_info",)
    assert rollout.unit.slot.pointers == ("/country", "/capital", "/population", "/currency")
    assert rollout.unit.gold == {"country": "France", "capital": "Paris", "population": 68373433, "currency": "EUR"}
    assert rollout.unit.polluted["capital"] == "Tokyo"
    assert rollout.prefix[0].observation["capital"] == "Tokyo"
    assert rollout.unit.reference[0].observation["capital"] == "Paris"
    assert rollout.steps[0].thought.startswith(
        "It seems the tool returned information for **Japan** instead of France."
    )
    assert rollout.usage == {"prompt_tokens": 1919, "completion_tokens": 226, "total_tokens": 2145}
