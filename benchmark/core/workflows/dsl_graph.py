"""The graph of a workflow in our own language."""

from collections.abc import Mapping

from benchmark.core.workflows import checks, dsl
from benchmark.core.workflows.dsl import Branch, End, Kind, Loop, Start, Workflow
from benchmark.core.workflows.expression import INPUT, ITEM, PSEUDO, references
from benchmark.core.workflows.graph import Edges, Node, Role, WorkflowGraph

_ROLES = {Kind.TOOL: Role.TOOL, Kind.CODE: Role.CODE, Kind.LLM: Role.MODEL, Kind.SIDE_EFFECT: Role.SIDE_EFFECT}


def graph_of(workflow: Workflow) -> WorkflowGraph:
    """Make the graph: a node runs behind those it reads, behind its branch and its loop, else behind the start.

    The end waits for every node that nothing else waits for. What `checks.flaws` finds is among the graph's flaws.
    """
    inside = checks.loops(workflow)
    nodes = {node.id: _node(node, inside) for node in workflow.nodes}
    edges = Edges()
    _add_reads(workflow, inside, edges)
    _add_branches_and_loops(workflow, edges)
    _add_start_and_end(workflow, edges)
    return WorkflowGraph(
        language="rite",
        id=workflow.id,
        title=workflow.title,
        family=workflow.family,
        stage=workflow.stage,
        version=str(workflow.version),
        nodes=nodes,
        edges=edges.graph(nodes),
        flaws=tuple(checks.flaws(workflow)),
    )


def _node(node: dsl.Node, inside: Mapping[str, Loop]) -> Node:
    around = inside[node.id].id if node.id in inside else None
    match node:
        case Start():
            return Node(id=node.id, title="", role=Role.START, kind="start")
        case End():
            return Node(id=node.id, title="", role=Role.END, kind="end")
        case Loop():
            return Node(id=node.id, title="", role=Role.LOOP, kind="loop")
        case Branch():
            asks = tuple(reference.path or reference.source for reference in references(node.when))
            return Node(id=node.id, title="", role=Role.BRANCH, kind="branch", inside=around, asks=asks)
    return Node(
        id=node.id,
        title=node.tool,
        role=_ROLES[node.kind],
        kind=node.kind.value,
        inside=around,
        writes=node.kind is Kind.SIDE_EFFECT,
    )


def _add_reads(workflow: Workflow, inside: Mapping[str, Loop], edges: Edges) -> None:
    start = next((node.id for node in workflow.nodes if isinstance(node, Start)), "")
    for use in checks.uses(workflow):
        for reference in references(use.value):
            source = reference.source
            if source == INPUT:
                source = start
            elif source == ITEM:
                source = inside[use.reader].id if use.reader in inside else ""
            if source not in PSEUDO:
                again = use.again is not None
                edges.read(source, use.reader, reference.path.removeprefix("[]").removeprefix("."), again=again)
                edges.run(source, use.reader, again=again)


def _add_branches_and_loops(workflow: Workflow, edges: Edges) -> None:
    for node in workflow.nodes:
        if isinstance(node, Branch):
            edges.run_all(node.id, node.then, "then")
            edges.run_all(node.id, node.otherwise, "else")
            edges.run_all(node.id, node.again, "again", again=True)
        elif isinstance(node, Loop):
            edges.run_all(node.id, node.body, "body")


def _add_start_and_end(workflow: Workflow, edges: Edges) -> None:
    once = [ends for ends, edge in edges.found.items() if not edge["again"]]
    before, behind = {ends[0] for ends in once}, {ends[1] for ends in once}
    acting = [node.id for node in workflow.nodes if not isinstance(node, Start | End)]
    for node in workflow.nodes:
        if isinstance(node, Start):
            edges.run_all(node.id, [name for name in acting if name not in behind])
        elif isinstance(node, End):
            for name in acting:
                if name not in before:
                    edges.run(name, node.id)
