"""The first part of a case box: what was asked, of whom, and what was done to the evidence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from benchmark.core import text
from benchmark.core.labelling.pointers import bundle, member_names
from benchmark.core.trajectory import ABSENT, Evidence, Step, Unit
from benchmark.report import arguments
from benchmark.report.arguments import Pairs
from benchmark.report.marking import GOLD, INJECTED, Values, slot_values
from benchmark.report.steps import LongText, excerpt

WORLD_ZONE = timezone(timedelta(hours=8), "Asia/Shanghai")
EVIDENCE_CHARACTERS = 20_000
WIDE = 48


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the setup: plain words, or pairs where the value is JSON. `kind`: gold, injected or empty."""

    name: str
    words: str = ""
    pairs: Pairs = ()
    kind: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether it needs more room than a word or two."""
        return len(self.words) > WIDE or len(self.pairs) > 2 or any(len(value) > WIDE for _, value in self.pairs)


@dataclass(frozen=True, slots=True)
class ShownEvidence:
    """One piece of reference evidence: a heading or the call it came from, and what it says."""

    heading: str
    arguments: Pairs
    value: LongText


def unit_facts(unit: Unit | None) -> list[Fact]:
    """What a unit says about its slot, in the order of the case box; nothing where there is no unit."""
    if unit is None:
        return []
    slot = unit.slot
    facts = [
        Fact("Unit", text.shown(unit.id)),
        Fact("Workflow", text.shown(unit.workflow or "")),
        Fact("World clock", world_time(unit.clock)),
        Fact("Affected producer", ", ".join(map(text.shown, slot.producers)) if slot else ""),
        Fact("Slot", ", ".join(map(text.shown, slot.pointers)) if slot else ""),
        Fact("Feeds", _feeds(unit)),
        Fact("Place", _place(unit)),
        Fact("Kind of error", unit.leaf.value.replace("_", " ") if unit.leaf else ""),
        _value("Gold value", unit.gold, GOLD),
        _value("Polluted value", unit.polluted, INJECTED),
        Fact("Unchanged", text.shown(unit.unchanged or "")),
        Fact("Why it is silent", text.shown(unit.why_silent or "")),
    ]
    return [fact for fact in facts if fact.words or fact.pairs]


def values_of(unit: Unit | None) -> Values:
    """How to find the slot's gold and polluted values in a text."""
    if unit is None or unit.slot is None or ABSENT in (unit.gold, unit.polluted):
        return Values()
    pointers = unit.slot.pointers
    return slot_values(bundle(unit.gold, pointers), bundle(unit.polluted, pointers), member_names(pointers))


def evidence_of(reference: Sequence[Step | Evidence]) -> Iterator[ShownEvidence]:
    """Reference evidence as a reader sees it: calls with their observation, or values under the source's heading."""
    for one in reference:
        if isinstance(one, Step):
            body = "" if one.observation is ABSENT else arguments.pretty(one.observation)
            heading, line = text.shown(one.tool or one.text or ""), arguments.pairs(one.arguments)
        else:
            body, heading, line = arguments.pretty(one.value), text.shown(one.heading), ()
        yield ShownEvidence(heading, line, excerpt(body[:EVIDENCE_CHARACTERS], len(body)))


def world_time(clock: int | None) -> str:
    """A world's clock (seconds since 1970) in the world's own zone."""
    if clock is None:
        return ""
    return f"{datetime.fromtimestamp(clock, UTC).astimezone(WORLD_ZONE):%Y-%m-%d %H:%M} Asia/Shanghai"


def _feeds(unit: Unit) -> str:
    slot = unit.slot
    if slot is None or not slot.consumer:
        return ""
    onward = ", ".join(map(text.shown, slot.downstream))
    return text.shown(slot.consumer) + (f" → {onward}" if onward else "")


def _place(unit: Unit) -> str:
    slot = unit.slot
    if slot is None:
        return ""
    words = [slot.locus.value.replace("_", " "), slot.position or "", "" if slot.f is None else f"f = {slot.f:.3g}"]
    return " · ".join(word for word in words if word)


def _value(name: str, value: Any, kind: str) -> Fact:
    return Fact(name, kind=kind) if value is ABSENT else Fact(name, pairs=arguments.pairs(value), kind=kind)
