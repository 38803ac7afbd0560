"""Values in a workflow file: literals, references to what a node gave, and small computations over them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

BUILT_IN = frozenset({"count", "max", "min"})
INPUT, ITEM, CLOCK = "in", "item", "clock"
PSEUDO = frozenset({INPUT, ITEM, CLOCK})

_DEEPEST = 20
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<reference>\$[A-Za-z_][A-Za-z0-9_]*)
      | (?P<field>\.[A-Za-z_][A-Za-z0-9_]*)
      | (?P<part>\[\s*(?::?\s*[0-9]{1,6})?\s*\])
      | (?P<number>[0-9]{1,17}(?:\.[0-9]{1,17})?)
      | (?P<text>"[^"\\]*"|'[^'\\]*')
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<sign><=|>=|!=|[=<>+\-*/(),?])
    )""",
    re.VERBOSE,
)
_LEVELS = (("or",), ("and",), ("=", "!=", "<", "<=", ">", ">=", "in"), ("else",), ("+", "-"), ("*", "/"))
_CONSTANTS = {"true": True, "false": False, "null": None}
_RESERVED = frozenset({"or", "and", "not", "in", "else", *_CONSTANTS})


class BadExpression(ValueError):
    """A text is no expression; the message says what to mend."""


class Each(Enum):
    """`[]`: every element of a list, or every run of a node in a loop."""

    EACH = "[]"


class First(NamedTuple):
    """`[:5]`: the first elements of a list."""

    most: int


Part = str | int | Each | First


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that stands in the file: text, number, true, false or null."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Reference:
    """`$n03.records[:5].title`: what a node gave, `$in` the input, `$item` a loop's element, `$clock` the case's time.

    `optional` (a `?` behind it) gives null where the node did not run.
    """

    source: str
    parts: tuple[Part, ...] = ()
    optional: bool = False

    @property
    def path(self) -> str:
        """What is read of the source, such as `records[:5].title`; empty for all of it."""
        return "".join(map(_part_text, self.parts)).removeprefix(".")

    @property
    def field(self) -> str:
        """The first field that is read of the source; empty for all of it."""
        return next((part for part in self.parts if isinstance(part, str)), "")

    def __str__(self) -> str:
        return f"${self.source}{''.join(map(_part_text, self.parts))}{'?' * self.optional}"


