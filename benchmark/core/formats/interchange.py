"""How values of core.trajectory are written as JSON objects and read back: a noun is a class with its keys in order.

Every key of a noun has the name of the class's field. A key is left out when it is empty; unknown keys are kept in
`extra` and written after the known ones.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from math import inf
from typing import Any

from benchmark.core import text
from benchmark.core.trajectory import ABSENT

_TOLD = 10

LARGEST = 2**63 - 1


class BadRecord(ValueError):
    """A record does not have the shape of its format: every problem, each with its place and key."""

    def __init__(self, where: str, problems: list[str]) -> None:
        self.problems = tuple(problems)
        more = len(problems) - _TOLD
        told = "; ".join(problems[:_TOLD]) + (f"; and {more} more" if more > 0 else "")
        super().__init__(f"{where}: {told}" if where else told)


class Wrong(ValueError):
    """One value has another kind than its key asks for; the message ends a sentence that begins with the key."""


def _as_is(value: Any) -> Any:
    return value


def _nothing_more(record: dict[str, Any]) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Kind:
    """What stands under a key: how it is checked and read, written, and when it is so empty that the key is left out."""

    read: Callable[[Any, str, list[str]], Any]
    write: Callable[[Any], Any]
    is_empty: Callable[[Any], bool]
    reads_null: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a noun. A required one is an error when it is missing; an `always` one is written also when empty."""

    kind: Kind
    required: bool = False
    always: bool = False


@dataclass(frozen=True, slots=True)
class Noun:
    """A class and its keys in the order they are written. `format` is written first and demanded, where there is one.

    `demands` names keys that an object must have because of what it holds otherwise; `settle` brings a value into the
    one form that is kept, after reading and before writing.
    """

    make: Callable[..., Any]
    keys: Mapping[str, Key]
    format: str = ""
    demands: Callable[[dict[str, Any]], tuple[str, ...]] = _nothing_more
    settle: Callable[[Any], Any] = _as_is

    def read(self, record: Any, place: str, problems: list[str]) -> Any:
        """The value of an object, or None after adding to the problems."""
        if not isinstance(record, dict):
            problems.append(f"{place or 'the record'} must be an object")
            return None
        before = len(problems)
        within = f"{place}/" if place else ""
        if self.format and record.get("format") != self.format:
            said = text.shown(json.dumps(record["format"], default=str)[:60]) if "format" in record else "missing"
            problems.append(f'{within}format must be "{self.format}", and is {said}')
        values = {key: rule.kind.read(record[key], within + key, problems) for key, rule in self._present(record)}
        required = (key for key, rule in self.keys.items() if rule.required)
        missing = [key for key in (*required, *self.demands(record)) if key not in record]
        problems += [f"{within}{key} is missing" for key in missing]
        if len(problems) > before:
            return None
        extra = {key: value for key, value in record.items() if not self._owns(key)}
        return self.settle(self.make(**values, extra=extra))

    def write(self, value: Any) -> dict[str, Any]:
        """The object of a value."""
        value = self.settle(value)
        record: dict[str, Any] = {"format": self.format} if self.format else {}
        for key, rule in self.keys.items():
            held = getattr(value, key)
            if rule.always or not rule.kind.is_empty(held):
                record[key] = rule.kind.write(held)
        return record | {key: held for key, held in value.extra.items() if not self._owns(key)}

    def _present(self, record: dict[str, Any]) -> list[tuple[str, Key]]:
        return [
            (key, rule)
            for key, rule in self.keys.items()
            if key in record and (record[key] is not None or rule.required or rule.kind.reads_null)
        ]

    def _owns(self, key: str) -> bool:
        return key in self.keys or (bool(self.format) and key == "format")


def _checked(check: Callable[[Any], Any]) -> Callable[[Any, str, list[str]], Any]:
    def read(value: Any, place: str, problems: list[str]) -> Any:
        try:
            return check(value)
        except Wrong as wrong:
            problems.append(f"{place} {wrong}")
            return None

    return read


def _instance(wanted: type, name: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, wanted):
            raise Wrong(f"must be {name}")
        return value

    return check


def _number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise Wrong("must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = inf
    if abs(number) == inf:
        raise Wrong("must be a number within the range of a double")
    return value if isinstance(value, int) else number


def _integer(value: Any) -> int:
    number = _number(value)
    if isinstance(number, float) and not number.is_integer():
        raise Wrong("must be a whole number")
    if not -LARGEST <= number <= LARGEST:
        raise Wrong("must be a whole number of at most 63 bits")
    return int(number)


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise Wrong("must be a text that is not empty")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Wrong("must be a list of texts")
    return tuple(value)


def _is_nothing(value: Any) -> bool:
    return not value


def _is_none(value: Any) -> bool:
    return value is None


TEXT = Kind(_checked(_instance(str, "a text")), _as_is, _is_nothing)
NAME = Kind(_checked(_name), _as_is, _is_none)
NUMBER = Kind(_checked(_number), _as_is, _is_none)
INTEGER = Kind(_checked(_integer), _as_is, _is_none)
FLAG = Kind(_checked(_instance(bool, "true or false")), _as_is, _is_none)
SWITCH = Kind(_checked(_instance(bool, "true or false")), _as_is, _is_nothing)
OBJECT = Kind(_checked(_instance(dict, "an object")), _as_is, _is_none)
FACTS = Kind(_checked(_instance(dict, "an object")), _as_is, _is_nothing)
TEXTS = Kind(_checked(_texts), list, _is_nothing)
VALUES = Kind(_checked(lambda value: tuple(_instance(list, "a list")(value))), list, _is_nothing)
ANY = Kind(_checked(_as_is), _as_is, lambda value: False, reads_null=True)
VALUE = Kind(_checked(_as_is), _as_is, _is_none)
VALUE_OR_NULL = Kind(_checked(_as_is), _as_is, lambda value: value is ABSENT, reads_null=True)


def word(*allowed: str) -> Kind:
    """One of a few words."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise Wrong(f"must be one of {', '.join(allowed)}")
        return value

    return Kind(_checked(check), _as_is, _is_nothing)


def member(choices: type[StrEnum]) -> Kind:
    """One member of a closed vocabulary."""
    known = {choice.value: choice for choice in choices}

    def check(value: Any) -> StrEnum:
        if not isinstance(value, str) or value not in known:
            raise Wrong(f"must be one of {', '.join(known)}")
        return known[value]

    return Kind(_checked(check), lambda value: value.value, _is_nothing)


def one(noun: Noun) -> Kind:
    """Another noun."""
    return Kind(noun.read, noun.write, _is_none)


def several(noun: Noun) -> Kind:
    """A list of another noun."""

    def read(value: Any, place: str, problems: list[str]) -> tuple[Any, ...]:
        if not isinstance(value, list):
            problems.append(f"{place} must be a list")
            return ()
        return tuple(noun.read(item, f"{place}/{index}", problems) for index, item in enumerate(value))

    return Kind(read, lambda values: [noun.write(value) for value in values], _is_nothing)


def mapping_of_texts() -> Kind:
    """An object whose values are texts."""

    def check(value: Any) -> dict[str, str]:
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            raise Wrong("must be an object of texts")
        return value

    return Kind(_checked(check), _as_is, _is_nothing)
