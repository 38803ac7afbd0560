"""Dify app exports: every kind of reference, containers, notes, old files, apps without a graph, and keys kept unseen."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from benchmark.core.formats.workflow_file import FileRefused, screen_file
from benchmark.core.workflows import dify
from benchmark.core.workflows.dify import DifyRefused
from benchmark.core.workflows.graph import Role, WorkflowGraph
from benchmark.core.workflows.reasons import Reason, Rule
from tests.core.workflows.dify_apps import app, chain_parts, node, read

KEY = "sk-live-4f9d1c"


def made(nodes: list[dict[str, Any]], edges: Sequence[tuple[str, ...]] = ()) -> WorkflowGraph:
    return dify.read(app(nodes, list(edges)), "app.yml")


def reads_of(graph: WorkflowGraph) -> dict[tuple[str, str], set[str]]:
    return {(before, behind): reads for before, behind, reads in graph.edges.edges(data="reads") if reads}


@pytest.mark.parametrize(
    ("consumer", "path"),
    [
        (node("b", "code", variables=[read("x", "a", "body", "price")], outputs={}), "body.price"),
        (node("b", "if-else", cases=[{"case_id": "true", "conditions": [{"variable_selector": ["a", "n"]}]}]), "n"),
        (node("b", "knowledge-retrieval", query_variable_selector=["a", "text"]), "text"),
        (node("b", "iteration", iterator_selector=["a", "rows"]), "rows"),
        (node("b", "llm", prompt_template=[{"role": "user", "text": "Of {{#a.text#}} say all."}]), "text"),
        (node("b", "http-request", url="https://x/{{#a.id#}}", method="get"), "id"),
        (node("b", "answer", answer="{{#a.text#}}"), "text"),
        (node("b", "tool", tool_parameters={"q": {"type": "mixed", "value": "{{#a.word#}}"}}), "word"),
        (node("b", "tool", tool_parameters={"q": {"type": "variable", "value": ["a", "word"]}}), "word"),
        (node("b", "parameter-extractor", query=["a", "text"], parameters=[]), "text"),
        (node("b", "variable-aggregator", variables=[["a", "text"], ["sys", "query"]]), "text"),
        (node("b", "assigner", input_variable_selector=["a", "text"], assigned_variable_selector=["conversation", "x"]), "text"),
        (node("b", "assigner", items=[{"input_type": "variable", "value": ["a", "text"], "variable_selector": ["conversation", "x"]}]), "text"),
        (node("b", "loop", loop_variables=[{"value_type": "variable", "value": ["a", "first"]}]), "first"),
    ],
)  # fmt: skip
def test_a_value_read_of_another_node_is_found_wherever_dify_writes_it(consumer: dict[str, Any], path: str) -> None:
    assert reads_of(made([node("a", "llm"), consumer])) == {("a", "b"): {path}}


@pytest.mark.parametrize(
    "consumer",
    [
        node("b", "llm", context={"enabled": False, "variable_selector": ["a", "text"]}),
        node("b", "tool", tool_parameters={"q": {"type": "constant", "value": "a"}}),
        node(
            "b", "llm", prompt_template=[{"text": "{{#sys.query#}} {{#env.url#}} {{#conversation.x#}} {{#context#}}"}]
        ),
        node("b", "assigner", assigned_variable_selector=["a", "x"]),
    ],
)
def test_what_is_switched_off_constant_or_of_the_platform_is_no_read(consumer: dict[str, Any]) -> None:
    graph = made([node("a", "llm"), consumer])
    assert (reads_of(graph), graph.flaws) == ({}, ())


def test_the_body_of_an_iteration_hangs_on_it_and_gives_its_answer_back() -> None:
    graph = made(
        [
            node("start", "start", variables=[{"variable": "rows"}]),
            node("each", "iteration", iterator_selector=["start", "rows"], output_selector=["two", "text"], start_node_id="s"),
            node("s", "iteration-start", inside="each"),
            node("one", "llm", inside="each", prompt_template=[{"text": "{{#each.item#}}"}]),
            node("two", "llm", inside="each", prompt_template=[{"text": "{{#one.text#}}"}]),
            node("end", "end", outputs=[read("all", "each", "output")]),
        ],
        [("start", "each"), ("s", "one"), ("one", "two"), ("each", "end")],
    )  # fmt: skip
    exits = {(before, behind) for before, behind, exits in graph.edges.edges(data="exits") if exits}
    assert exits == {("start", "each"), ("each", "s"), ("s", "one"), ("one", "two"), ("each", "end")}
    assert reads_of(graph)[("each", "one")] == {"item"}
    assert {node.id for node in graph.nodes.values() if node.inside == "each"} == {"s", "one", "two"}


def test_notes_on_the_canvas_are_no_nodes() -> None:
    note = {"id": "n", "type": "custom-note", "data": {"type": "", "text": "do not forget"}}
    assert list(made([node("a", "llm"), note]).nodes) == ["a"]


def test_the_exits_of_branches_classifiers_and_caught_errors_are_known() -> None:
    graph = made(
        [
            node("new", "if-else", cases=[{"case_id": "true"}, {"case_id": "c2"}]),
            node("old", "if-else", conditions=[], logical_operator="and"),
            node("class", "question-classifier", classes=[{"id": "1", "name": "a"}, {"id": "2", "name": "b"}]),
            node("caught", "http-request", method="get", error_strategy="fail-branch"),
        ]
    )
    assert [one.exits for one in graph.nodes.values()] == [
        ("true", "c2", "false"),
        ("true", "false"),
        ("1", "2"),
        ("source", "fail-branch"),
    ]


@pytest.mark.parametrize(
    ("one", "writes"),
    [
        (node("a", "http-request", method="get"), False),
        (node("a", "http-request", method="POST"), True),
        (node("a", "tool", tool_name="query_order"), False),
        (node("a", "tool", tool_name="sendMessage"), True),
        (node("a", "tool", tool_name="update_row"), True),
        (node("a", "tool", tool_name="t1", tool_label="删除订单"), True),
        (node("a", "tool", tool_name="address_lookup"), False),
        (node("a", "assigner"), True),
        (node("a", "llm"), False),
    ],
)
def test_what_writes_sends_or_pays_is_a_side_effect(one: dict[str, Any], writes: bool) -> None:
    assert made([one]).nodes["a"].writes is writes


def test_an_unknown_type_is_taken_for_a_tool_and_said() -> None:
    graph = made([node("a", "quantum-leap")])
    assert graph.nodes["a"].role is Role.TOOL
    assert graph.notes == ("“a” (a) has the unknown type quantum-leap; it is taken for a tool.",)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"variables": [read("x", "gone", "output")]}, "“t3” (t3) reads output of a node that is not there: gone."),
        ({"variables": [read("x", "start", "colour")]}, "“t3” (t3) reads colour of “start” (start), which does not give it."),
        ({"template": "{{#gone.text#}}"}, "“t3” (t3) reads text of a node that is not there: gone."),
    ],
)  # fmt: skip
def test_a_reference_to_nothing_is_told(damage: dict[str, Any], said: str) -> None:
    nodes, edges = chain_parts()
    nodes[3]["data"].update(damage)
    assert made(nodes, edges).flaws == (Reason(Rule.DANGLING, said),)


def test_an_edge_to_nothing_and_by_a_missing_exit_is_told() -> None:
    nodes, edges = chain_parts()
    nodes.append(node("branch", "if-else", cases=[{"case_id": "true"}]))
    graph = made(nodes, [*edges, ("t1", "gone"), ("branch", "t2", "c9")])
    assert [flaw.text for flaw in graph.flaws] == [
        "An edge at “t1” (t1) leads to or from a node that is not there: gone.",
        "An edge leaves “branch” (branch) by an exit that it does not have.",
    ]


@pytest.mark.parametrize(
    ("mode", "rule", "said"),
    [
        ("agent-chat", Rule.AGENT, "autonomous agent"),
        ("chat", Rule.INCOMPLETE, "mode chat has no graph"),
        ("completion", Rule.INCOMPLETE, "mode completion has no graph"),
    ],
)
def test_an_app_without_a_graph_is_refused_with_its_reason(mode: str, rule: Rule, said: str) -> None:
    content = yaml.safe_dump({"app": {"name": "A", "mode": mode}, "kind": "app", "model_config": {}}).encode()
    (reason,) = screen_file(content, "app.yml").reasons
    assert reason.rule is rule
    assert said in reason.text


def test_no_key_of_a_file_is_ever_shown() -> None:
    nodes, edges = chain_parts()
    secret = {"type": "api-key", "config": {"api_key": KEY}}
    nodes[2]["data"] |= {
        "type": "http-request",
        "method": "post",
        "url": f"https://x/?k={KEY}",
        "authorization": secret,
    }
    nodes[3]["data"] |= {"type": "http-request", "method": "get", "headers": f"Authorization: Bearer {KEY}"}
    nodes[4]["data"] |= {"type": "http-request", "method": "get", "headers": "Authorization: Bearer {{#env.key#}}"}
    nodes[5]["data"] |= {"type": "code", "code": f"key = '{KEY}'", "outputs": {"output": {}}}
    data = yaml.safe_load(app(nodes, edges))
    data["workflow"]["environment_variables"] = [{"name": "key", "value": KEY, "value_type": "secret"}]
    verdict = screen_file(yaml.safe_dump(data).encode(), "app.yml")
    assert KEY not in repr(verdict)
    assert (
        verdict.notes[0] == "The file holds what looks like a key in 3 places: take it out before the file is shared."
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("app: x", "app.yml, line 1, app: Keys and values are needed here."),
        ("app: {mode: workflow}\nworkflow: {}", "app.yml, line 2, workflow.graph: Keys and values are needed here."),
        ("app: {mode: workflow}\nworkflow:\n  graph: {nodes: x}", "app.yml, line 3, workflow.graph.nodes: A list is needed here."),
        ("app: {mode: workflow}\nworkflow:\n  graph:\n    nodes:\n    - 5", "app.yml, line 5, workflow.graph.nodes.1: Keys and values"),
        ("app: {mode: workflow}\nworkflow:\n  graph:\n    nodes:\n    - {data: {type: llm}}", "app.yml, line 5, workflow.graph.nodes.1.id: Every"),
        (f"app: {{mode: a}}\nkey: {KEY}\nkey: {KEY}", "app.yml, line 3, key: Write this key once"),
        (f"app: {{mode: a}}\nkey: '{KEY}", "app.yml, line 2: This is not a Dify app export in YAML"),
        (f"app: {{mode: a}}\nx: &k {KEY}\ny: *k", "app.yml, line 2: This is not a Dify app export in YAML: anchors"),
    ],
)  # fmt: skip
def test_a_broken_export_is_refused_with_its_place_and_without_its_values(content: str, said: str) -> None:
    with pytest.raises(DifyRefused) as refused:
        dify.read(content.encode(), "app.yml")
    assert str(refused.value).startswith(said)
    assert KEY not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Refund check", "refund check"),
        ("Refund check v2", "refund check"),
        ("Refund Check (1.3) copy", "refund check"),
        ("退款检查 副本", "退款检查"),
        ("2024", "2024"),
    ],
)
def test_versions_and_copies_of_an_app_are_one_family(name: str, family: str) -> None:
    assert dify.family_of(name) == family


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything in a value."""
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in entries:
        yield from places(one, (*path, key))


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.sampled_from(["", "t1", "{{#t1.output#}}", "loop"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["type", "id", "value", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.data())
def test_whatever_stands_in_an_export_it_is_screened_or_refused(data: st.DataObject) -> None:
    nodes, edges = chain_parts()
    nodes.append(node("branch", "if-else", cases=[{"case_id": "true", "conditions": []}]))
    nodes.append(node("call", "http-request", method="get", authorization={"config": {"api_key": "k"}}))
    nodes.append(node("set", "assigner", items=[{"input_type": "variable", "value": ["t1", "output"]}]))
    export = yaml.safe_load(app(nodes, edges))
    *around, last = data.draw(st.sampled_from(list(places(export))))
    holder = export
    for key in around:
        holder = holder[key]
    holder[last] = data.draw(JSON)
    with suppress(FileRefused):
        screen_file(yaml.safe_dump(export).encode(), "app.yml")
