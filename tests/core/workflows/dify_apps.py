"""Small Dify app exports, written as Dify writes them."""

from typing import Any

import yaml


def app(
    nodes: list[dict[str, Any]], edges: list[tuple[str, ...]], *, mode: str = "workflow", name: str = "App"
) -> bytes:
    """An export of nodes and of edges (source, target) or (source, target, exit)."""
    graph = {"nodes": nodes, "edges": [_edge(*edge) for edge in edges]}
    data = {"app": {"name": name, "mode": mode}, "workflow": {"graph": graph}}
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False).encode()


def node(name: str, kind: str, *, inside: str = "", **data: Any) -> dict[str, Any]:
    """A node as the export holds it; `inside` is its loop."""
    around = {"parentId": inside} if inside else {}
    return {"id": name, "type": "custom", **around, "data": {"type": kind, "title": name, **data}}


def chain(length: int = 6, *, name: str = "App") -> bytes:
    """A workflow that is kept: a question, `length` templates each reading the one before, an end."""
    nodes, edges = chain_parts(length)
    return app(nodes, edges, name=name)


def chain_parts(length: int = 6) -> tuple[list[dict[str, Any]], list[tuple[str, ...]]]:
    """The nodes and edges of a chain, to be damaged."""
    names = ["start", *(f"t{number}" for number in range(1, length + 1)), "end"]
    nodes = [node("start", "start", variables=[{"variable": "output"}])]
    for before, name in zip(names, names[1:-1], strict=False):
        nodes.append(node(name, "template-transform", variables=[read("x", before, "output")]))
    nodes.append(node("end", "end", outputs=[read("answer", names[-2], "output")]))
    return nodes, list(zip(names, names[1:], strict=False))


def read(variable: str, *selector: str) -> dict[str, Any]:
    """A variable that is read of another node."""
    return {"variable": variable, "value_selector": list(selector)}


def _edge(source: str, target: str, exit: str = "source") -> dict[str, str]:
    return {"source": source, "target": target, "sourceHandle": exit, "targetHandle": "target"}
