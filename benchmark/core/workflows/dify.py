"""Dify app exports as graphs. Of a file only ids, titles, types and names of fields are kept: keys in it stay unseen."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchmark.core import strict_yaml, text
from benchmark.core.strict_yaml import FileKind, Path, YamlRefused, line_of
from benchmark.core.workflows import dify_reads
from benchmark.core.workflows.graph import Edges, Node, Role, WorkflowGraph
from benchmark.core.workflows.reasons import Reason, Rule

MOST_BYTES = 2_097_152
_KIND = FileKind("Dify app export", first_key="app", most_bytes=MOST_BYTES, deepest=64)
_WITH_GRAPH = ("workflow", "advanced-chat")
_ROLES = {
    "start": Role.START,
    "trigger-schedule": Role.START,
    "trigger-webhook": Role.START,
    "trigger-plugin": Role.START,
    "end": Role.END,
    "answer": Role.END,
    "llm": Role.MODEL,
    "parameter-extractor": Role.MODEL,
    "question-classifier": Role.MODEL,
    "tool": Role.TOOL,
    "http-request": Role.TOOL,
    "knowledge-retrieval": Role.TOOL,
    "datasource": Role.TOOL,
    "code": Role.CODE,
    "template-transform": Role.CODE,
    "list-operator": Role.CODE,
    "document-extractor": Role.CODE,
    "assigner": Role.SIDE_EFFECT,
    "if-else": Role.BRANCH,
    "iteration": Role.LOOP,
    "loop": Role.LOOP,
    "iteration-start": Role.PLUMBING,
    "loop-start": Role.PLUMBING,
    "loop-end": Role.PLUMBING,
    "variable-aggregator": Role.PLUMBING,
    "variable-assigner": Role.PLUMBING,
    "agent": Role.AGENT,
    "human-input": Role.PERSON,
}
_READING_METHODS = ("get", "head", "options")
_WRITING_WORDS = frozenset(
    [
        "add",
        "append",
        "book",
        "cancel",
        "create",
        "delete",
        "insert",
        "notify",
        "pay",
        "post",
        "publish",
        "push",
        "refund",
        "remove",
        "reply",
        "save",
        "send",
        "set",
        "submit",
        "sync",
        "update",
        "upload",
        "write",
    ]
)
_WRITING_CHINESE = re.compile(
    "发送|创建|新建|更新|修改|删除|写入|上传|发布|通知|支付|付款|退款|提交|保存|下单|推送|取消"
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DRAWS = re.compile(r"\brandom\b|\brandint\b|\bsecrets\.|\buuid4?\b")
_EXTRACTED = ("__is_success", "__reason", "__usage")
_ON_ERROR = ("error_message", "error_type")
_VERSION_MARK = re.compile(r"[\s_\-–.(（\[【]*(?:\bv?\d+(?:\.\d+)*|\bcopy|\bfinal|\bnew|副本|新版|旧版)[\s)）\]】]*$")


class DifyRefused(ValueError):
    """A file is no Dify app export that can be read; the sentence says where."""


def read(content: bytes, file_name: str) -> WorkflowGraph:
    """Read an app export (YAML, at most 2 MiB) of any version. Apps without a graph come back with no nodes and the reason.

    Raises DifyRefused, with file and line.
    """
    try:
        document = strict_yaml.read(content, _KIND, strict_yaml.as_json)
    except YamlRefused as refused:
        raise DifyRefused(_sentence(file_name, refused.line, refused.path, refused.text)) from None
    reader = _Reader(document.value, document.lines, file_name)
    return reader.graph()


def family_of(name: str) -> str:
    """The family an app belongs to by its name alone: without version numbers and marks of a copy at its end."""
    family = text.norm(name)
    while (shorter := _VERSION_MARK.sub("", family)) != family and shorter:
        family = shorter
    return family


class _Reader:
    def __init__(self, data: Any, lines: Mapping[Path, int], file_name: str) -> None:
        self._lines = lines
        self._file_name = file_name
        self._app = self._mapping(self._mapping(data, ()).get("app"), ("app",))
        self._version = str(data.get("version") or "")
        self._workflow = self._mapping(data.get("workflow") or {}, ("workflow",))

    def graph(self) -> WorkflowGraph:
        mode = _words(self._app.get("mode"))
        if mode not in _WITH_GRAPH:
            return self._without_graph(mode)
        graph = self._mapping(self._workflow.get("graph"), ("workflow", "graph"))
        found = dict(self._nodes(graph.get("nodes")))
        nodes = {name: _node(name, node, data) for name, (node, data) in found.items()}
        edges = Edges()
        flaws = [*self._add_edges(graph.get("edges"), nodes, edges)]
        _add_containers({name: data for name, (_, data) in found.items()}, nodes, edges)
        reads = {name: list(dify_reads.reads(data)) for name, (_, data) in found.items()}
        flaws += dify_reads.add(reads, nodes, edges)
        return self._made(nodes, edges, flaws, _notes(nodes, reads, self._keys(found)))

    def _without_graph(self, mode: str) -> WorkflowGraph:
        if mode == "agent-chat":
            flaw = Reason(Rule.AGENT, "The app is an autonomous agent (mode agent-chat); it has no graph.")
        else:
            flaw = Reason(Rule.INCOMPLETE, f"An app of mode {text.shown(mode)[:40] or 'unknown'} has no graph.")
        return self._made({}, Edges(), [flaw], [])

    def _made(self, nodes: dict[str, Node], edges: Edges, flaws: list[Reason], notes: list[str]) -> WorkflowGraph:
        title = _title(self._app.get("name"), 200)
        return WorkflowGraph(
            language="dify",
            id=self._file_name,
            title=title,
            family=family_of(title) or self._file_name,
            version=self._version[:40],
            nodes=nodes,
            edges=edges.graph(nodes),
            flaws=tuple(flaws),
            notes=tuple(notes),
        )

    def _nodes(self, listed: Any) -> Iterator[tuple[str, tuple[dict[str, Any], dict[str, Any]]]]:
        seen = set()
        for number, node in enumerate(self._list(listed, ("workflow", "graph", "nodes")), 1):
            path: Path = ("workflow", "graph", "nodes", number)
            data = self._mapping(self._mapping(node, path).get("data"), (*path, "data"))
            if not data.get("type") or node.get("type") == "custom-note":
                continue
            name = _words(node.get("id"))
            if not name or name in seen:
                raise self._refused(
                    (*path, "id"), "Every node needs an id of its own; this one has none or one used above."
                )
            seen.add(name)
            yield name, (node, data)

    def _add_edges(self, listed: Any, nodes: Mapping[str, Node], edges: Edges) -> Iterator[Reason]:
        for number, edge in enumerate(self._list(listed or [], ("workflow", "graph", "edges")), 1):
            self._mapping(edge, ("workflow", "graph", "edges", number))
            source, target = _words(edge.get("source")), _words(edge.get("target"))
            missing = [name for name in (source, target) if name not in nodes]
            if missing:
                other = nodes.get(target if source in missing else source)
                yield Reason(
                    Rule.DANGLING,
                    f"An edge {f'at {other.name}' if other else ''} leads to or from a node that is not there: "
                    f"{', '.join(text.shown(name)[:40] or 'none' for name in missing)}.",
                )
                continue
            exit = _words(edge.get("sourceHandle")) or "source"
            exits = nodes[source].exits
            if exits and exit not in (*exits, "source"):
                yield Reason(Rule.DANGLING, f"An edge leaves {nodes[source].name} by an exit that it does not have.")
                continue
            edges.run(source, target, exit)

    def _keys(self, found: Mapping[str, tuple[Any, dict[str, Any]]]) -> int:
        listed = self._workflow.get("environment_variables")
        variables = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        secret = sum(one.get("value_type") == "secret" and bool(one.get("value")) for one in variables)
        return secret + sum(_holds_key(data) for _, data in found.values())

    def _mapping(self, value: Any, path: Path) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._refused(path, "Keys and values are needed here.")
        return value

    def _list(self, value: Any, path: Path) -> list[Any]:
        if not isinstance(value, list):
            raise self._refused(path, "A list is needed here.")
        return value

    def _refused(self, path: Path, said: str) -> DifyRefused:
        return DifyRefused(_sentence(self._file_name, line_of(path, self._lines), path, said))


def _sentence(file_name: str, line: int | None, path: Path, said: str) -> str:
    where = [file_name, *([f"line {line}"] if line else []), *([".".join(map(str, path))[:200]] if path else [])]
    return f"{', '.join(where)}: {said}"


def _node(name: str, node: Mapping[str, Any], data: dict[str, Any]) -> Node:
    kind = _words(data["type"])
    inside = node.get("parentId") or data.get("iteration_id") or data.get("loop_id")
    return Node(
        id=name,
        title=_title(data.get("title"), 60),
        role=_ROLES.get(kind, Role.TOOL),
        kind=text.shown(kind)[:40],
        inside=_words(inside) or None,
        writes=_writes(kind, data),
        exits=_exits(kind, data),
        gives=_gives(kind, data),
        asks=tuple(path for _, path in dify_reads.reads(data)) if kind == "if-else" else (),
        draws=kind == "code" and bool(_DRAWS.search(_words(data.get("code")))),
    )


def _writes(kind: str, data: Mapping[str, Any]) -> bool:
    if kind == "http-request":
        return _words(data.get("method")).lower() not in _READING_METHODS
    if kind == "tool":
        name, label = _words(data.get("tool_name")), _words(data.get("tool_label"))
        words = {word.lower() for word in _WORD.findall(name)}
        return bool(words & _WRITING_WORDS or _WRITING_CHINESE.search(name) or _WRITING_CHINESE.search(label))
    return kind == "assigner"


def _exits(kind: str, data: Mapping[str, Any]) -> tuple[str, ...]:
    if kind == "if-else":
        return (*_named(data.get("cases"), "case_id"), "false") if data.get("cases") else ("true", "false")
    if kind == "question-classifier":
        return _named(data.get("classes"), "id")
    return ("source", "fail-branch") if data.get("error_strategy") == "fail-branch" else ()


def _gives(kind: str, data: Mapping[str, Any]) -> frozenset[str] | None:
    """The fields a node says it gives; None where the file does not say."""
    if kind in ("start", "end"):
        return frozenset(_named(data.get("variables" if kind == "start" else "outputs"), "variable"))
    if kind == "code" and isinstance(data.get("outputs"), dict):
        return frozenset([*data["outputs"], *_ON_ERROR])
    if kind == "parameter-extractor":
        return frozenset([*_named(data.get("parameters"), "name"), *_EXTRACTED, *_ON_ERROR])
    return None


def _add_containers(data: Mapping[str, dict[str, Any]], nodes: Mapping[str, Node], edges: Edges) -> None:
    """A loop leads to where its body begins: the start it names, else every node of the body no other leads to."""
    behind = {target for _, target in edges.found}
    for name, node in nodes.items():
        container = nodes.get(node.inside or "")
        if container is None or container.role is not Role.LOOP:
            continue
        first = _words(data[container.id].get("start_node_id"))
        if name == first or (first not in nodes and name not in behind):
            edges.run(container.id, name, "body")


def _holds_key(data: Mapping[str, Any]) -> bool:
    authorization = data.get("authorization")
    config = authorization.get("config") if isinstance(authorization, dict) else None
    written = _words(config.get("api_key")) if isinstance(config, dict) else ""
    headers = _words(data.get("headers")).lower()
    if any(word in headers for word in ("authorization:", "api-key:", "apikey:", "token:", "cookie:")):
        written = written or headers
    return bool(written) and "{{#env." not in written


def _notes(nodes: Mapping[str, Node], reads: Mapping[str, list[tuple[str, str]]], keys: int) -> list[str]:
    notes = []
    if keys:
        notes.append(
            f"The file holds what looks like a key in {keys} {'place' if keys == 1 else 'places'}: take it out before the file is shared."
        )
    unknown = [node for node in nodes.values() if node.kind not in _ROLES]
    notes += [f"{node.name} has the unknown type {node.kind}; it is taken for a tool." for node in unknown]
    kept = sorted(
        {f"{source}.{path}" for found in reads.values() for source, path in found if source == "conversation"}
        | {
            f"sys.{path}"
            for found in reads.values()
            for source, path in found
            if (source, path) == ("sys", "dialogue_count")
        }
    )
    if kept:
        shown = ", ".join(text.shown(name)[:60] for name in kept)
        notes.append(f"It depends on earlier turns of the conversation ({shown}); a replica needs them as inputs.")
    return notes


def _named(listed: Any, key: str) -> tuple[str, ...]:
    entries = listed if isinstance(listed, list) else []
    return tuple(_words(entry.get(key)) for entry in entries if isinstance(entry, dict))


def _title(value: Any, most: int) -> str:
    """A name on one line, nothing in it unseen."""
    return " ".join(text.shown(_words(value)).split())[:most]


def _words(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)
