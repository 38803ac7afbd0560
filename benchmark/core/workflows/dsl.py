"""RITE's workflow language `rite.workflow/1`: what a workflow is made of, and its file (YAML) read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from benchmark.core import strict_yaml
from benchmark.core.strict_yaml import FileKind, Path, YamlRefused, line_of
from benchmark.core.workflows import shape
from benchmark.core.workflows.expression import BadExpression, Record, Value, read_expression, read_value

FORMAT = "rite.workflow/1"
MOST_BYTES = 262_144
_KIND = FileKind("workflow file", first_key="dsl", most_bytes=MOST_BYTES, deepest=16)


class Kind(StrEnum):
    """What a node that does something is: it reads the world, computes, asks a model, or writes."""

    TOOL = "tool"
    CODE = "code"
    LLM = "llm"
    SIDE_EFFECT = "side_effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Checks the inputs."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A node that calls a tool of the toolbox. Prefixes show it unless it is hidden, with its purpose as the thought."""

    id: str
    kind: Kind
    tool: str
    purpose: str
    arguments: Mapping[str, Value]
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """Decides by `when`: the nodes under `then` run only if it holds, those under `otherwise` only if it does not.

    `again` names earlier nodes that run once more behind `then`, each with the arguments that differ.
    """

    id: str
    when: Value
    then: tuple[str, ...]
    otherwise: tuple[str, ...] = ()
    again: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Runs its body for each element of `over` (the `first` ones, the largest in `by` before), or `until` something holds.

    A loop until something holds runs `most` rounds at the most.
    """

    id: str
    body: tuple[str, ...]
    over: Value | None = None
    by: str | None = None
    first: int | None = None
    until: Value | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Puts together the workflow's result."""

    id: str
    result: Mapping[str, Value]


Node = Start | Act | Branch | Loop | End


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A workflow as its file says it; nodes in an order in which they can run. `lines` tells where its parts stand."""

    id: str
    title: str
    stage: str
    family: str
    version: int
    purpose: str
    inputs: Mapping[str, Any]
    functions: tuple[str, ...]
    corroborating: tuple[str, ...]
    nodes: tuple[Node, ...]
    lines: Mapping[Path, int] = field(default_factory=dict, compare=False, repr=False)


class WorkflowRefused(ValueError):
    """A workflow file cannot be used; `problems` holds a sentence for each mistake, with file, line, node and key."""

    def __init__(self, problems: Iterator[str] | list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


def read(content: bytes, file_name: str) -> Workflow:
    """Read a workflow file (UTF-8, at most 256 KiB) as far as its own words go: keys, shapes and expressions.

    Raises WorkflowRefused with every mistake found. What references point at is told by `checks.flaws`.
    """
    try:
        document = strict_yaml.read(content, _KIND, strict_yaml.as_json)
    except YamlRefused as refused:
        raise WorkflowRefused([_sentence(refused.path, refused.text, refused.line, None, file_name)]) from None
    problems = list(shape.problems(document.value))
    reader = _Reader(document.value, document.lines)
    workflow = None if problems else reader.workflow()
    if problems or reader.problems or workflow is None:
        told = problems or reader.problems
        raise WorkflowRefused(
            _sentence(path, text, line_of(path, document.lines), document.value, file_name) for path, text in told
        )
    return workflow


def place(path: Path, workflow: Workflow) -> str:
    """Name a place of a workflow's file in words: `line 34, node n03, arguments.from`."""
    line = line_of(path, workflow.lines)
    ids = {"nodes": [{"id": node.id} for node in workflow.nodes]}
    return ", ".join([*([f"line {line}"] if line else []), *_named(path, ids)])


def _sentence(path: Path, text: str, line: int | None, data: Any, file_name: str) -> str:
    return f"{', '.join([file_name, *([f'line {line}'] if line else []), *_named(path, data)])}: {text}"


def _named(path: Path, data: Any) -> list[str]:
    """A path in words; a node is named by its id rather than by its place."""
    if path[:1] != ("nodes",) or len(path) < 2 or not isinstance(path[1], int):
        return [".".join(map(str, path))[:200]] if path else []
    try:
        name = str(data["nodes"][path[1] - 1]["id"])[:40]
    except (KeyError, IndexError, TypeError):
        name = f"number {path[1]}"
    return [f"node {name}", *([".".join(map(str, path[2:]))[:200]] if path[2:] else [])]


class _Reader:
    """Makes a workflow of data that has the right shape, and gathers the expressions that cannot be read."""

    def __init__(self, data: Any, lines: Mapping[Path, int]) -> None:
        self._data = data
        self._lines = lines
        self.problems: list[tuple[Path, str]] = []

    def workflow(self) -> Workflow:
        data = self._data
        nodes = [self._node(node, ("nodes", number)) for number, node in enumerate(data["nodes"], 1)]
        self._find_twins([node.id for node in nodes])
        return Workflow(
            id=data["id"],
            title=data["title"],
            stage=data["stage"],
            family=data["family"],
            version=data["version"],
            purpose=data.get("purpose", ""),
            inputs=data["inputs"],
            functions=tuple(data.get("functions", ())),
            corroborating=tuple(data.get("corroborating", ())),
            nodes=tuple(nodes),
            lines=self._lines,
        )

    def _node(self, node: dict[str, Any], path: Path) -> Node:
        match node["kind"]:
            case "start":
                return Start(id=node["id"])
            case "branch":
                return self._branch(node, path)
            case "loop":
                return self._loop(node, path)
            case "end":
                return End(id=node["id"], result=self._values(node["result"], (*path, "result")))
        return Act(
            id=node["id"],
            kind=Kind(node["kind"]),
            tool=node["tool"],
            purpose=node["purpose"],
            arguments=self._values(node.get("arguments", {}), (*path, "arguments")),
            hidden=node.get("hidden", False),
        )

    def _branch(self, node: dict[str, Any], path: Path) -> Branch:
        again = node.get("again", {})
        return Branch(
            id=node["id"],
            when=self._read(read_expression, node["when"], (*path, "when")),
            then=tuple(node["then"]),
            otherwise=tuple(node.get("else", ())),
            again={name: self._values(changed, (*path, "again", name)) for name, changed in again.items()},
        )

    def _loop(self, node: dict[str, Any], path: Path) -> Loop:
        over, until = node.get("over"), node.get("until")
        return Loop(
            id=node["id"],
            body=tuple(node["body"]),
            over=None if over is None else self._read(read_expression, over, (*path, "over")),
            by=node.get("by"),
            first=node.get("first"),
            until=None if until is None else self._read(read_expression, until, (*path, "until")),
            most=node.get("most"),
        )

    def _values(self, values: dict[str, Any], path: Path) -> Mapping[str, Value]:
        return {key: self._read(read_value, value, (*path, key)) for key, value in values.items()}

    def _read(self, read_it: Callable[[Any], Value], data: Any, path: Path) -> Value:
        try:
            return read_it(data)
        except BadExpression as error:
            self.problems.append((path, str(error)))
            return Record({})

    def _find_twins(self, ids: list[str]) -> None:
        for number, name in enumerate(ids, 1):
            first = ids.index(name) + 1
            if first < number:
                text = (
                    f"Give each node an id of its own; {name} stands in line {self._lines[('nodes', first)]} already."
                )
                self.problems.append((("nodes", number, "id"), text))
