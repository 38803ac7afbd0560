"""Workflow files in our own language: every mistake is told with file, line, node and key."""

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from benchmark.core.workflows import checks, dsl, dsl_graph, graph, shape
from benchmark.core.workflows.dsl import WorkflowRefused
from benchmark.core.workflows.reasons import Rule
from benchmark.core.workflows.screening import screen

WF06 = (Path(__file__).parents[3] / "fixtures" / "sources" / "workflows" / "wf06.yaml").read_text(encoding="utf-8")

PAGES = """
dsl: rite.workflow/1
id: pages
title: Pages
stage: test
family: pages
version: 1
inputs: {type: object, properties: {feed: {type: string}}, required: [feed], additionalProperties: false}
functions: [Within]
nodes:
  - {id: n01, kind: start}
  - {id: n02, kind: loop, until: $n03.next = null, most: 9, body: [n03]}
  - {id: n03, kind: tool, tool: FetchPage, purpose: Fetch a page., arguments: {feed: $in.feed, page: "$n03.next?", at: $clock}}
  - {id: n04, kind: code, tool: Parse, purpose: Parse the pages., arguments: {pages: '$n03[]'}}
  - {id: n05, kind: branch, when: "= count($n04.records) = 0", then: [n06], else: [n07]}
  - {id: n06, kind: tool, tool: Fallback, purpose: Fall back., arguments: {feed: $in.feed}}
  - {id: n07, kind: code, tool: Cut, purpose: Cut the records., arguments: {records: "= Within($n04.records, $in.feed)"}}
  - {id: n08, kind: end, result: {records: "$n06.records? else $n07.records?", found: $n05}}
"""


def problems(source: str) -> tuple[str, ...]:
    with pytest.raises(WorkflowRefused) as refused:
        checks.load(source.encode(), "w.yaml")
    return refused.value.problems


def mended(old: str, new: str, source: str = WF06) -> str:
    assert old in source
    return source.replace(old, new, 1)


def test_paging_declared_functions_and_both_exits_of_a_branch_can_be_written() -> None:
    made = dsl_graph.graph_of(checks.load(PAGES.encode(), "pages.yaml"))
    assert graph.cycles(made) == []
    assert graph.consumers(made, "n03") == ["n02", "n03", "n04"]
    assert graph.way_to_result(made, "n04") == ["n04", "n05", "n08"]


