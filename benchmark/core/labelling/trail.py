"""A rollout laid out for measuring: numbered steps with canonical tool names, and where its slot stands."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmark.core.labelling.names import ToolNames
from benchmark.core.labelling.pointers import bundle, objects, resolve
from benchmark.core.taxonomy import Locus
from benchmark.core.trajectory import ABSENT, Actor, Kind, Rollout, Step, Tool

_REFERENCE = re.compile(r"[PR]\d+")
_THINKING = frozenset({"think", "thinking"})


@dataclass(frozen=True, slots=True)
class Place:
    """One step with its number, its order over prefix and continuation (from 0), and its canonical tool name."""

    number: str
    order: int
    step: Step
    tool: str

    @property
    def is_inherited(self) -> bool:
        """Part of the prefix."""
        return self.number[0] == "P"

    @property
    def is_call(self) -> bool:
        """A call that acts on the environment: made by the agent, and more than thinking aloud."""
        return self.step.is_agent_call and self.tool.lower() not in _THINKING


class Trail:
    """The prepared view that all measures of one rollout share. Nothing in it depends on condition or model."""

    def __init__(self, rollout: Rollout) -> None:
        self.rollout = rollout
        self.unit = rollout.unit
        self.slot = rollout.unit.slot if rollout.unit else None
        self.names = ToolNames.of(rollout.unit)
        canonical = self.names.canonical
        self.producers = frozenset(canonical(name) for name in self.slot.producers) if self.slot else frozenset()
        self.consumer = canonical(self.slot.consumer) if self.slot and self.slot.consumer else ""
        self.places = tuple(
            Place(number, order, step, canonical(step.tool)) for order, (number, step) in enumerate(rollout.numbered())
        )
        self.first_own = len(rollout.prefix)

    @property
    def own(self) -> tuple[Place, ...]:
        """The continuation."""
        return self.places[self.first_own :]

    @property
    def takes_input(self) -> bool:
        """Whether the slot is an argument of its consumer (locus `tool_input`)."""
        return self.slot is not None and self.slot.locus is Locus.TOOL_INPUT

    @cached_property
    def affected(self) -> Place | None:
        """The prefix step that shows the slot: the last producer call, or for `tool_input` the last consumer call."""
        calls = [place for place in self.places[: self.first_own] if place.step.kind is Kind.CALL]
        if self.slot is None or not calls:
            return None
        wanted = {self.consumer} if self.takes_input else self.producers
        named = [place for place in calls if place.tool in wanted]
        if named:
            return named[-1]
        return calls[-1] if self.takes_input else None

    @cached_property
    def recorded(self) -> Step | None:
        """The producer's recorded call: from the reference evidence, else the affected step where that is a producer's."""
        if self.unit is None:
            return None
        for step in reversed(self.unit.reference):
            if step.kind is Kind.CALL and self.names.canonical(step.tool) in self.producers:
                return step
        affected = self.affected
        return affected.step if affected and affected.tool in self.producers else None

    @cached_property
    def gold(self) -> list[Any]:
        """The recorded value, one member for each pointer."""
        return bundle(self.unit.gold, self.slot.pointers) if self.unit and self.slot else []

    @cached_property
    def polluted(self) -> list[Any]:
        """The substituted value, one member for each pointer."""
        return bundle(self.unit.polluted, self.slot.pointers) if self.unit and self.slot else []

    @cached_property
    def toolbox(self) -> dict[str, Tool]:
        """The unit's tools by canonical name."""
        return {self.names.canonical(tool.name): tool for tool in self.unit.toolbox} if self.unit else {}

    @cached_property
    def _by_number(self) -> dict[str, Place]:
        return {place.number: place for place in self.places}

    def place(self, number: str) -> Place | None:
        """The step with a number (P3, R1), or None."""
        return self._by_number.get(number)

    def is_producer(self, place: Place) -> bool:
        """Whether the agent calls a tool that yields the affected value."""
        return place.is_call and place.tool in self.producers

    def arguments(self, place: Place) -> Any:
        """A call's arguments with references to earlier observations replaced by what those steps showed."""
        return self.settled(place.step.arguments)

    def settled(self, value: Any) -> Any:
        """A value with `{"step": "P3", "pointer": …}` replaced by the value shown there; ABSENT for a dead reference."""
        if isinstance(value, dict):
            if _is_reference(value):
                place = self._by_number.get(value["step"])
                return resolve(place.step.observation, value.get("pointer", "")) if place else ABSENT
            return {key: self.settled(member) for key, member in value.items()} if _holds_reference(value) else value
        if isinstance(value, list) and any(isinstance(member, dict) for member in value):
            return [self.settled(member) for member in value]
        return value

    def refers_to(self, place: Place) -> Iterator[str]:
        """The numbers of the steps that a call's arguments refer to."""
        yield from _references(place.step.arguments)


def spoken(place: Place) -> list[tuple[str, str]]:
    """What the agent says in a step: (field, text) for its thought, its message, and a thought given to a `think` tool."""
    step = place.step
    if step.actor is not Actor.AGENT:
        return []
    said = [("thought", step.thought), ("text", step.text if step.kind is Kind.MESSAGE else None)]
    if step.is_agent_call and not place.is_call and isinstance(step.arguments, dict):
        said.append(("arguments/thought", step.arguments.get("thought")))
    return [(field, text) for field, text in said if isinstance(text, str) and text.strip()]


def _is_reference(value: Mapping[str, Any]) -> bool:
    number = value.get("step")
    return isinstance(number, str) and bool(_REFERENCE.fullmatch(number)) and value.keys() <= {"step", "pointer"}


def _holds_reference(value: Any) -> bool:
    return next(_references(value), None) is not None


def _references(value: Any) -> Iterator[str]:
    return (found["step"] for found in objects(value) if _is_reference(found))
