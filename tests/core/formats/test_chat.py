"""Chat messages in every dialect and every awkward shape become the steps they stand for. All records are made up."""

import copy
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.core import text
from benchmark.core.formats import chat
from benchmark.core.formats.outcome import Read, Unreadable
from benchmark.core.formats.reading import open_records
from benchmark.core.taxonomy import End, ResultLabel
from benchmark.core.trajectory import ABSENT, Actor, Kind, Step, StepError

SHA = "0123456789abcdef" * 4


def read(*messages: Any, **beside: Any) -> Read:
    return chat.read({"messages": list(messages), **beside}, SHA)


def user(words: Any) -> dict:
    return {"role": "user", "content": words}


def call(name: str, arguments: Any = "{}", call_id: str | None = None) -> dict:
    made = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return made if call_id is None else {"id": call_id, **made}


def asks(*calls: dict, content: Any = None, **beside: Any) -> dict:
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **beside}


def answers(content: Any, call_id: str | None = None, name: str | None = None) -> dict:
    beside = {key: value for key, value in (("tool_call_id", call_id), ("name", name)) if value is not None}
    return {"role": "tool", "content": content, **beside}


def steps(read: Read) -> tuple[Step, ...]:
    return read.rollout.steps


def calls(read: Read) -> list[Step]:
    return [step for step in steps(read) if step.kind is Kind.CALL]


def says(words: str) -> dict:
    return {"role": "assistant", "content": words}


PRICE = (user("Price of A1?"), asks(call("get_price", '{"sku":"A1"}', "c1")), answers('{"price":9.50}', "c1"))


def test_a_call_keeps_its_arguments_and_observation_as_they_were_written():
    (step,) = calls(read(*PRICE, says("9.50")))
    assert (step.tool, step.arguments, step.call_id) == ("get_price", {"sku": "A1"}, "c1")
    assert text.write(step.observation) == '{"price":9.50}'


@pytest.mark.parametrize(
    ("content", "observation"),
    [
        ("yusuf_rossi_9620", "yusuf_rossi_9620"),
        ("54.04", 54.04),
        ("true", True),
        ("null", None),
        ("[]", []),
        ('"quoted"', '"quoted"'),
        ('{"a":1,"a":2}', '{"a":1,"a":2}'),
        ("NaN", "NaN"),
        ("[INFO] started", "[INFO] started"),
        ("", ""),
        ({"already": "parsed"}, {"already": "parsed"}),
        ([{"type": "text", "text": '{"a":'}, {"type": "text", "text": "1}"}], {"a": 1}),
        ([{"type": "text", "text": "seen"}, {"type": "image_url", "image_url": {}}], "seen\n[image_url left out]"),
        (None, None),
    ],
)
def test_an_observation_is_parsed_only_where_it_is_json_and_loses_nothing(content, observation):
    (step,) = calls(read(user("?"), asks(call("t", "{}", "c1")), answers(content, "c1")))
    assert step.observation == observation
    assert type(step.observation) is type(observation)


def test_python_arguments_without_ids_are_read_with_a_warning():
    turn = {"role": "assistant", "tool_calls": [call("find", "{'zip': '19122', 'deep': [1, None, True, -2.5]}")]}
    found = read(user("?"), turn, answers("ann_lee_1", name="find"))
    assert calls(found)[0].arguments == {"zip": "19122", "deep": [1, None, True, -2.5]}
    assert found.warnings == ("arguments written as a Python dict were read as an object (R2)",)


@pytest.mark.parametrize(
    ("source", "raw"),
    [
        ('{"sku": "A1"', '{"sku": "A1"'),
        ("sku=A1", "sku=A1"),
        ("[1]", "[1]"),
        ('{"a":1,"a":2}', '{"a":1,"a":2}'),
        ("{'a': 1, 'a': 2}", "{'a': 1, 'a': 2}"),
        ("{'a': {1, 2}}", "{'a': {1, 2}}"),
        ("{'a': open('x')}", "{'a': open('x')}"),
        ('{"a": NaN}', '{"a": NaN}'),
        ("{" * 3000, "{" * 3000),
        ([1, 2], "[1,2]"),
    ],
)
def test_arguments_that_cannot_be_parsed_are_never_replaced_by_an_empty_object(source, raw):
    found = read(user("?"), asks(call("t", source, "c1")), answers("done", "c1"))
    (step,) = calls(found)
    assert (step.arguments, step.arguments_raw) == (None, raw)
    assert any("kept as text (R2)" in warning for warning in found.warnings)


