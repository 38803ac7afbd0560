"""Which value of the slot a later call carries on: gold, the substitute, or something else."""

from collections.abc import Iterator
from typing import Any

from benchmark.core.labelling.pointers import resolve, tokens
from benchmark.core.labelling.projection import Projection
from benchmark.core.labelling.state import state_of
from benchmark.core.labelling.trail import Place, Trail
from benchmark.core.labelling.values import equal, member_name
from benchmark.core.taxonomy import State
from benchmark.core.trajectory import ABSENT

_SMALL = 10


def carried(trail: Trail, place: Place) -> State | None:
    """The value a call's arguments carry: recovered for gold, residual for the substitute; None where it carries neither.

    A reference to a step that shows the slot carries what that step showed. A small number or a yes/no counts only
    under the slot's own name: 1 is too common to be recognised by its value.
    """
    if trail.slot is None or not trail.slot.pointers:
        return None
    if trail.takes_input and place.tool == trail.consumer:
        arguments = trail.arguments(place)
        shown = [resolve(arguments, pointer) for pointer in trail.slot.pointers]
        return state_of(trail, shown) if any(member is not ABSENT for member in shown) else None
    return _by_reference(trail, place) or _by_value(trail, place)


def shows_slot(trail: Trail, place: Place) -> State | None:
    """The slot's value in the affected step or a producer's observation; None where the step does not show it."""
    projection = Projection(trail)
    affected = trail.affected
    if affected and place.order == affected.order:
        shown = projection.start()
    elif place.tool in trail.producers:
        shown = projection.read(place)
    else:
        return None
    return None if shown is None else state_of(trail, shown)


def _by_reference(trail: Trail, place: Place) -> State | None:
    referred = [trail.place(number) for number in trail.refers_to(place)]
    states = [shows_slot(trail, source) for source in referred if source]
    return next((state for state in reversed(states) if state), None)


def _by_value(trail: Trail, place: Place) -> State | None:
    found = {
        state
        for state, members, others in (
            (State.RECOVERED, trail.gold, trail.polluted),
            (State.RESIDUAL, trail.polluted, trail.gold),
        )
        if _holds(trail, place, _distinct(members, others))
    }
    return found.pop() if len(found) == 1 else None


def _distinct(members: list[Any], others: list[Any]) -> list[tuple[int, Any]]:
    """The members by which gold and substitute can be told apart."""
    pairs = zip(members, others, strict=True)
    return [(at, own) for at, (own, other) in enumerate(pairs) if own is not ABSENT and not equal(own, other)]


def _holds(trail: Trail, place: Place, members: list[tuple[int, Any]]) -> bool:
    pointers = trail.slot.pointers if trail.slot else ()
    named = list(_named_scalars(place.step.arguments))
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
