"""Arguments as a person reads them: one line of `key=value` pairs, the whole JSON behind it."""

import json
import re
from typing import Any

from benchmark.core import text

VALUE_SHOWN = 240
PAIRS_SHOWN = 24
LINE_SHOWN = 60
WHOLE_SHOWN = 4_000
_READS_AS_JSON = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?|true|false|null")

Pairs = tuple[tuple[str, str], ...]


def pairs(arguments: Any) -> Pairs:
    """The `key=value` pairs of one call, at most 24, each value cut at 240 characters; a value that is no object has no key.

    Strings stand without quotes unless they would be misread: empty, blank at an end, or like a number, true, false or
    null. A line end shows as ⏎, nested values as compact JSON.
    """
    if arguments is None:
        return ()
    if not isinstance(arguments, dict):
        return (("", shown_value(arguments)),)
    return tuple((text.shown(key), shown_value(arguments[key])) for key in list(arguments)[:PAIRS_SHOWN])


def is_short(arguments: Any, line: Pairs) -> bool:
    """Whether the line says all there is and fits a screen: under 60 characters and no value inside a value."""
    if isinstance(arguments, dict):
        flat = not any(isinstance(value, dict | list) for value in arguments.values())
        return flat and sum(len(key) + len(value) + 2 for key, value in line) <= LINE_SHOWN
    return not isinstance(arguments, list) and len(text.plain(arguments)) <= LINE_SHOWN


def shown_value(value: Any) -> str:
    """One value on one line, at most 240 characters of it."""
    if not isinstance(value, str):
        return _one_line(text.write(value))
    if not value or value != value.strip() or _READS_AS_JSON.fullmatch(value):
        return f'"{_one_line(value)}"'
    return _one_line(value)


def pretty(value: Any) -> str:
    """A value as indented JSON, numbers as written, with what cannot be seen made visible."""
    if isinstance(value, str):
        return text.shown(value)
    if not isinstance(value, dict | list) or not value:
        return text.shown(text.write(value))
    try:
        return text.shown(_indented(value, ""))
    except RecursionError:
        return text.shown(text.write(value))


def _one_line(source: str) -> str:
    cut = source[: VALUE_SHOWN + 1]
    line = text.shown(cut[:VALUE_SHOWN].replace("\r\n", "\n").replace("\t", " ")).replace("\n", " ⏎ ")
    return f"{line}…" if len(cut) > VALUE_SHOWN else line


def _indented(value: Any, indent: str) -> str:
    if not isinstance(value, dict | list) or not value:
        return text.write(value)
    inner = indent + "  "
    if isinstance(value, dict):
        rows = [
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {_indented(member, inner)}" for key, member in value.items()
        ]
        return "{\n" + ",\n".join(rows) + f"\n{indent}" + "}"
    return "[\n" + ",\n".join(inner + _indented(member, inner) for member in value) + f"\n{indent}]"
