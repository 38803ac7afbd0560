"""What is wrong in a workflow file beyond its shape: references that point nowhere, and order that cannot be run."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchmark.core.strict_yaml import Path
from benchmark.core.workflows import dsl
from benchmark.core.workflows.dsl import Act, Branch, End, Loop, Node, Start, Workflow, WorkflowRefused
from benchmark.core.workflows.expression import (
    BUILT_IN,
    CLOCK,
    INPUT,
    ITEM,
    Each,
    Reference,
    Value,
    functions,
    references,
)
from benchmark.core.workflows.reasons import Reason, Rule
from benchmark.core.workflows.shape import shown


class Use(NamedTuple):
    """A value in a node: where it stands, and the branch whose `again` it belongs to, if it does."""

    node: Node
    path: Path
    value: Value
    again: Branch | None = None

    @property
    def reader(self) -> str:
        """The id of the node that reads the value."""
        return str(self.path[3]) if self.again else self.node.id


def load(content: bytes, file_name: str) -> Workflow:
    """Read a workflow file that can be run as it stands. Raises WorkflowRefused with every mistake found."""
    workflow = dsl.read(content, file_name)
    if found := flaws(workflow):
        raise WorkflowRefused([f"{file_name}, {flaw.text}" for flaw in found])
    return workflow


def flaws(workflow: Workflow) -> list[Reason]:
    """Everything in a workflow that keeps it from being run, each with its line, node and key."""
    return [*_Structure(workflow).flaws(), *_Reads(workflow).flaws()]


def uses(workflow: Workflow) -> Iterator[Use]:
    """Every value in the workflow's nodes, in the order of the file."""
    for number, node in enumerate(workflow.nodes, 1):
        path: Path = ("nodes", number)
        match node:
            case Act(arguments=values):
                yield from (Use(node, (*path, "arguments", key), value) for key, value in values.items())
            case End(result=values):
                yield from (Use(node, (*path, "result", key), value) for key, value in values.items())
            case Branch():
                yield Use(node, (*path, "when"), node.when)
                yield from _repeated(node, path)
            case Loop():
                asked = {"over": node.over, "until": node.until}
                yield from (Use(node, (*path, key), value) for key, value in asked.items() if value is not None)


def _repeated(node: Branch, path: Path) -> Iterator[Use]:
    for name, changed in node.again.items():
        for key, value in changed.items():
            yield Use(node, (*path, "again", name, key), value, node)


def loops(workflow: Workflow) -> dict[str, Loop]:
    """The loop in whose body a node stands, by the node's id."""
    return {name: node for node in workflow.nodes if isinstance(node, Loop) for name in node.body}


