"""A workflow as a graph, whichever language it was written in: who runs behind whom, and who reads what of whom."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from benchmark.core.workflows.reasons import Reason

if TYPE_CHECKING:
    from networkx import DiGraph


class Role(StrEnum):
    """What a node is to the screening."""

    START = "start"
    END = "end"
    TOOL = "tool"
    MODEL = "model"
    CODE = "code"
    SIDE_EFFECT = "side effect"
    BRANCH = "branch"
    LOOP = "loop"
    PLUMBING = "plumbing"
    AGENT = "agent"
    PERSON = "person"


WORKING = frozenset({Role.TOOL, Role.MODEL, Role.CODE, Role.SIDE_EFFECT, Role.AGENT, Role.PERSON})
INTERFACES = frozenset({Role.TOOL, Role.MODEL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One node: its role, the kind its own language calls it, and what the screening asks about it.

    `inside` is the loop around it. `exits` are the ways out that a branch declares, `gives` the fields a node declares
    (None: it declares none). `asks` are the names of the values a branch decides by. `draws` says that it draws by chance.
    """

    id: str
    title: str
    role: Role
    kind: str
    inside: str | None = None
    writes: bool = False
    exits: tuple[str, ...] = ()
    gives: frozenset[str] | None = None
    asks: tuple[str, ...] = ()
    draws: bool = False

    @property
    def name(self) -> str:
        """The node in sentences."""
        return f"“{self.title}” ({self.id})" if self.title else self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowGraph:
    """Nodes by id, and edges: each has `reads` (fields), `exits` (control) and `again` (only for a bounded second run).

    `flaws` are reasons to refuse that were found while it was made, `notes` what a reader should know.
    """

    language: str
    id: str
    title: str
    family: str
    stage: str = ""
    version: str = ""
    nodes: Mapping[str, Node]
    edges: "DiGraph[str]"
    flaws: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()

    def having(self, role: Role) -> list[Node]:
        """The nodes of a role, in their order."""
        return [node for node in self.nodes.values() if node.role is role]


@dataclass(slots=True)
class Edges:
    """Edges as they are found; several between two nodes become one that holds all of them."""

    found: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def read(self, producer: str, consumer: str, path: str, *, again: bool = False) -> None:
        """A node reads a field (empty: all) of another."""
        self._between(producer, consumer, again)["reads"].add(path)

    def run(self, before: str, behind: str, exit: str = "", *, again: bool = False) -> None:
        """A node runs behind another, by one of its exits."""
        self._between(before, behind, again)["exits"].add(exit)

    def run_all(self, before: str, behind: Iterable[str], exit: str = "", *, again: bool = False) -> None:
        """Several nodes run behind one, by the same exit."""
        for name in behind:
            self.run(before, name, exit, again=again)

    def graph(self, nodes: Iterable[str]) -> "DiGraph[str]":
        """The nodes with all edges between them; edges to other nodes are left out."""
        from networkx import DiGraph

        graph: DiGraph[str] = DiGraph()
        graph.add_nodes_from(nodes)
        graph.add_edges_from(
            (*ends, held) for ends, held in self.found.items() if ends[0] in graph and ends[1] in graph
        )
        return graph

    def _between(self, before: str, behind: str, again: bool) -> dict[str, Any]:
        edge = self.found.setdefault((before, behind), {"reads": set(), "exits": set(), "again": again})
        edge["again"] = edge["again"] and again
        return edge


def control(graph: WorkflowGraph) -> "DiGraph[str]":
    """Only who runs behind whom."""
    return _only(graph, "exits")


def unreachable(graph: WorkflowGraph) -> list[str]:
    """Nodes that no start leads to, in their order."""
    from networkx import descendants

    runs = control(graph)
    reached = {node.id for node in graph.having(Role.START)}
    for start in tuple(reached):
        reached |= descendants(runs, start)
    return [name for name in graph.nodes if name not in reached]


def without_result(graph: WorkflowGraph) -> set[str]:
    """Nodes that a run can come to without having passed an end: where it stops there, it stops without a result."""
    from networkx import descendants

    runs = control(graph)
    runs.remove_nodes_from([node.id for node in graph.having(Role.END)])
    starts = [node.id for node in graph.having(Role.START)]
    return {*starts, *(name for start in starts for name in descendants(runs, start))}


def cycles(graph: WorkflowGraph) -> list[list[str]]:
    """Groups of nodes that wait for each other and do not all stand in one loop, each in the nodes' order."""
    from networkx import strongly_connected_components, subgraph_view

    once = subgraph_view(graph.edges, filter_edge=lambda *ends: not graph.edges.edges[ends]["again"])
    found = []
    for group in strongly_connected_components(once):
        if len(group) == 1 and not once.has_edge(*group, *group):
            continue
        around = [{graph.nodes[name].inside, name if graph.nodes[name].role is Role.LOOP else None} for name in group]
        if not set.intersection(*around) - {None}:
            found.append([name for name in graph.nodes if name in group])
    return sorted(found)


def read_too_early(graph: WorkflowGraph) -> list[tuple[str, str]]:
    """Producer and consumer wherever a node reads another that never runs before it; a loop may read its own body."""
    from networkx import descendants

    runs = control(graph)
    found = []
    for producer in graph.nodes:
        behind = descendants(runs, producer)
        for _, consumer, read in graph.edges.out_edges(producer, data="reads"):
            if read and consumer not in behind and graph.nodes[producer].inside != consumer:
                found.append((producer, consumer))
    return found


def consumers(graph: WorkflowGraph, producer: str, field: str = "") -> list[str]:
    """Nodes that read a field of a producer (or all of it), in their order; with no field named, anything of it."""
    found = {
        consumer
        for _, consumer, reads in graph.edges.out_edges(producer, data="reads")
        if reads and (not field or any(path == "" or _first(path) == field for path in reads))
    }
    return [name for name in graph.nodes if name in found]


def way_to_result(graph: WorkflowGraph, consumer: str) -> list[str]:
    """The shortest chain of reads from a node to an end that gives a result; empty where nothing of it gets there."""
    from networkx import single_source_shortest_path

    ways = single_source_shortest_path(_only(graph, "reads"), consumer)
    ends = [ways[node.id] for node in graph.having(Role.END) if node.id in ways]
    return min(ends, key=len, default=[])


def _only(graph: WorkflowGraph, held: str) -> "DiGraph[str]":
    from networkx import DiGraph

    kept: DiGraph[str] = DiGraph()
    kept.add_nodes_from(graph.nodes)
    kept.add_edges_from((before, behind) for before, behind, has in graph.edges.edges(data=held) if has)
    return kept


def _first(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]
