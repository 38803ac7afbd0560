"""Arguments of a tool call as other people's programs write them: objects, JSON texts, Python's repr of a dict."""

import ast
import warnings
from collections.abc import Callable
from typing import Any

from benchmark.core import text
from benchmark.core.text import BadJson

_LONGEST_LITERAL = 200_000
_AS_PYTHON = "arguments written as a Python dict were read as an object"
_TWICE = "arguments encoded as JSON twice were read as an object"
_MISSING = "a call has no arguments at all"
_UNREAD = "arguments that are no object were kept as text"


def read_arguments(source: Any) -> tuple[dict[str, Any] | None, str | None, str]:
    """The arguments as an object, or None and their text; and a note where reading them took more than JSON.

    Tried in this order: an object is used as it is; a text is read as JSON, then as a Python dict literal. Whatever is
    neither stays text: a call is never dropped and its arguments never become `{}`.
    """
    if isinstance(source, dict):
        return source, None, ""
    if not isinstance(source, str):
        return (None, None, _MISSING) if source is None else (None, text.write(source), _UNREAD)
    for read, note in ((text.parse, ""), (_parsed_twice, _TWICE), (_literal, _AS_PYTHON)):
        found = _tried(read, source)
        if isinstance(found, dict):
            return found, None, note
    return None, source, _UNREAD


def _tried(read: Callable[[str], Any], source: str) -> Any:
    try:
        return read(source)
    except (BadJson, ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _parsed_twice(source: str) -> Any:
    inner = text.parse(source)
    return text.parse(inner) if isinstance(inner, str) else None


def _literal(source: str) -> Any:
    if len(source) > _LONGEST_LITERAL or not source.lstrip().startswith("{"):
        raise ValueError("no dict literal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source.strip(), mode="eval")
    value = _json_of(tree.body)
    text.write(value)
    return value


def _json_of(node: ast.expr) -> Any:
    """The JSON value of a literal; ValueError for what JSON has no word for, and for a key that stands twice."""
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str | int | float)):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        return [_json_of(element) for element in node.elts]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(node.operand)
    if isinstance(node, ast.Dict):
        keys = [_json_of(key) if key else None for key in node.keys]
        if all(isinstance(key, str) for key in keys) and len(set(keys)) == len(keys):
            return {key: _json_of(value) for key, value in zip(keys, node.values, strict=True)}
    raise ValueError("no JSON value")


def _number(node: ast.expr) -> int | float:
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ValueError("no number")