def test_the_published_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(shape.schema())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    tool: FilterRooms", "    tol: FilterRooms", "w.yaml, line 156, node n16, tol: Take this key out or mend its name"),
        ("    tool: FilterRooms", "    tol: FilterRooms", "w.yaml, line 154, node n16: Add the key tool; it is missing."),
        ("version: 1", 'version: "1"', "w.yaml, line 6, version: Write a whole number from 1 on, not “1”."),
        ("version: 1", "version: true", "w.yaml, line 6, version: Write a whole number from 1 on, not “true”."),
        ("kind: loop", "kind: lop", "w.yaml, line 67, node n06, kind: Write start or tool or code or llm"),
        ("    first: 5", "    until: $n07", "w.yaml, line 66, node n06: Write a loop with `over`"),
        ("id: n12", "id: n11", "w.yaml, line 116, node n11, id: Give each node an id of its own; n11 stands in line 106"),
        ("n09.confidence < 0.45", "n09.confidence <", "w.yaml, line 100, node n10, when: Finish it"),
        ("type: integer, minimum: 0", "type: whole", "w.yaml, line 17, inputs.properties.request_ts.type: This is not JSON Schema"),
        ("required: [user_id,", "required: [user,", "w.yaml, line 19, inputs.required.1: There is no input “user”"),
        ("stage: cross", "id: cross", "w.yaml, line 4, id: Write this key once; it stands in line 2 already."),
        ("dsl: rite.workflow/1", "dsl: rite.workflow/2", "w.yaml, line 1, dsl: Write rite.workflow/1, not"),
        ("title: Cross", "title: &x Cross", "w.yaml, line 3: This is not a workflow file in YAML: anchors and aliases"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_told_with_line_node_and_key(old: str, new: str, said: str) -> None:
    assert any(problem.startswith(said) for problem in problems(mended(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("city: $n02.city", "city: $n99.city", "line 132, node n13, arguments.city: $n99.city reads a node that is not there: n99."),
        ("as_of: $in.request_ts", "as_of: $in.ts", "line 34, node n02, arguments.as_of: $in.ts reads an input that is not there"),
        ("notice: $n18.required_notice?", "notice: $n18.required_notice", "line 187, node n19, arguments.notice: $n18.required_notice reads a node that may not have run"),
        ("videos: $n07[]", "videos: $n07", "line 87, node n08, arguments.videos: $n07 reads one of many rounds; write $n07[]"),
        ("$item.video_id", "$n07[].id", "line 78, node n07, arguments.video_id: $n07[].id reads all rounds from inside the loop"),
        ("lives: $n04.records", "lives: $item.records", "$item.records is no element of a loop"),
        ("articles: $n03.records", "articles: $n12.x", "line 85, node n08, arguments.articles: $n12.x reads a node that runs later"),
        ("over: $n05.records", "over: $n06", "line 68, node n06, over: $n06 reads a node that gives nothing"),
        ("domain: $n09\n", "domain: $n17.x\n", "$n17.x reads a field of a branch"),
        ("then: [n18]", "then: [n40]", "line 167, node n17, then.1: There is no node n40."),
        ("then: [n18]", "then: [n04]", "line 167, node n17, then.1: n04 stands before n17; write it behind."),
        ("then: [n18]", "then: [n11]", "n11 stands before n17"),
        ("      n09:\n", "      n12:\n", "node n10, again.n12: Name a tool, code or llm node that stands before"),
        ("body: [n07]", "body: [n07, n08]", "node n09, arguments.signals: $n08.signals reads one of many rounds"),
        ("limit: 20", "limit: = Best(20)", "node n03, arguments.limit: There is no function “Best”"),
        ("SearchArticles", "FilterRooms", "line 22, corroborating.2: FilterRooms is called by a node"),
        ("    kind: start", "    kind: tool\n    tool: Foo\n    purpose: x", "nodes: Write one start node, as the first node."),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_told_with_line_node_and_key(old: str, new: str, said: str) -> None:
    assert any(said in problem for problem in problems(mended(old, new)))


def test_a_node_under_two_branches_is_refused() -> None:
    said = problems(mended("else: [n07]", "else: [n07, n06]", PAGES))
    assert any("node n06: Name this node under one branch only; it stands under 2." in problem for problem in said)


def test_every_mistake_is_told_at_once() -> None:
    source = mended("$n02.city", "$n99.city", mended("then: [n18]", "then: [n40]"))
    assert len(problems(source)) >= 2


def test_a_file_that_is_too_large_is_not_read() -> None:
    said = problems("# " + "x" * dsl.MOST_BYTES)
    assert said == (f"w.yaml: A workflow file has at most {dsl.MOST_BYTES} bytes, this one has {dsl.MOST_BYTES + 2}.",)


def test_a_damaged_workflow_gets_its_reasons_in_the_screening() -> None:
    source = mended("$n02.city", "$n99.city", mended("articles: $n03.records", "articles: $n12.x"))
    verdict = screen(dsl_graph.graph_of(dsl.read(source.encode(), "w.yaml")), "w.yaml")
    assert {reason.rule for reason in verdict.reasons} == {Rule.DANGLING, Rule.CYCLE}
    assert any("line 132, node n13, arguments.city" in reason.text for reason in verdict.reasons)


def test_the_example_in_the_documentation_can_be_run() -> None:
    text = (Path(__file__).parents[3] / "docs" / "workflows.md").read_text(encoding="utf-8")
    example = text.partition("```yaml\n")[2].partition("```")[0]
    made = dsl_graph.graph_of(checks.load(example.encode(), "docs/workflows.md"))
    assert graph.way_to_result(made, "n03") == ["n03", "n04", "n07"]
