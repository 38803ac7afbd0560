"""What a Dify node reads of others: selectors, `{{#node.field#}}` in texts, and tool parameters that hold a variable."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchmark.core import text
from benchmark.core.workflows.graph import Edges, Node
from benchmark.core.workflows.reasons import Reason, Rule

# What a selector may begin with that is no node.
PSEUDO = frozenset({"sys", "env", "conversation", "rag"})

_IN_TEXT = re.compile(r"\{\{#([^#{}\s.]{1,100})\.([^#{}\s]{1,200})#\}\}")
_SELECTOR_KEYS = ("query", "variable", "variables")
_UNREAD_KEYS = frozenset({"code", "title", "desc", "type", "jinja2_text"})
_TYPED = ("type", "input_type", "value_type")


def reads(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each (producer, field path) a node's data reads, pseudo-producers among them. What is switched off is not read."""
    if data.get("type") == "assigner":
        yield from _of_assigner(data)
        return
    for key, value in data.items():
        if key in _UNREAD_KEYS or (key == "conditions" and data.get("cases")):
            continue
        yield from _walk(key, value)


def add(reads: Mapping[str, list[tuple[str, str]]], nodes: Mapping[str, Node], edges: Edges) -> list[Reason]:
    """Put every read that has a producer among the edges; return what is read of nodes or fields that are not there."""
    flaws = []
    for consumer, found in reads.items():
        for producer, path in dict.fromkeys(found):
            if producer in PSEUDO:
                continue
            field = path.partition(".")[0]
            source, reader = nodes.get(producer), nodes[consumer].name
            if source is None:
                said = f"{reader} reads {_shown(field)} of a node that is not there: {_shown(producer)}."
                flaws.append(Reason(Rule.DANGLING, said))
                continue
            edges.read(producer, consumer, path)
            if source.gives is not None and field and field not in source.gives:
                said = f"{reader} reads {_shown(field)} of {source.name}, which does not give it."
                flaws.append(Reason(Rule.DANGLING, said))
    return flaws


def _walk(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield from ((found[1], found[2]) for found in _IN_TEXT.finditer(value))
    elif isinstance(value, list):
        if value and all(isinstance(one, str) for one in value) and _is_selector(key, value):
            yield value[0], ".".join(value[1:])
            return
        for one in value:
            yield from _walk(key, one)
    elif isinstance(value, dict) and value.get("enabled") is not False:
        holds_variable = any(value.get(name) == "variable" for name in _TYPED)
        for under, one in value.items():
            yield from _walk("selector" if under == "value" and holds_variable else under, one)


def _is_selector(key: str, value: list[str]) -> bool:
    return key.endswith("selector") or (key in _SELECTOR_KEYS and len(value) > 1)


def _of_assigner(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """An assigner's other selectors name what it writes to."""
    yield from _walk("selector", data.get("input_variable_selector") or [])
    items = data.get("items")
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict):
            is_variable = item.get("input_type") == "variable"
            yield from _walk("selector" if is_variable else "value", item.get("value"))


def _shown(name: str) -> str:
    return text.shown(name)[:60] or "everything"
