"""Our own language holds a whole workflow of the release: wf06, as it is specified."""

from collections import Counter
from pathlib import Path

import pytest

from benchmark.core.workflows import checks, dsl_graph, graph
from benchmark.core.workflows.dsl import Act, Branch, Loop, Workflow
from benchmark.core.workflows.expression import Reference
from benchmark.core.workflows.graph import WorkflowGraph
from benchmark.core.workflows.screening import screen

FILE = Path(__file__).parents[3] / "fixtures" / "sources" / "workflows" / "wf06.yaml"


@pytest.fixture(scope="module")
def workflow() -> Workflow:
    return checks.load(FILE.read_bytes(), FILE.name)


@pytest.fixture(scope="module")
def wf06(workflow: Workflow) -> WorkflowGraph:
    return dsl_graph.graph_of(workflow)


def test_it_has_the_22_nodes_and_12_interfaces_of_its_specification(wf06: WorkflowGraph) -> None:
    assert list(wf06.nodes) == [f"n{number:02}" for number in range(1, 23)]
    assert Counter(node.kind for node in wf06.nodes.values()) == {
        "start": 1, "tool": 10, "code": 3, "llm": 2, "branch": 2, "loop": 1, "side_effect": 2, "end": 1,
    }  # fmt: skip
    assert screen(wf06, FILE.name).counts.interfaces == 12


def test_it_is_kept_and_its_two_writes_are_neutralised(wf06: WorkflowGraph) -> None:
    verdict = screen(wf06, FILE.name)
    assert verdict.keep
    assert verdict.neutralise == (
        "“UpdateInterestMemory” (n20), side_effect",
        "“ReportInterestTag” (n21), side_effect",
    )


def test_only_the_builder_of_the_encoder_input_is_hidden(workflow: Workflow) -> None:
    hidden = [node.tool for node in workflow.nodes if isinstance(node, Act) and node.hidden]
    assert hidden == ["BuildEncoderInput"]


def test_the_five_longest_watched_videos_are_read(workflow: Workflow) -> None:
    loop = next(node for node in workflow.nodes if isinstance(node, Loop))
    assert (loop.over, loop.by, loop.first, loop.body) == (Reference("n05", ("records",)), "watch_sec", 5, ("n07",))


def test_an_unsettled_domain_is_decided_once_more_with_the_searches(workflow: Workflow, wf06: WorkflowGraph) -> None:
    branch = next(node for node in workflow.nodes if isinstance(node, Branch))
    assert (branch.then, branch.again) == (("n11",), {"n09": {"queries": Reference("n11", ("queries",))}})
    assert graph.consumers(wf06, "n11", "queries") == ["n09"]
    assert graph.cycles(wf06) == []


def test_an_article_s_category_goes_through_signals_and_domain_to_the_result(wf06: WorkflowGraph) -> None:
    assert graph.consumers(wf06, "n03", "records") == ["n08"]
    assert graph.way_to_result(wf06, "n08") == ["n08", "n09", "n22"]


def test_the_encoder_s_input_comes_from_the_hidden_node(wf06: WorkflowGraph) -> None:
    assert graph.consumers(wf06, "n13", "domain2") == ["n14"]
    assert graph.consumers(wf06, "n13", "nothing") == []


def test_what_is_only_written_away_does_not_reach_the_result(wf06: WorkflowGraph) -> None:
    assert graph.way_to_result(wf06, "n20") == []