def test_arguments_encoded_twice_are_read_with_a_warning():
    found = read(user("?"), asks(call("t", json.dumps('{"a": 1}'), "c1")), answers("done", "c1"))
    assert calls(found)[0].arguments == {"a": 1}
    assert found.warnings == ("arguments encoded as JSON twice were read as an object (R2)",)


def test_parallel_calls_are_steps_of_one_group_answered_in_any_order():
    found = read(
        user("?"),
        asks(call("a", "{}", "1"), call("b", "{}", "2"), call("c", "{}", "3"), content="Three at once."),
        answers("third", "3"),
        answers("first", "1"),
        answers("second", "2"),
        asks(call("d", "{}", "4")),
        answers("alone", "4"),
        says("done"),
    )
    assert [(step.tool, step.observation, step.group) for step in calls(found)] == [
        ("a", "first", 1),
        ("b", "second", 1),
        ("c", "third", 1),
        ("d", "alone", None),
    ]
    assert [step.thought for step in calls(found)] == ["Three at once.", None, None, None]


def test_parallel_calls_without_ids_are_paired_by_the_tools_name_then_by_order():
    found = read(
        user("?"),
        asks(call("a"), call("b"), call("c")),
        answers("of b", name="b"),
        answers("one"),
        answers("two"),
    )
    assert [(step.tool, step.observation) for step in calls(found)] == [("a", "one"), ("b", "of b"), ("c", "two")]


def test_ids_that_repeat_in_a_file_pair_only_inside_their_turn():
    found = read(
        user("?"),
        asks(call("a", "{}", "0")),
        answers("first", "0"),
        asks(call("a", "{}", "0")),
        answers("second", "0"),
        asks(call("a", "{}", "0")),
    )
    assert [step.observation for step in calls(found)] == ["first", "second", ABSENT]
    assert calls(found)[2].error == StepError("missing", "no observation was found for this call", "E4")
    assert found.warnings == ("a call has no answer in its turn (R4)",)


def test_where_an_id_repeats_the_tool_messages_own_name_is_trusted():
    found = read(
        user("?"),
        asks(call("think", "{}", "x")),
        answers("{}", "x", name="list_products"),
        asks(call("think", "{}", "x")),
        answers("", "x", name="think"),
    )
    assert [(step.tool, step.extra) for step in calls(found)] == [
        ("list_products", {"called_as": "think"}),
        ("think", {}),
    ]
    assert "the tool message's own name was used" in found.warnings[0]


def test_where_an_id_is_unique_the_calls_name_is_kept():
    found = read(user("?"), asks(call("get_price", "{}", "x")), answers("1", "x", name="functions.get_price"))
    assert calls(found)[0].tool == "get_price"
    assert found.warnings == ("a tool message names another tool than its call does; the call's name was kept (R2)",)


def test_an_answer_without_a_call_is_kept():
    found = read(*PRICE, answers("late", "zz", name="other"), says("ok"))
    assert [(step.tool, step.observation, step.arguments) for step in calls(found)][1] == ("other", "late", None)
    assert found.warnings == ("a tool message answers no call, so its arguments are not known (R3)",)


def test_a_call_without_a_function_is_not_dropped():
    found = read(
        user("?"), {"role": "assistant", "tool_calls": ["get_price(A1)", {"id": "c2"}]}, answers("9", "c2", "get")
    )
    assert [(step.tool, step.arguments, step.arguments_raw) for step in calls(found)] == [
        ("(unnamed)", None, "get_price(A1)"),
        ("get", None, None),
    ]


