"""When two calls are the same call: canonical arguments.

Schema defaults are filled in, keys ordered, strings NFC and otherwise untouched, numbers compared by value (1 = 1.0);
a numeric string is a number only where the schema says number; lists keep their order unless the schema says `x-set`;
arguments that the schema lists under `x-ignore` do not count.
"""

import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from benchmark.core.labelling import quantities
from benchmark.core.labelling.trail import Place, Trail
from benchmark.core.text import canonical

_EXACT = 2**53
_NUMERIC = frozenset({"number", "integer"})


def same_call(trail: Trail, place: Place, arguments: Any) -> bool:
    """Whether a call's arguments are, canonically, the given ones (references resolved)."""
    tool = trail.toolbox.get(place.tool)
    schema = tool.arguments_schema if tool else None
    return canonical_arguments(trail.arguments(place), schema) == canonical_arguments(trail.settled(arguments), schema)


def canonical_arguments(arguments: Any, schema: Mapping[str, Any] | None = None) -> Any:
    """Arguments in a form in which equal calls are equal values."""
    if arguments is None:
        arguments = {}
    if isinstance(arguments, dict) and schema:
        defaults = {
            name: rule["default"]
            for name, rule in schema.get("properties", {}).items()
            if isinstance(rule, dict) and "default" in rule
        }
        ignored = schema.get("x-ignore", ())
        arguments = {name: value for name, value in {**defaults, **arguments}.items() if name not in ignored}
    return _canonical(arguments, schema or {})


def _canonical(value: Any, schema: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        rules = schema.get("properties", {})
        return {name: _canonical(member, rules.get(name) or {}) for name, member in value.items()}
    if isinstance(value, list):
        members = [_canonical(member, schema.get("items") or {}) for member in value]
        return sorted(members, key=canonical) if schema.get("x-set") else members
    if isinstance(value, str):
        return _string(value, schema)
    if isinstance(value, bool) or value is None:
        return (value,)
    is_exact = isinstance(value, float | Decimal) or (isinstance(value, int) and -_EXACT < value < _EXACT)
    return float(value) if is_exact else value


def _string(value: str, schema: Mapping[str, Any]) -> Any:
    if schema.get("type") in _NUMERIC:
        quantity = quantities.read(value)
        if quantity and quantity.kind == quantities.BARE:
            return quantity.number
    return unicodedata.normalize("NFC", value)
