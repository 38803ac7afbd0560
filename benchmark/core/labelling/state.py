"""Producer refetch and observation state: which calls ask the producer again, and what its latest word on the slot is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.core.labelling.calls import same_call
from benchmark.core.labelling.projection import Projection
from benchmark.core.labelling.trail import Place, Trail
from benchmark.core.labelling.values import equal_bundle
from benchmark.core.taxonomy import State


@dataclass(frozen=True, slots=True)
class Refetch:
    """One call of a producer in the continuation: what it showed at the slot (None: nothing valid), for which entity."""

    place: Place
    shown: list[Any] | None
    state: State | None
    same_entity: bool
    same_arguments: bool


@dataclass(frozen=True, slots=True)
class Observed:
    """The slot as the trajectory shows it: at the start, at each refetch, in the end.

    `latest` is the place of the observation that decides the state; None where no valid one exists. `literal` is the
    state under the reading that lets a call about another entity count too (a diagnostic).
    """

    start: list[Any] | None
    start_state: State
    refetches: tuple[Refetch, ...]
    state: State
    latest: Place | None
    literal: State

    @property
    def rounds(self) -> int | None:
        """Producer calls up to and including the first that showed gold; None where none did."""
        for count, refetch in enumerate(self.refetches, start=1):
            if refetch.same_entity and refetch.state is State.RECOVERED:
                return count
        return None

    @property
    def is_grounded(self) -> bool:
        """Whether some valid producer observation shows gold; without one a right answer has no ground in the rollout."""
        return State.RECOVERED in (self.start_state, *(refetch.state for refetch in self.refetches))


def observe(trail: Trail) -> Observed:
    """Follow the slot through a rollout. Needs a slot with pointers and a gold value.

    The state is that of the latest valid producer observation for the slot's entity, the prefix's own included: equal
    to gold is recovered, equal to the substitute residual, anything else (or no valid observation) neither. For
    `tool_input` the start is the argument that the prefix shows.
    """
    projection = Projection(trail)
    start = projection.start()
    refetches = tuple(_refetch(trail, projection, place) for place in trail.own if trail.is_producer(place))
    start_state = state_of(trail, start)
    state, latest = start_state, trail.affected if start is not None else None
    literal = start_state
    for refetch in refetches:
        if refetch.state is None:
            continue
        literal = refetch.state
        if refetch.same_entity:
            state, latest = refetch.state, refetch.place
    return Observed(start, start_state, refetches, state, latest, literal)


def state_of(trail: Trail, shown: Sequence[Any] | None) -> State:
    """Gold, polluted or neither: what a shown value is; None (nothing valid) is neither."""
    if shown is None or trail.slot is None:
        return State.NEITHER
    if equal_bundle(shown, trail.gold, trail.slot.pointers):
        return State.RECOVERED
    if equal_bundle(shown, trail.polluted, trail.slot.pointers):
        return State.RESIDUAL
    return State.NEITHER


def _refetch(trail: Trail, projection: Projection, place: Place) -> Refetch:
    shown = projection.read(place)
    recorded = trail.recorded
    return Refetch(
        place=place,
        shown=shown,
        state=None if shown is None else state_of(trail, shown),
        same_entity=projection.is_about_entity(place) is not False,
        same_arguments=recorded is not None
        and trail.names.canonical(recorded.tool) == place.tool
        and same_call(trail, place, recorded.arguments),
    )