def test_the_last_words_are_the_answer_and_not_a_step():
    found = read(
        user("Hi"), says("Which one?"), user("A1"), *PRICE[1:], says("It costs 9.50."), user("Thanks ###STOP###")
    )
    rollout = found.rollout
    assert (rollout.final.answer, rollout.end) == ("It costs 9.50.", End.ANSWERED)
    assert [(step.actor, step.text) for step in rollout.steps if step.kind is Kind.MESSAGE] == [
        (Actor.USER, "Hi"),
        (Actor.AGENT, "Which one?"),
        (Actor.USER, "A1"),
        (Actor.USER, "Thanks ###STOP###"),
    ]
    assert rollout.query == "Hi\n\nA1\n\nThanks"


def test_words_that_calls_follow_are_no_answer():
    rollout = read(user("Hi"), says("One moment."), *PRICE[1:]).rollout
    assert (rollout.final, rollout.end) == (None, None)
    assert [step.text for step in rollout.steps if step.actor is Actor.AGENT and step.text] == ["One moment."]


def test_the_first_system_words_are_the_instruction_and_later_ones_are_steps():
    found = read(
        {"role": "system", "content": "Be kind."}, *PRICE, {"role": "developer", "content": "Hurry."}, says("9")
    )
    assert found.rollout.task.extra == {"instruction": "Be kind."}
    assert [(step.actor, step.text) for step in steps(found)][-1] == (Actor.SYSTEM, "Hurry.")


def test_no_content_and_the_word_none_say_nothing():
    found = read(user("?"), asks(call("t", "{}", "c1"), content="None"), answers("None", "c1"), says("ok"))
    assert (calls(found)[0].thought, calls(found)[0].observation) == (None, "None")
    assert found.warnings == ("the content 'None' was read as no content",)


@pytest.mark.parametrize(
    ("message", "thought", "words"),
    [
        ({"content": "Hm.", "reasoning_content": "Odd price."}, "Odd price.\n\nHm.", None),
        ({"content": None, "reasoning": "Odd price."}, "Odd price.", None),
        ({"content": "<think>Odd price.</think>\n\nChecking."}, "Odd price.\n\nChecking.", None),
        ({"content": "Odd price.</think>Checking."}, "Odd price.\n\nChecking.", None),
        ({"content": "<think>Odd pri"}, "Odd pri", None),
        ({"content": "Use <think> tags"}, "Use <think> tags", None),
        ({"content": [{"type": "thinking", "thinking": "Odd."}, {"type": "text", "text": "So."}]}, "Odd.\n\nSo.", None),
        ({"content": [{"type": "redacted_thinking", "data": "…"}, {"type": "text", "text": "So."}]}, "So.", None),
    ],
)
def test_reasoning_is_kept_as_the_thought_of_the_call_it_precedes(message, thought, words):
    found = read(user("?"), {"role": "assistant", **message, "tool_calls": [call("t", "{}", "c1")]}, answers("1", "c1"))
    assert calls(found)[0].thought == thought


def test_reasoning_before_the_answer_is_kept_as_a_step_of_its_own():
    found = read(*PRICE, {"role": "assistant", "content": "<think>Is that right?</think>9.50"})
    assert found.rollout.final.answer == "9.50"
    assert (steps(found)[-1].kind, steps(found)[-1].thought, steps(found)[-1].text) == (
        Kind.MESSAGE,
        "Is that right?",
        None,
    )


def test_a_hundred_thousand_think_tags_are_read_in_no_time():
    found = read(*PRICE, says("</think>" + "<think>" * 100_000 + "Odd."))
    assert steps(found)[-1].thought.endswith("Odd.")


def test_the_older_function_call_is_read():
    found = read(
        user("?"),
        {"role": "assistant", "content": None, "function_call": {"name": "get_price", "arguments": '{"sku":"A1"}'}},
        {"role": "function", "name": "get_price", "content": "9.5"},
        says("9.50"),
    )
    assert [(step.tool, step.arguments, step.observation) for step in calls(found)] == [
        ("get_price", {"sku": "A1"}, 9.5)
    ]