class _Structure:
    """Start and end, the lists of nodes under branches and loops, names of tools and functions."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self._places = {node.id: number for number, node in enumerate(workflow.nodes, 1)}
        self._nodes = {node.id: node for node in workflow.nodes}

    def flaws(self) -> Iterator[Reason]:
        yield from self._ends()
        for number, node in enumerate(self._workflow.nodes, 1):
            if isinstance(node, Branch):
                yield from self._under(node, ("nodes", number, "then"), node.then)
                yield from self._under(node, ("nodes", number, "else"), node.otherwise)
                yield from self._again(node, number)
            if isinstance(node, Loop):
                yield from self._under(node, ("nodes", number, "body"), node.body)
        yield from self._two_parents()
        yield from self._names()

    def _ends(self) -> Iterator[Reason]:
        nodes = self._workflow.nodes
        for kind, name, place in ((Start, "start", 0), (End, "end", -1)):
            if sum(isinstance(node, kind) for node in nodes) != 1 or not isinstance(nodes[place], kind):
                where = "first" if place == 0 else "last"
                yield Reason(Rule.INCOMPLETE, f"nodes: Write one {name} node, as the {where} node.")

    def _under(self, node: Node, path: Path, under: tuple[str, ...]) -> Iterator[Reason]:
        for number, name in enumerate(under, 1):
            own = (*path, number)
            target = self._nodes.get(name)
            if target is None:
                yield self._reason(Rule.DANGLING, own, f"There is no node {name}.")
            elif self._places[name] < self._places[node.id]:
                yield self._reason(Rule.CYCLE, own, f"{name} stands before {node.id}; write it behind.")
            elif name == node.id or isinstance(target, Start | End):
                yield self._reason(Rule.INCOMPLETE, own, f"{name} cannot stand here.")
            elif path[-1] == "body" and isinstance(target, Loop):
                yield self._reason(Rule.INCOMPLETE, own, "Take the inner loop out; a loop's body holds no loop.")

    def _again(self, node: Branch, number: int) -> Iterator[Reason]:
        for name in node.again:
            own = ("nodes", number, "again", name)
            target = self._nodes.get(name)
            if target is None:
                yield self._reason(Rule.DANGLING, own, f"There is no node {name}.")
            elif not isinstance(target, Act) or self._places[name] > number:
                yield self._reason(
                    Rule.INCOMPLETE, own, "Name a tool, code or llm node that stands before this branch."
                )

    def _two_parents(self) -> Iterator[Reason]:
        branches = [node for node in self._workflow.nodes if isinstance(node, Branch)]
        under_branches = Counter(name for node in branches for name in (*node.then, *node.otherwise))
        in_loops = Counter(name for node in self._workflow.nodes if isinstance(node, Loop) for name in node.body)
        for counted, parent in ((under_branches, "branch"), (in_loops, "loop")):
            for name, count in counted.items():
                if count > 1 and name in self._places:
                    text = f"Name this node under one {parent} only; it stands under {count}."
                    yield self._reason(Rule.INCOMPLETE, ("nodes", self._places[name]), text)

    def _names(self) -> Iterator[Reason]:
        called = {node.tool for node in self._workflow.nodes if isinstance(node, Act)}
        for number, name in enumerate(self._workflow.corroborating, 1):
            if name in called:
                text = f"{name} is called by a node; corroborating tools are those that no node calls."
                yield self._reason(Rule.INCOMPLETE, ("corroborating", number), text)
        known = {*BUILT_IN, *self._workflow.functions}
        for use in uses(self._workflow):
            for name in functions(use.value):
                if name not in known:
                    text = f"There is no function {shown(name)}; known are {', '.join(sorted(known))}."
                    yield self._reason(Rule.DANGLING, use.path, text)

    def _reason(self, rule: Rule, path: Path, text: str) -> Reason:
        return Reason(rule, f"{dsl.place(path, self._workflow)}: {text}")


class _Reads:
    """Every reference: that what it reads is there, has run before, and is read in the way it runs."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self._nodes: Mapping[str, Node] = {node.id: node for node in workflow.nodes}
        self._places = {node.id: number for number, node in enumerate(workflow.nodes)}
        self._loops = loops(workflow)
        self._conditions = _conditions(workflow)

    def flaws(self) -> Iterator[Reason]:
        for use in uses(self._workflow):
            for reference in references(use.value):
                rule, text = self._flaw(use, reference)
                if text:
                    place = dsl.place(use.path, self._workflow)
                    yield Reason(rule, f"{place}: {reference} {text}")

    def _flaw(self, use: Use, reference: Reference) -> tuple[Rule, str]:
        if reference.source == INPUT:
            return Rule.DANGLING, self._input(reference)
        if reference.source == ITEM:
            loop = self._loops.get(use.reader)
            has_item = loop is not None and loop.over is not None
            return Rule.DANGLING, "" if has_item else "is no element of a loop; only a body under `over` has one."
        if reference.source == CLOCK:
            return Rule.DANGLING, "has no fields." if reference.parts else ""
        node = self._nodes.get(reference.source)
        if node is None:
            return Rule.DANGLING, f"reads a node that is not there: {reference.source}."
        if not isinstance(node, Act | Branch):
            return Rule.DANGLING, "reads a node that gives nothing; read the input as $in and a loop's body as $id[]."
        if isinstance(node, Branch) and reference.parts:
            return Rule.DANGLING, "reads a field of a branch, which gives true or false."
        return self._run_before(use, reference)

    def _input(self, reference: Reference) -> str:
        names = self._workflow.inputs["properties"]
        if not reference.field or reference.field in names:
            return ""
        return f"reads an input that is not there; the inputs are {', '.join(names)}."

    def _run_before(self, use: Use, reference: Reference) -> tuple[Rule, str]:
        source, reader = reference.source, use.reader
        loop = self._loops.get(source)
        is_inside = loop is not None and (reader == loop.id or self._loops.get(reader) is loop)
        collects = reference.parts[:1] == (Each.EACH,)
        if loop is not None and not is_inside and not collects:
            return Rule.INCOMPLETE, f"reads one of many rounds; write ${source}[] to read all of them."
        if is_inside and collects and loop is not None and loop.over is not None:
            return Rule.INCOMPLETE, "reads all rounds from inside the loop; leave out the [] to read this round."
        if self._is_late(use, reference, loop if is_inside else None):
            return Rule.CYCLE, f"reads a node that runs later; {source} must stand before {reader}."
        if not reference.optional and not collects and not self._always_ran(use, source):
            return Rule.INCOMPLETE, "reads a node that may not have run; put a ? behind it."
        return Rule.INCOMPLETE, ""

    def _is_late(self, use: Use, reference: Reference, loop: Loop | None) -> bool:
        """Whether the source runs behind its reader; rounds of an `until` loop may read the round before."""
        if use.again is not None:
            return self._places[reference.source] > self._places[use.again.id] and (
                reference.source not in use.again.then
            )
        if loop is not None and loop.until is not None and (reference.optional or use.reader == loop.id):
            return False
        return self._places[reference.source] >= self._places[use.node.id]

    def _always_ran(self, use: Use, source: str) -> bool:
        own = self._conditions[use.node.id]
        if use.again is not None:
            own = own | {(use.again.id, "then")}
        return self._conditions[source] <= own


def _conditions(workflow: Workflow) -> dict[str, frozenset[tuple[str, str]]]:
    """Under which exits of which branches each node runs, those of the branch or loop around it included."""
    conditions = {node.id: frozenset[tuple[str, str]]() for node in workflow.nodes}
    for node in workflow.nodes:
        match node:
            case Branch():
                exits = [("then", node.then), ("else", node.otherwise)]
            case Loop():
                exits = [("", node.body)]
            case _:
                continue
        for exit, under in exits:
            for name in set(under) & set(conditions):
                own = {(node.id, exit)} if exit else set()
                conditions[name] = conditions[name] | conditions[node.id] | own
    return conditions
