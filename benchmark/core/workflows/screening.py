"""The structural screening: which workflows are complete deterministic graphs, with every reason why one is not."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from benchmark.core.workflows import graph as graphs
from benchmark.core.workflows.graph import INTERFACES, WORKING, Node, Role, WorkflowGraph
from benchmark.core.workflows.reasons import Reason, Rule

FEWEST_WORKING_NODES = 6

_AB_TITLE = re.compile(
    r"\ba\s*/?\s*b[\s_-]*(?:test|split|experiment|group|bucket)|\bsplit[\s_-]?test|\b(?:control|treatment)[\s_-]group"
    r"|\bexperiment[\s_-](?:arm|bucket|group|variant)|a/?b\s*(?:测试|实验|分流|分组)|灰度|实验组|对照组|分流实验",
    re.IGNORECASE,
)
_AB_FIELD = re.compile(
    r"(?:^|[._])(?:ab|exp|experiment|variant|treatment)_?(?:test|group|arm|bucket|flag|variant)(?:$|[._\[])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a graph holds. `working` nodes call, compute or write; `interfaces` are those that face a tool or a model."""

    nodes: int
    working: int
    interfaces: int
    tools: int
    models: int
    branches: int
    loops: int
    side_effects: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a workflow is kept, every reason if it is not, what must be neutralised, and what a reader should know."""

    file: str
    language: str
    id: str
    title: str
    family: str
    stage: str
    version: str
    reasons: tuple[Reason, ...]
    neutralise: tuple[str, ...]
    notes: tuple[str, ...]
    counts: Counts

    @property
    def keep(self) -> bool:
        """Kept is what nothing speaks against."""
        return not self.reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The workflow that stands for a task family, the others of it, and why."""

    family: str
    chosen: Verdict
    passed_over: tuple[Verdict, ...]
    why: str


def screen(graph: WorkflowGraph, file: str) -> Verdict:
    """Give the verdict on one workflow, in whichever language it was written."""
    return Verdict(
        file=file,
        language=graph.language,
        id=graph.id,
        title=graph.title,
        family=graph.family,
        stage=graph.stage,
        version=graph.version,
        reasons=tuple(dict.fromkeys(_reasons(graph))),
        neutralise=tuple(_neutralise(graph)),
        notes=(*graph.notes, *_notes(graph)),
        counts=_counts(graph),
    )


def choose(verdicts: Iterable[Verdict]) -> list[Choice]:
    """Choose one workflow for each task family among the kept ones: the most complete.

    More complete is: more interfaces, then more working nodes, then more nodes, then the later version; the file's name
    settles what is left.
    """
    kept = sorted((verdict for verdict in verdicts if verdict.keep), key=lambda verdict: verdict.family)
    choices = []
    for family, members in groupby(kept, key=lambda verdict: verdict.family):
        best, *others = sorted(sorted(members, key=lambda one: one.file), key=_completeness, reverse=True)
        choices.append(Choice(family=family, chosen=best, passed_over=tuple(others), why=_why(best, others)))
    return choices


def _reasons(graph: WorkflowGraph) -> Iterator[Reason]:
    yield from graph.flaws
    if not graph.nodes:
        return
    for node in graph.having(Role.AGENT):
        yield Reason(Rule.AGENT, f"{node.name} is an autonomous agent: it chooses its own calls.")
    for node in graph.having(Role.PERSON):
        yield Reason(Rule.PERSON, f"{node.name} waits for what a person says.")
    yield from _too_small(graph)
    yield from _ab_tests(graph)
    yield from _incomplete(graph)
    for name in graphs.unreachable(graph):
        yield Reason(Rule.UNREACHABLE, f"Nothing leads from the start to {graph.nodes[name].name}.")
    for group in graphs.cycles(graph):
        names = ", ".join(graph.nodes[name].name for name in group)
        yield Reason(Rule.CYCLE, f"These wait for each other outside a loop: {names}.")
    yield from _early_reads(graph)


def _too_small(graph: WorkflowGraph) -> Iterator[Reason]:
    working = _working(graph)
    if len(working) == 1 and working[0].role is Role.TOOL and not working[0].writes:
        yield Reason(Rule.WRAPPER, f"Between start and end stands one retrieval alone: {working[0].name}.")
    if len(working) < FEWEST_WORKING_NODES:
        said = f"It has {len(working)} working node{'' if len(working) == 1 else 's'}"
        yield Reason(Rule.SHORT, f"{said}; {FEWEST_WORKING_NODES} are the fewest.")