def test_anthropic_blocks_are_read_with_their_own_word_on_failure():
    found = read(
        user([{"type": "text", "text": "Both prices?"}]),
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Two look-ups."},
                {"type": "tool_use", "id": "t1", "name": "get_price", "input": {"sku": "A1"}},
                {"type": "tool_use", "id": "t2", "name": "get_price", "input": {"sku": "A2"}},
            ],
        },
        user(
            [
                {"type": "tool_result", "tool_use_id": "t2", "content": "no such article", "is_error": True},
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [{"type": "text", "text": "9.5"}],
                    "is_error": False,
                },
                {"type": "text", "text": "Go on."},
            ]
        ),
        {"role": "assistant", "content": [{"type": "text", "text": "A1 costs 9.50."}]},
        system="Be brief.",
    )
    assert [(step.arguments["sku"], step.observation, step.error, step.group) for step in calls(found)] == [
        ("A1", 9.5, None, 1),
        ("A2", "no such article", StepError("error", "no such article", "E1"), 1),
    ]
    assert (steps(found)[-1].actor, steps(found)[-1].text) == (Actor.USER, "Go on.")
    assert found.rollout.task.extra == {"instruction": "Be brief."}


def test_responses_items_of_one_turn_are_put_together():
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "Both prices?"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Two look-ups."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]},
        {"type": "function_call", "call_id": "f1", "name": "get_price", "arguments": '{"sku":"A1"}'},
        {"type": "function_call", "call_id": "f2", "name": "get_price", "arguments": '{"sku":"A2"}'},
        {"type": "function_call_output", "call_id": "f1", "output": "9.5"},
        {"type": "function_call_output", "call_id": "f2", "output": '{"error":"gone"}'},
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Once more."}]},
        {"type": "function_call", "call_id": "f3", "name": "get_price", "arguments": '{"sku":"A2"}'},
        {"type": "function_call_output", "call_id": "f3", "output": "8"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "9.50 and 8."}]},
    ]
    for record in (items, {"items": items}, {"input": items[:1], "output": items[1:]}):
        found = chat.read(record, SHA)
        assert [(step.call_id, step.thought, step.observation, step.group) for step in calls(found)] == [
            ("f1", "Two look-ups.\n\nLooking.", 9.5, 1),
            ("f2", None, {"error": "gone"}, 1),
            ("f3", "Once more.", 8, None),
        ]
        assert found.rollout.final.answer == "9.50 and 8."


def test_a_record_without_a_tool_call_says_what_was_seen():
    with pytest.raises(Unreadable) as why:
        read({"role": "system", "content": "x"}, user("Hi"), says("Hello"), user("Bye"))
    assert str(why.value) == (
        "nothing to import: no tool call was made. Messages seen: 1 by the agent, 2 by the user, 1 by the system."
    )
    with pytest.raises(
        Unreadable, match="There are 1 tool results, but tool names and arguments are not in this record"
    ):
        read(user("Hi"), answers("9.5"))


@pytest.mark.parametrize("record", [None, 5, "text", {}, {"messages": []}, {"messages": "none"}, {"traj": [1, 2]}])
def test_what_is_no_trajectory_is_refused_in_words(record):
    with pytest.raises(Unreadable):
        chat.read(record, SHA)


def test_model_tokens_and_short_facts_of_the_record_are_kept():
    found = read(*PRICE, model="gpt-x", usage={"prompt_tokens": 5}, id="run-7", seed=3, blob={"a": 1}, note="n" * 2000)
    rollout = found.rollout
    assert (rollout.model.name, rollout.usage, rollout.id) == ("gpt-x", {"prompt_tokens": 5}, "chat/run-7/0123456789ab")
    assert rollout.extra == {"origin": {"format": "chat", "seed": 3}}


def tau(reward: Any, info: dict, **beside: Any) -> Read:
    messages = [*PRICE, says("It costs 9.50."), user("###STOP###")]
    return chat.read({"task_id": 3, "trial": 0, "reward": reward, "info": info, "traj": messages, **beside}, SHA)


TASK = {
    "user_id": "ann_lee_1",
    "instruction": "You want the price.",
    "actions": [{"name": "get_price", "kwargs": {"sku": "A1"}}, {"name": "buy", "kwargs": {"sku": "A1", "n": 2}}],
    "outputs": ["9.50"],
}


