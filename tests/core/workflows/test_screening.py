"""The structural screening: each rule refuses what it is about, and leaves alone what only looks like it."""

from typing import Any

import pytest

from benchmark.core.workflows import dify
from benchmark.core.workflows.reasons import Rule
from benchmark.core.workflows.screening import Verdict, choose, screen
from tests.core.workflows.dify_apps import app, chain, chain_parts, node, read

Parts = tuple[list[dict[str, Any]], list[tuple[str, ...]]]


def verdict(content: bytes, file: str = "app.yml") -> Verdict:
    return screen(dify.read(content, file), file)


def rules(content: bytes) -> list[Rule]:
    return [reason.rule for reason in verdict(content).reasons]


def branched(*exits: str) -> Parts:
    """A chain in whose middle stands a branch with the exits true and false, of which some are connected."""
    nodes, edges = chain_parts(7)
    nodes[4]["data"] = {"type": "if-else", "title": "t4", "cases": [{"case_id": "true", "conditions": []}]}
    nodes[5]["data"]["variables"] = [read("x", "t3", "output")]
    edges = [edge for edge in edges if edge[0] != "t4"]
    return nodes, [*edges, *(("t4", "t5", exit) for exit in exits)]


def test_a_complete_chain_of_six_is_kept() -> None:
    assert verdict(chain(6)).reasons == ()


def test_five_working_nodes_are_too_few() -> None:
    assert rules(chain(5)) == [Rule.SHORT]


def test_branches_joins_and_answers_do_no_work_of_their_own() -> None:
    nodes, edges = chain_parts(5)
    nodes[1:1] = [
        node("branch", "if-else", cases=[{"case_id": "true"}]),
        node("join", "variable-aggregator", variables=[]),
    ]
    edges[0:1] = [("start", "branch"), ("branch", "join", "true"), ("branch", "join", "false"), ("join", "t1")]
    assert rules(app(nodes, edges)) == [Rule.SHORT]


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (node("t1", "knowledge-retrieval", query_variable_selector=["start", "output"]), [Rule.WRAPPER, Rule.SHORT]),
        (node("t1", "http-request", method="get"), [Rule.WRAPPER, Rule.SHORT]),
        (node("t1", "http-request", method="post"), [Rule.SHORT]),
        (node("t1", "llm"), [Rule.SHORT]),
    ],
)
def test_one_retrieval_alone_is_a_wrapper(one: dict[str, Any], expected: list[Rule]) -> None:
    nodes, edges = chain_parts(1)
    assert rules(app([nodes[0], one, nodes[2]], edges)) == expected


@pytest.mark.parametrize(("kind", "rule"), [("agent", Rule.AGENT), ("human-input", Rule.PERSON)])
def test_what_chooses_its_own_way_is_refused(kind: str, rule: Rule) -> None:
    nodes, edges = chain_parts()
    nodes[3]["data"]["type"] = kind
    assert rules(app(nodes, edges)) == [rule]


@pytest.mark.parametrize(
    "title", ["A/B test of greetings", "AB-Test", "split test", "灰度发布", "Refund, control group"]
)
def test_a_title_that_names_an_experiment_is_an_ab_test(title: str) -> None:
    assert rules(chain(name=title)) == [Rule.AB_TEST]


@pytest.mark.parametrize("title", ["Cable test", "A and B", "Numeric buckets", "Find similar variants", "Tab group"])
def test_a_title_that_only_sounds_like_one_is_not(title: str) -> None:
    assert rules(chain(name=title)) == []


def test_a_branch_on_the_arm_of_an_experiment_is_an_ab_test() -> None:
    nodes, edges = branched("true", "false")
    nodes[0]["data"]["variables"].append({"variable": "ab_group"})
    nodes[4]["data"]["cases"][0]["conditions"] = [{"variable_selector": ["start", "ab_group"]}]
    assert rules(app(nodes, edges)) == [Rule.AB_TEST]


def test_a_branch_on_a_number_drawn_by_chance_is_an_ab_test() -> None:
    nodes, edges = branched("true", "false")
    nodes[2]["data"] |= {"type": "code", "code": "import random", "outputs": {"output": {}, "arm": {}}}
    nodes[4]["data"]["cases"][0]["conditions"] = [{"variable_selector": ["t2", "arm"]}]
    assert rules(app(nodes, edges)) == [Rule.AB_TEST]


@pytest.mark.parametrize("kind", ["start", "end"])
def test_without_a_start_or_an_end_it_is_incomplete(kind: str) -> None:
    nodes, edges = chain_parts(8)
    nodes = [one for one in nodes if one["data"]["type"] != kind]
    nodes[0]["data"]["variables"] = []
    edges = [edge for edge in edges if kind not in edge]
    assert Rule.INCOMPLETE in rules(app(nodes, edges))


@pytest.mark.parametrize(
    ("exits", "said"),
    [
        (("true",), "A run that leaves “t4” (t4) by its exit “false” stops there without a result."),
        (("false",), "A run that leaves “t4” (t4) by its exit “true” stops there without a result."),
    ],
)
def test_an_exit_that_leads_nowhere_is_incomplete(exits: tuple[str, ...], said: str) -> None:
    found = verdict(app(*branched(*exits)))
    assert [reason.text for reason in found.reasons] == [said]


