"""The values of expressions while a workflow runs, and where each value came from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchmark.core.workflows.expression import (
    CLOCK,
    INPUT,
    ITEM,
    Call,
    Each,
    First,
    Items,
    Literal,
    Operation,
    Part,
    Record,
    Reference,
    Value,
)


class EvaluationError(ValueError):
    """An expression has no value: a node did not run, or a field is not there."""


class Origin(NamedTuple):
    """Where a value came from: a run's data and the JSON Pointer into it; the run `in` stands for the inputs."""

    run: str
    pointer: str


class Run(NamedTuple):
    """One execution of a node and what it gave."""

    name: str
    data: Any


@dataclass(slots=True)
class Scope:
    """What expressions can see: runs by node, inputs, the case's time, and inside a loop its element with its origin."""

    inputs: Mapping[str, Any]
    clock: int
    functions: Mapping[str, Callable[..., Any]]
    runs: dict[str, list[Run]] = field(default_factory=dict)
    item: Any = None
    item_origins: tuple[Origin, ...] = ()
    in_loop: bool = False

    def value(self, value: Value) -> Any:
        """The value of an expression; raises EvaluationError."""
        match value:
            case Literal(value=plain):
                return plain
            case Reference():
                return self._reference(value)
            case Call(function=name, arguments=inner, parts=parts):
                return _walk(self._function(name)(*(self.value(one) for one in inner)), parts, optional=False)
            case Items(values=inner):
                return [self.value(one) for one in inner]
            case Record(values=under):
                return {key: self.value(one) for key, one in under.items()}
        return self._operation(value)

    def origins(self, value: Value) -> tuple[Origin, ...]:
        """Where the parts of a value came from, one for each value read, in the order of the expression."""
        match value:
            case Reference():
                return tuple(self._reference_origins(value))
            case Call(arguments=inner) | Operation(operands=inner) | Items(values=inner):
                return tuple(origin for one in inner for origin in self.origins(one))
            case Record(values=under):
                return tuple(origin for one in under.values() for origin in self.origins(one))
        return ()

    def _reference(self, reference: Reference) -> Any:
        if reference.source == CLOCK:
            return self.clock
        if reference.source == INPUT:
            return _walk(self.inputs, reference.parts, optional=reference.optional)
        if reference.source == ITEM:
            return _walk(self.item, reference.parts, optional=reference.optional)
        runs = self.runs.get(reference.source, [])
        if reference.parts[:1] == (Each.EACH,):
            return [_walk(run.data, reference.parts[1:], optional=reference.optional) for run in runs]
        if not runs:
            if reference.optional:
                return None
            raise EvaluationError(f"{reference.source} did not run")
        return _walk(runs[-1].data, reference.parts, optional=reference.optional)

    def _reference_origins(self, reference: Reference) -> Sequence[Origin]:
        if reference.source == CLOCK:
            return ()
        if reference.source == INPUT:
            return (Origin(INPUT, _pointer(reference.parts)),)
        if reference.source == ITEM:
            below = _pointer(reference.parts)
            return [Origin(origin.run, origin.pointer + below) for origin in self.item_origins]
        runs = self.runs.get(reference.source, [])
        if reference.parts[:1] == (Each.EACH,):
            return [Origin(run.name, _pointer(reference.parts[1:])) for run in runs]
        return [Origin(runs[-1].name, _pointer(reference.parts))] if runs else ()

    def _function(self, name: str) -> Callable[..., Any]:
        return _BUILT_IN[name] if name in _BUILT_IN else self.functions[name]

    def _operation(self, operation: Operation) -> Any:
        first, *rest = operation.operands
        match operation.operator:
            case "not":
                return not self.value(first)
            case "and":
                return bool(self.value(first)) and bool(self.value(rest[0]))
            case "or":
                return bool(self.value(first)) or bool(self.value(rest[0]))
            case "else":
                left = self.value(first)
                return self.value(rest[0]) if left is None else left
        return _OPERATIONS[operation.operator](self.value(first), self.value(rest[0]))


def is_whole(value: Value) -> bool:
    """Whether a value is just what one node gave, or a part of it: nothing computed, cut or put together."""
    return isinstance(value, Reference) and not any(isinstance(part, First | Each) for part in value.parts[1:])


def _pointer(parts: Sequence[Part]) -> str:
    """The pointer to what is read, as far as it names one place: up to the first `[]` or `[:n]`."""
    named = []
    for part in parts:
        if isinstance(part, Each | First):
            break
        named.append(f"/{part}")
    return "".join(named)


def _walk(value: Any, parts: Sequence[Part], *, optional: bool) -> Any:
    for number, part in enumerate(parts):
        if isinstance(part, Each):
            if value is None and optional:
                return None
            return [_walk(one, parts[number + 1 :], optional=optional) for one in _list(value)]
        if isinstance(part, First):
            value = _list(value)[: part.most]
            if number + 1 < len(parts) and isinstance(parts[number + 1], str):
                return [_walk(one, parts[number + 1 :], optional=optional) for one in value]
            continue
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            if optional:
                return None
            raise EvaluationError(f"there is no {part} in what was read") from None
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise EvaluationError("a list is wanted there")
    return value


def _sum(left: Any, right: Any) -> Any:
    """Numbers are added, lists joined; a list joined with null is the list."""
    if isinstance(left, list) or isinstance(right, list):
        return [*(left or []), *(right or [])]
    return left + right


def _compared(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """A comparison that is false where one side is null."""
    return lambda left, right: left is not None and right is not None and compare(left, right)


_BUILT_IN: dict[str, Callable[..., Any]] = {
    "count": lambda things: len(things or []),
    "max": lambda *values: max(values[0] if len(values) == 1 else values, default=None),
    "min": lambda *values: min(values[0] if len(values) == 1 else values, default=None),
}
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": _compared(lambda left, right: left < right),
    "<=": _compared(lambda left, right: left <= right),
    ">": _compared(lambda left, right: left > right),
    ">=": _compared(lambda left, right: left >= right),
    "in": lambda left, right: left in (right or []),
    "+": _sum,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
}
