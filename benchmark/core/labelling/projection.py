"""What one observation of a producer says about the slot."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from benchmark.core.labelling.pointers import resolve, tokens
from benchmark.core.labelling.trail import Place, Trail
from benchmark.core.labelling.values import equal
from benchmark.core.trajectory import ABSENT

_CALLED = re.compile(r"(?:^|_)(?:name|title)$")
_KEY = re.compile(r"(?:^|_)id$|[a-z]Id$")


class Projection:
    """Reads the slot's value out of producer observations, whatever shape the call gave them.

    A list whose items carry an id of their own is read at the recorded item's id and else by index; a batch call is
    read at the slot's entity; for `tool_input` the value is found where the producer's own output holds it.
    """

    def __init__(self, trail: Trail) -> None:
        self.trail = trail
        self.pointers = [tokens(pointer) for pointer in trail.slot.pointers] if trail.slot else []

    def start(self) -> list[Any] | None:
        """The value that the prefix shows at the slot, or None where it shows no valid one."""
        place = self.trail.affected
        if place is None:
            return None
        if self.trail.takes_input:
            arguments = self.trail.arguments(place)
            return self._valid([resolve(arguments, pointer) for pointer in self.pointers])
        if place.step.error:
            return None
        return self._valid([resolve(place.step.observation, pointer) for pointer in self.pointers])

    def read(self, place: Place) -> list[Any] | None:
        """The slot's value in a producer call's observation, or None where the observation is not a valid one."""
        observation = place.step.observation
        if place.step.error or observation is ABSENT:
            return None
        batch = self._batch_key(place)
        if batch:
            return self._valid(self._in_batch(observation, *batch))
        if self.trail.takes_input:
            return self._valid([self._in_output(place, observation, pointer) for pointer in self.pointers])
        return self._valid([self._walk(observation, pointer) for pointer in self.pointers])

    def is_about_entity(self, place: Place) -> bool | None:
        """Whether a call is about the slot's entity; None for a tool without entity keys, which always is."""
        tool = self.trail.toolbox.get(place.tool)
        entity = (self.trail.slot.entity or {}) if self.trail.slot else {}
        keys = [key for key in (tool.entity_keys if tool else ()) if key in entity]
        arguments = self.trail.arguments(place)
        if not keys or not isinstance(arguments, dict):
            return None
        return all(_agrees(arguments, key, entity[key]) for key in keys)

    def siblings(self, place: Place) -> list[str]:
        """What the object that holds the slot is called there: its id, its name or title."""
        if not self.pointers or self.trail.takes_input:
            return []
        holder = resolve(place.step.observation, self.pointers[0][:-1])
        if not isinstance(holder, dict):
            return []
        return [
            value
            for key, value in holder.items()
            if isinstance(value, str) and (_KEY.search(key) or _CALLED.search(key))
        ]

    def _valid(self, members: list[Any]) -> list[Any] | None:
        """The members, if at least one is there. Null and the empty are not, unless the recorded value is just that."""
        gold = self.trail.gold
        for at, member in enumerate(members):
            if member is ABSENT:
                continue
            if not _is_empty(member) or (at < len(gold) and _is_empty(gold[at])):
                return members
        return None

    def _batch_key(self, place: Place) -> tuple[str, Any] | None:
        tool = self.trail.toolbox.get(place.tool)
        entity = (self.trail.slot.entity or {}) if self.trail.slot else {}
        arguments = self.trail.arguments(place)
        if not tool or not isinstance(arguments, dict):
            return None
        for key in tool.entity_keys:
            if key in entity and key not in arguments and isinstance(arguments.get(f"{key}s"), list):
                return key, entity[key]
        return None

    def _in_batch(self, observation: Any, key: str, wanted: Any) -> list[Any]:
        for item in _items(observation, key, wanted):
            for skipped in (0, 1):
                members = [resolve(item, pointer[skipped:]) for pointer in self.pointers]
                if self._valid(members):
                    return members
        return [ABSENT] * len(self.pointers)

    def _walk(self, observation: Any, pointer: tuple[str, ...]) -> Any:
        value = observation
        for depth, token in enumerate(pointer):
            keyed = self._keyed.get(pointer[: depth + 1]) if isinstance(value, list) else None
            if keyed and any(isinstance(item, dict) and keyed[0] in item for item in value):
                value = next((item for item in value if _has(item, *keyed)), ABSENT)
            else:
                value = resolve(value, [token])
        return value

    @cached_property
    def _keyed(self) -> dict[tuple[str, ...], tuple[str, Any]]:
        """For each list item on the way to the slot: the key that names it, and the recorded item's value there."""
        step = self.trail.recorded
        found: dict[tuple[str, ...], tuple[str, Any]] = {}
        if step is None:
            return found
        for pointer in self.pointers:
            for depth, token in enumerate(pointer):
                items = resolve(step.observation, pointer[:depth])
                if isinstance(items, list) and token.isdigit() and int(token) < len(items):
                    key = self._key_of(items, int(token), pointer[: depth + 1])
                    if key:
                        found[pointer[: depth + 1]] = (key, items[int(token)][key])
        return found

    def _key_of(self, items: list[Any], at: int, path: tuple[str, ...]) -> str | None:
        """The id that tells the items of a list apart, unless that id is itself what the slot replaces."""
        if not isinstance(items[at], dict):
            return None
        for key in items[at]:
            named = [item.get(key) for item in items if isinstance(item, dict) and isinstance(item.get(key), str)]
            if _KEY.search(key) and len(named) == len(items) == len(set(named)) and (*path, key) not in self.pointers:
                return key
        return None

    def _in_output(self, place: Place, observation: Any, pointer: tuple[str, ...]) -> Any:
        for path in self._declared(place, pointer):
            value = resolve(observation, path)
            if value is not ABSENT:
                return value
        return _only_member(observation, pointer)

    def _declared(self, place: Place, pointer: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        tool = self.trail.toolbox.get(place.tool)
        declared = tool.extra.get("slot_projection") if tool else None
        at = self.pointers.index(pointer)
        if isinstance(declared, list) and at < len(declared) and isinstance(declared[at], str):
            yield tokens(declared[at])
        yield ("data", *pointer)
        yield pointer


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _agrees(arguments: Mapping[str, Any], key: str, wanted: Any) -> bool:
    """Whether a call names the wanted entity, alone or in its batch form. A call that names none is not about another."""
    if key in arguments:
        return equal(arguments[key], wanted, key)
    batch = arguments.get(f"{key}s")
    return any(equal(member, wanted, key) for member in batch) if isinstance(batch, list) else True


def _has(item: Any, key: str, wanted: Any) -> bool:
    return isinstance(item, dict) and equal(item.get(key, ABSENT), wanted, key)


def _items(observation: Any, key: str, wanted: Any) -> Iterator[Any]:
    """The entries of a batch observation that belong to one entity: keyed by it, or listed with its id."""
    data = observation.get("data", observation) if isinstance(observation, dict) else observation
    holders = [data, *(data.values() if isinstance(data, dict) else ())]
    for holder in holders:
        if isinstance(holder, list):
            yield from (item for item in holder if _has(item, key, wanted))
        elif isinstance(holder, dict) and isinstance(wanted, str) and wanted in holder:
            yield holder[wanted]


def _only_member(observation: Any, pointer: tuple[str, ...]) -> Any:
    """The one member anywhere in an observation that has the argument's name; ABSENT where none or several differ."""
    names = [token for token in pointer if not token.isdigit()]
    if not names:
        return ABSENT
    tail = pointer[pointer.index(names[-1]) + 1 :]
    found: list[Any] = []
    waiting = [observation]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if names[-1] in value:
                found.append(resolve(value[names[-1]], tail))
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    shown = [value for value in found if value is not ABSENT]
    return shown[0] if shown and all(equal(value, shown[0]) for value in shown) else ABSENT