@dataclass(frozen=True, slots=True)
class Call:
    """`count($n12.candidates)`: a built-in function, or one that the workflow declares."""

    function: str
    arguments: tuple["Value", ...]
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """`a < b`, `a + b`, `a and b`, `not a`; `a else b` is b where a is null."""

    operator: str
    operands: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list of values."""

    values: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Record:
    """Keys with values."""

    values: Mapping[str, "Value"]


Value = Literal | Reference | Call | Operation | Items | Record


def read_value(data: Any) -> Value:
    """Read what stands under a key: text that begins with `$`, or with `=`, is an expression; `$$` begins plain text.

    Raises BadExpression.
    """
    if isinstance(data, list):
        return Items(tuple(read_value(one) for one in data))
    if isinstance(data, dict):
        return Record({key: read_value(one) for key, one in data.items()})
    if isinstance(data, str) and data.startswith("$$"):
        return Literal(data[1:])
    if isinstance(data, str) and data.startswith(("$", "=")):
        return read_expression(data)
    return Literal(data)


def read_expression(source: str) -> Value:
    """Read one expression, such as `$n09.confidence < 0.45`; an `=` before it is no part of it. Raises BadExpression."""
    reader = _Reader(source.removeprefix("="))
    value = reader.level(0)
    reader.end()
    return value


def references(value: Value) -> Iterator[Reference]:
    """Every reference in a value, in the order they stand there."""
    match value:
        case Reference():
            yield value
        case Call(arguments=inner) | Operation(operands=inner) | Items(values=inner):
            for one in inner:
                yield from references(one)
        case Record(values=under):
            for one in under.values():
                yield from references(one)


def functions(value: Value) -> Iterator[str]:
    """The name of every function that a value calls."""
    match value:
        case Call(function=name, arguments=inner):
            yield name
            for one in inner:
                yield from functions(one)
        case Operation(operands=inner) | Items(values=inner):
            for one in inner:
                yield from functions(one)
        case Record(values=under):
            for one in under.values():
                yield from functions(one)


class _Reader:
    """Reads tokens from left to right, one method a kind of thing; levels bind tighter from first to last."""

    def __init__(self, source: str) -> None:
        self._tokens = list(_tokens(source))
        self._at = 0
        self._depth = 0

    def level(self, number: int) -> Value:
        """A chain of operands of one level; comparisons do not chain."""
        if number == len(_LEVELS):
            return self._atom()
        if number == 2 and self._take("not"):
            return Operation("not", (self.level(2),))
        value = self.level(number + 1)
        while (operator := self._peek()) in _LEVELS[number]:
            self._at += 1
            value = Operation(operator, (value, self.level(number + 1)))
            if number == 2:
                break
        return value

    def end(self) -> None:
        """Nothing may be left over."""
        if self._at < len(self._tokens):
            raise BadExpression(f"Mend it before “{self._peek()}”: an operator or a comma is missing there.")

    def _atom(self) -> Value:
        kind, token = self._next()
        if kind == "reference":
            parts = self._parts()
            return Reference(token[1:], parts, optional=self._take("?"))
        if kind == "number":
            return Literal(float(token) if "." in token else int(token))
        if kind == "text":
            return Literal(token[1:-1])
        if token in _CONSTANTS:
            return Literal(_CONSTANTS[token])
        if kind == "part" and token.strip("[] ") == "":
            return Items(())
        if token == "(":
            return self._inside()
        if kind == "word" and token not in _RESERVED and self._take("("):
            return Call(token, self._arguments(), self._parts())
        raise BadExpression(f'Mend “{token}”: a value is needed there, such as $n02.city, 5 or "text".')

    def _inside(self) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BadExpression(f"Write at most {_DEEPEST} brackets inside each other.")
        value = self.level(0)
        self._need(")")
        self._depth -= 1
        return value

    def _arguments(self) -> tuple[Value, ...]:
        if self._take(")"):
            return ()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BadExpression(f"Write at most {_DEEPEST} brackets inside each other.")
        arguments = [self.level(0)]
        while self._take(","):
            arguments.append(self.level(0))
        self._need(")")
        self._depth -= 1
        return tuple(arguments)

    def _parts(self) -> tuple[Part, ...]:
        parts: list[Part] = []
        while self._at < len(self._tokens) and self._tokens[self._at][0] in ("field", "part"):
            parts.append(_part(self._next()[1]))
        return tuple(parts)

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _next(self) -> tuple[str, str]:
        if self._at == len(self._tokens):
            raise BadExpression("Finish it: a value is missing at the end.")
        self._at += 1
        return self._tokens[self._at - 1]

    def _take(self, token: str) -> bool:
        found = self._peek() == token
        self._at += found
        return found

    def _need(self, token: str) -> None:
        if not self._take(token):
            raise BadExpression(f"Close the bracket: “{token}” is missing.")


def _tokens(source: str) -> Iterator[tuple[str, str]]:
    source, at = source.strip(), 0
    while at < len(source):
        found = _TOKEN.match(source, at)
        if found is None or found.lastgroup is None:
            raise BadExpression(f"Take out “{source[at : at + 20].strip()}”: it is not used in expressions.")
        yield found.lastgroup, found[found.lastgroup]
        at = found.end()


def _part(token: str) -> Part:
    if token.startswith("."):
        return token[1:]
    inside = token.strip("[] ")
    if not inside:
        return Each.EACH
    return First(int(inside[1:])) if inside.startswith(":") else int(inside)


def _part_text(part: Part) -> str:
    match part:
        case Each():
            return "[]"
        case First(most=most):
            return f"[:{most}]"
        case int():
            return f"[{part}]"
    return f".{part}"