def _ab_tests(graph: WorkflowGraph) -> Iterator[Reason]:
    if _AB_TITLE.search(graph.title):
        yield Reason(Rule.AB_TEST, f"Its title names an A/B test: {graph.title}.")
    for node in graph.nodes.values():
        if _AB_TITLE.search(node.title):
            yield Reason(Rule.AB_TEST, f"{node.name} names an A/B test.")
        asked = next((path for path in node.asks if _AB_FIELD.search(path)), None)
        if asked:
            yield Reason(Rule.AB_TEST, f"{node.name} decides by the arm of an experiment ({asked}).")
        if node.draws:
            deciding = [graph.nodes[name] for name in graphs.consumers(graph, node.id) if graph.nodes[name].asks]
            for branch in deciding:
                yield Reason(Rule.AB_TEST, f"{branch.name} decides by what {node.name} draws by chance.")


def _incomplete(graph: WorkflowGraph) -> Iterator[Reason]:
    for role in (Role.START, Role.END):
        if not graph.having(role):
            yield Reason(Rule.INCOMPLETE, f"There is no {role.value} node.")
    if not (graph.having(Role.START) and graph.having(Role.END)):
        return
    open_ways = graphs.without_result(graph)
    for node, exit in _dead_ends(graph):
        if node.id in open_ways:
            by = f" by its exit “{exit}”" if exit else ""
            yield Reason(Rule.INCOMPLETE, f"A run that leaves {node.name}{by} stops there without a result.")


def _dead_ends(graph: WorkflowGraph) -> Iterator[tuple[Node, str]]:
    """Nodes nothing runs behind, and exits of branches that lead nowhere; a loop's body goes back to its loop."""
    runs = graphs.control(graph)
    for node in graph.nodes.values():
        if node.role is Role.END or node.inside:
            continue
        used = {exit for _, _, exits in graph.edges.out_edges(node.id, data="exits") for exit in exits}
        if graph.language == "dify" and node.exits:
            yield from ((node, exit) for exit in node.exits if exit not in used)
        elif not runs.out_degree(node.id):
            yield node, ""


def _early_reads(graph: WorkflowGraph) -> Iterator[Reason]:
    lost = set(graphs.unreachable(graph))
    for producer, consumer in graphs.read_too_early(graph):
        if not {producer, consumer} & lost:
            reader, source = graph.nodes[consumer].name, graph.nodes[producer].name
            yield Reason(Rule.DANGLING, f"{reader} reads {source}, which never runs before it.")


def _neutralise(graph: WorkflowGraph) -> Iterator[str]:
    for node in graph.nodes.values():
        if node.writes:
            readers = [graph.nodes[name].name for name in graphs.consumers(graph, node.id)]
            used = f"; its answer is read by {', '.join(readers)}, so a replica must play one back" if readers else ""
            yield f"{node.name}, {node.kind}{used}"


def _notes(graph: WorkflowGraph) -> Iterator[str]:
    if not (graph.having(Role.START) and graph.having(Role.END)):
        return
    open_ways = graphs.without_result(graph)
    for node, exit in _dead_ends(graph):
        if exit and node.id not in open_ways:
            yield f"A run that leaves {node.name} by its exit “{exit}” ends there, behind an earlier answer."
    for node in graph.nodes.values():
        if node.role is Role.END and node.gives == frozenset():
            yield f"{node.name} gives no result."
        if node.role in WORKING and not (node.writes or node.exits) and not graphs.consumers(graph, node.id):
            yield f"Nothing reads what {node.name} gives."


def _working(graph: WorkflowGraph) -> list[Node]:
    return [node for node in graph.nodes.values() if node.role in WORKING]


def _counts(graph: WorkflowGraph) -> Counts:
    def number(*roles: Role) -> int:
        return sum(node.role in roles for node in graph.nodes.values())

    return Counts(
        nodes=len(graph.nodes),
        working=number(*WORKING),
        interfaces=number(*INTERFACES),
        tools=number(Role.TOOL),
        models=number(Role.MODEL),
        branches=sum(bool(node.exits) or node.role is Role.BRANCH for node in graph.nodes.values()),
        loops=number(Role.LOOP),
        side_effects=sum(node.writes for node in graph.nodes.values()),
    )


def _completeness(verdict: Verdict) -> tuple[int, int, int, list[int]]:
    version = [int(part) for part in re.findall(r"\d{1,9}", verdict.version)]
    return verdict.counts.interfaces, verdict.counts.working, verdict.counts.nodes, version


def _why(best: Verdict, others: list[Verdict]) -> str:
    if not others:
        return "It is the only one of its family that is kept."
    return (
        f"It is the most complete: {_size(best)}; against {'; '.join(f'{_size(one)} in {one.file}' for one in others)}."
    )


def _size(verdict: Verdict) -> str:
    counts = verdict.counts
    version = f", version {verdict.version}" if verdict.version else ""
    return f"{counts.interfaces} interfaces, {counts.working} working nodes, {counts.nodes} nodes{version}"
