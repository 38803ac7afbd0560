"""Which value of the slot a later call carries on: gold, the substitute, or something else."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from benchmark.core.labelling.pointers import resolve, tokens
from benchmark.core.labelling.projection import Projection
from benchmark.core.labelling.state import state_of
from benchmark.core.labelling.trail import Place, Trail
from benchmark.core.labelling.values import equal, member_name
from benchmark.core.taxonomy import State
from benchmark.core.trajectory import ABSENT

_SMALL = 10


class SlotUse:
    """Tells of one rollout's steps which value of the slot they show or carry on; each is looked at once."""

    def __init__(self, trail: Trail) -> None:
        self.trail = trail
        self.projection = Projection(trail)
        self._shown: dict[int, State | None] = {}

    def carried(self, place: Place) -> State | None:
        """The value a call's arguments carry: recovered for gold, residual for the substitute; None where neither.

        A reference to a step that shows the slot carries what that step showed. A small number or a yes/no counts only
        under the slot's own name: 1 is too common to be recognised by its value.
        """
        trail = self.trail
        if trail.slot is None or not trail.slot.pointers:
            return None
        if trail.takes_input and place.tool == trail.consumer:
            arguments = trail.arguments(place)
            shown = [resolve(arguments, pointer) for pointer in trail.slot.pointers]
            return state_of(trail, shown) if any(member is not ABSENT for member in shown) else None
        return self._by_reference(place) or self._by_value(place)

    def shows(self, place: Place) -> State | None:
        """The slot's value in the affected step or a producer's observation; None where the step does not show it."""
        if place.order not in self._shown:
            self._shown[place.order] = self._look(place)
        return self._shown[place.order]

    def _look(self, place: Place) -> State | None:
        affected = self.trail.affected
        if affected and place.order == affected.order:
            shown = self.projection.start()
        elif place.tool in self.trail.producers:
            shown = self.projection.read(place)
        else:
            return None
        return None if shown is None else state_of(self.trail, shown)

    def _by_reference(self, place: Place) -> State | None:
        referred = [self.trail.place(number) for number in self.trail.refers_to(place)]
        states = [self.shows(source) for source in referred if source]
        return next((state for state in reversed(states) if state), None)

    def _by_value(self, place: Place) -> State | None:
        pointers = self.trail.slot.pointers if self.trail.slot else ()
        named = list(_named_scalars(place.step.arguments))
        found = {state for state, members in self._distinct if _holds(named, members, pointers)}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def _distinct(self) -> list[tuple[State, list[tuple[int, Any]]]]:
        gold, polluted = self.trail.gold, self.trail.polluted
        return [(State.RECOVERED, _distinct(gold, polluted)), (State.RESIDUAL, _distinct(polluted, gold))]


def _distinct(members: list[Any], others: list[Any]) -> list[tuple[int, Any]]:
    """The members by which gold and substitute can be told apart."""
    pairs = zip(members, others, strict=True)
    return [(at, own) for at, (own, other) in enumerate(pairs) if own is not ABSENT and not equal(own, other)]


def _holds(named: list[tuple[str, Any]], members: list[tuple[int, Any]], pointers: Sequence[str]) -> bool:
    for at, wanted in members:
        name = (tokens(pointers[at]) or ("",))[-1]
        for key, value in named:
            if equal(value, wanted, name) and (not _is_common(wanted) or key in (name, member_name(pointers, at))):
                return True
    return False


def _is_common(value: Any) -> bool:
    if isinstance(value, bool):
        return True
    return isinstance(value, int | float) and abs(value) < _SMALL and float(value).is_integer()


def _named_scalars(arguments: Any) -> Iterator[tuple[str, Any]]:
    waiting: list[tuple[str, Any]] = [("", arguments)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.items())
        elif isinstance(value, list):
            waiting.extend((name, member) for member in value)
        elif value is not None:
            yield name, value
