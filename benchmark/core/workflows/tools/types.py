"""Pieces of JSON Schema that many tools share: ids, times, money, and how objects and lists are written down."""

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FILLED: Schema = {"type": "string", "minLength": 1}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
TRUTH: Schema = {"type": "boolean"}
TIME: Schema = {"type": "integer", "minimum": 0, "description": "epoch seconds"}
MONEY: Schema = {"type": "number", "minimum": 0, "description": "CNY, two decimals"}
AS_OF: Schema = {
    "type": "integer",
    "minimum": 0,
    "description": "answer with what was valid at this time (epoch seconds); the time of the case if left out",
}
CATEGORY: Schema = {"type": "string", "pattern": "^C[0-9]{2}([0-9]{2}([0-9]{2})?)?$", "description": "category id"}


def an_id(prefix: str, what: str) -> Schema:
    """An id such as `u_1017`."""
    return {"type": "string", "pattern": f"^{prefix}_[0-9]+(_[0-9]+)?$", "description": what}


def one_of(*words: str) -> Schema:
    """One of some words."""
    return {"enum": list(words)}


def nullable(schema: Schema) -> Schema:
    """The same or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def a_list(items: Schema, **rules: Any) -> Schema:
    """A list of such items."""
    return {"type": "array", "items": items, **rules}


def record(optional: tuple[str, ...] = (), /, **fields: Schema) -> Schema:
    """An object with exactly these fields, all required but the optional ones."""
    return {
        "type": "object",
        "properties": fields,
        "required": [name for name in fields if name not in optional],
        "additionalProperties": False,
    }
