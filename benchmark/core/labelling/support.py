"""Whether what an answer claims is supported: by the reference evidence, or by a new observation of the rollout."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from benchmark.core.labelling import quantities
from benchmark.core.labelling.constraint import Clause, holds, listed
from benchmark.core.labelling.pointers import resolve, scalars
from benchmark.core.labelling.trail import Trail
from benchmark.core.labelling.values import MONEY_TOLERANCE, Names, any_same, is_id
from benchmark.core.text import norm
from benchmark.core.trajectory import ABSENT, Step

_PINNING = frozenset({"eq", "in", "approx", "set_eq", "subset"})
_SHORTEST_QUOTE = 4


class Evidence:
    """The observations that may support a claim: reference steps, own steps, prefix steps but the affected one, inputs."""

    def __init__(self, trail: Trail, names: Names) -> None:
        self.trail = trail
        self.names = names

    @property
    def has_reference(self) -> bool:
        """Whether the unit brings reference evidence at all."""
        return bool(self.trail.unit and self.trail.unit.reference)

    def supports(self, clause: Clause) -> bool:
        """Whether some observation of the clause's tool satisfies an evidence clause."""
        tool = self.trail.names.canonical(clause.options["tool"])
        return any(
            holds(clause, resolve(step.observation, clause.options["pointer"]), self.names)
            for step in self._steps()
            if self.trail.names.canonical(step.tool) == tool and not step.error
        )

    def unsupported(self, key: str, asserted: Any, required: Sequence[Clause]) -> list[Any]:
        """The asserted values of a key that neither the reference result nor any observation shows.

        A key whose clause pins its value down is supported by the reference result once the clause holds. What is
        left open (a longer list, a value in a range) must be shown somewhere. A key without any clause is checked only
        where it names an identifier: a judgement in words or a sum need not stand in any observation.
        """
        own = [clause for clause in required if clause.key == key]
        if any(clause.op in _PINNING for clause in own) or asserted in (ABSENT, None):
            return []
        wanted = [value for clause in own for value in clause.wanted]
        rule = next((clause.norm for clause in own if clause.norm), None)
        claims = [claim for claim in listed(asserted) if own or is_id(claim)]
        return [claim for claim in claims if not (any_same(claim, wanted, rule, key, self.names) or self._shows(claim))]

    def _shows(self, claim: Any) -> bool:
        if isinstance(claim, bool | dict | list):
            return True
        quantity = quantities.read(claim)
        if quantity is not None:
            return any(quantities.close(quantity.number, number, MONEY_TOLERANCE) for number in self._numbers)
        said = norm(str(claim))
        if said in self._texts or (self.names.id_of(str(claim)) or "") in self._ids:
            return True
        return len(said) >= _SHORTEST_QUOTE and any(said in text for text in self._texts)

    def _steps(self) -> Iterator[Step]:
        affected = self.trail.affected
        if self.trail.unit:
            yield from self.trail.unit.reference
        for place in self.trail.places:
            if not (affected and place.order == affected.order):
                yield place.step

    @cached_property
    def _shown(self) -> list[Any]:
        shown = [step.observation for step in self._steps() if not step.error]
        return list(scalars([*shown, self.trail.unit.inputs if self.trail.unit else None]))

    @cached_property
    def _texts(self) -> set[str]:
        return {norm(value) for value in self._shown if isinstance(value, str)}

    @cached_property
    def _ids(self) -> set[str]:
        return {value.strip() for value in self._shown if isinstance(value, str) and is_id(value)}

    @cached_property
    def _numbers(self) -> list[float]:
        read = (quantities.read(value) for value in self._shown)
        return [quantity.number for quantity in read if quantity]


def names_of(trail: Trail) -> Names:
    """What the records call each id, from all evidence except the affected observation."""

    def sources() -> Iterator[Any]:
        affected = trail.affected
        for step in trail.unit.reference if trail.unit else ():
            yield step.observation
        for place in trail.places:
            if not (affected and place.order == affected.order):
                yield place.step.observation

    return Names(sources)