def test_the_hidden_goal_and_the_authors_expectations_stand_beside_the_query():
    task = tau(1.0, {"task": TASK}).rollout.task
    assert (task.query, task.goal, task.goal_heading) == (
        "Price of A1?",
        "You want the price.",
        "The user's hidden goal",
    )
    (evidence,) = task.reference
    assert evidence.heading == "Expected by the task's author, known to be wrong in places"
    assert evidence.value == {"actions": TASK["actions"], "outputs": ["9.50"]}


@pytest.mark.parametrize(
    ("reward", "details", "label", "rationale"),
    [
        (
            1.0,
            {},
            "solved",
            "Reward 1: the data ended as the expected actions leave it, and every expected output was said.",
        ),
        (0.9999999, {}, "solved", "Reward 1: the data ended"),
        (1, {}, "solved", "Reward 1: the data ended"),
        (
            0.0,
            {"r_outputs": 0.0, "outputs": {"9.50": True, "18.00": False}},
            "unsolved",
            'Reward 0.0. Expected in the agent\'s messages and not found there: "18.00". '
            'Expected and never called with these arguments: buy({"sku":"A1","n":2}).',
        ),
        (
            0.0,
            {"r_actions": 0.0},
            "unsolved",
            "Reward 0.0. The data did not end as the expected actions leave it. Expected",
        ),
        (0.5, None, "unsolved", "Reward 0.5. The record does not say why. Expected"),
    ],
)
def test_the_reward_is_a_result_label_with_its_reason(reward, details, label, rationale):
    info = {"task": TASK, "reward_info": {"reward": reward, "info": details} if details is not None else None}
    labels = tau(reward, info).rollout.labels
    assert labels.results[0].judge == "tau-bench/reward"
    assert labels.results[0].label is ResultLabel(label)
    assert labels.results[0].rationale.startswith(rationale)
    assert labels.diagnostics == {"reward": reward}


@pytest.mark.parametrize("reward", [None, "1.0", True, [1]])
def test_a_reward_that_is_no_number_is_no_label(reward):
    assert tau(reward, {"task": TASK}).rollout.labels is None


def test_the_same_record_has_the_same_identity_in_whatever_file_it_comes():
    record = {"messages": list(PRICE), "seed": 1.50}
    turned = {"seed": 1.50, "messages": list(PRICE)}
    bodies = [json.dumps(record).encode(), json.dumps([turned], indent=3).encode(), json.dumps([1, record]).encode()]
    digests = {found.sha256 for body in bodies for found in open_records(io.BytesIO(body), "x") if found.rollout}
    assert len(digests) == 1


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.sampled_from([{}, []]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    found = []
    waiting = [value]
    while waiting:
        value = waiting.pop()
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in inner:
            found.append((value, key))
            waiting.append(item)
    return found


def tau_record() -> dict:
    info = {"task": TASK, "reward_info": {"reward": 0.0, "info": {"r_outputs": 0.0, "outputs": {"9.50": False}}}}
    blocks = [{"type": "tool_use", "id": "t1", "name": "a", "input": {}}, {"type": "thinking", "thinking": "x"}]
    traj = [*PRICE, {"role": "assistant", "content": blocks}, user([{"type": "tool_result", "tool_use_id": "t1"}])]
    items = [
        {"type": "function_call", "call_id": "f", "name": "b", "arguments": "{}"},
        {"type": "function_call_output"},
    ]
    return json.loads(json.dumps({"task_id": 1, "reward": 0.0, "info": info, "traj": [*traj, *items]}))


@settings(deadline=None)
@given(st.data())
def test_a_record_with_any_value_in_any_place_is_read_or_refused_in_words(data):
    record = tau_record()
    for _ in range(data.draw(st.integers(1, 4))):
        holder, key = data.draw(st.sampled_from(_places(record)))
        holder[key] = copy.deepcopy(data.draw(JUNK))
    try:
        found = chat.read(record, SHA)
    except Unreadable:
        return
    assert calls(found)