def test_a_caught_error_that_leads_nowhere_is_incomplete() -> None:
    nodes, edges = chain_parts()
    nodes[4]["data"] |= {"error_strategy": "fail-branch"}
    found = verdict(app(nodes, edges))
    assert [reason.text for reason in found.reasons] == [
        "A run that leaves “t4” (t4) by its exit “fail-branch” stops there without a result."
    ]
    assert rules(app(nodes, [*edges, ("t4", "end", "fail-branch")])) == []


def test_both_exits_connected_are_complete() -> None:
    assert rules(app(*branched("true", "false"))) == []


def test_an_exit_that_leads_nowhere_behind_an_answer_is_only_noted() -> None:
    nodes, edges = branched("true")
    nodes.append(node("hello", "answer", answer="Hello"))
    edges = [edge for edge in edges if edge != ("start", "t1")] + [("start", "hello"), ("hello", "t1")]
    found = verdict(app(nodes, edges))
    assert found.reasons == ()
    assert "A run that leaves “t4” (t4) by its exit “false” ends there, behind an earlier answer." in found.notes


def test_a_way_that_stops_before_the_end_is_incomplete() -> None:
    nodes, edges = chain_parts()
    nodes.append(node("side", "llm", prompt_template=[{"text": "{{#t2.output#}}"}]))
    assert rules(app(nodes, [*edges, ("t2", "side")])) == [Rule.INCOMPLETE]


def test_a_part_the_start_does_not_lead_to_is_unreachable_and_named() -> None:
    nodes, edges = chain_parts()
    nodes += [node("x", "llm"), node("y", "llm")]
    found = verdict(app(nodes, [*edges, ("x", "y"), ("y", "end")]))
    assert [(reason.rule, reason.text) for reason in found.reasons] == [
        (Rule.UNREACHABLE, "Nothing leads from the start to “x” (x)."),
        (Rule.UNREACHABLE, "Nothing leads from the start to “y” (y)."),
    ]


def test_nodes_that_wait_for_each_other_are_a_cycle() -> None:
    nodes, edges = chain_parts()
    found = verdict(app(nodes, [*edges, ("t4", "t2")]))
    assert [(reason.rule, reason.text) for reason in found.reasons] == [
        (Rule.CYCLE, "These wait for each other outside a loop: “t2” (t2), “t3” (t3), “t4” (t4).")
    ]


def test_a_loop_may_go_round() -> None:
    nodes, edges = chain_parts()
    nodes[3:3] = [
        node("loop", "loop", start_node_id="first", break_conditions=[{"variable_selector": ["second", "text"]}]),
        node("first", "llm", inside="loop", prompt_template=[{"text": "{{#loop.n#}}"}]),
        node("second", "assigner", inside="loop", input_variable_selector=["first", "text"]),
    ]
    edges = [edge for edge in edges if edge != ("t2", "t3")]
    assert rules(app(nodes, [*edges, ("t2", "loop"), ("first", "second"), ("loop", "t3")])) == []


def test_reading_a_node_that_never_ran_before_is_dangling() -> None:
    nodes, edges = chain_parts()
    nodes[2]["data"]["variables"] = [read("x", "t5", "output")]
    found = verdict(app(nodes, edges))
    assert [reason.text for reason in found.reasons if reason.rule is Rule.DANGLING] == [
        "“t2” (t2) reads “t5” (t5), which never runs before it."
    ]


def test_every_reason_is_given_not_only_the_first() -> None:
    nodes, edges = chain_parts(3)
    nodes[1]["data"]["type"] = "agent"
    nodes[2]["data"]["variables"] = [read("x", "gone", "output")]
    nodes.append(node("lost", "llm"))
    edges += [("lost", "end")]
    assert set(rules(app(nodes, edges, name="AB test"))) == {
        Rule.AGENT,
        Rule.SHORT,
        Rule.AB_TEST,
        Rule.DANGLING,
        Rule.UNREACHABLE,
    }


def test_one_of_each_family_is_chosen_the_most_complete_with_the_reason() -> None:
    richer, edges = chain_parts(6)
    richer[3]["data"]["type"] = "llm"
    verdicts = [
        verdict(chain(9, name="Refund v1"), "a.yml"),
        verdict(app(richer, edges, name="Refund v2"), "b.yml"),
        verdict(chain(3, name="Refund v3"), "c.yml"),
        verdict(chain(6, name="Routing"), "d.yml"),
    ]
    refund, routing = choose(verdicts)
    assert (refund.family, refund.chosen.file) == ("refund", "b.yml")
    assert [passed.file for passed in refund.passed_over] == ["a.yml"]
    assert refund.why == (
        "It is the most complete: 1 interfaces, 6 working nodes, 8 nodes; against 0 interfaces, 9 working nodes, 11 nodes in a.yml."
    )
    assert (routing.chosen.file, routing.why) == ("d.yml", "It is the only one of its family that is kept.")


def test_the_choice_does_not_hang_on_the_order_of_the_files() -> None:
    verdicts = [verdict(chain(6, name="Refund"), name) for name in ("b.yml", "a.yml", "c.yml")]
    assert {choose(order)[0].chosen.file for order in (verdicts, verdicts[::-1])} == {"a.yml"}
