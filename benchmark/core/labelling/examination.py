"""Everything that labels and diagnoses are told from: one rollout, looked at once."""

from dataclasses import dataclass

from benchmark.core.labelling import judges
from benchmark.core.labelling.noticing import Notice, notice
from benchmark.core.labelling.slot_use import SlotUse
from benchmark.core.labelling.state import Observed, observe
from benchmark.core.labelling.trail import Trail
from benchmark.core.taxonomy import End, State
from benchmark.core.trajectory import ABSENT, Judged, Rollout

_INVALID = frozenset({End.MODEL_ERROR, End.ENVIRONMENT_ERROR, End.CANCELLED})


@dataclass(frozen=True, slots=True)
class Examination:
    """One rollout's trail, what was noticed in it, the slot as observed (None: `why_unobserved`), and the rule's verdict."""

    trail: Trail
    use: SlotUse
    notice: Notice
    observed: Observed | None
    why_unobserved: str
    verdict: Judged | None
    rests_on: State | None


def examine(rollout: Rollout) -> Examination:
    """Look at a rollout. Raises RecursionError where an argument or observation is nested too deeply to be compared."""
    trail = Trail(rollout)
    observed, why = _observed(trail)
    verdict, rests_on = judges.judge(trail)
    use = SlotUse(trail)
    return Examination(trail, use, notice(trail, use), observed, why, verdict, rests_on)


def why_invalid(rollout: Rollout) -> str | None:
    """Why a rollout holds no valid record and gets no label, or None: it ended in a fault, or before a readable step."""
    if rollout.end in _INVALID:
        return f"the rollout is invalid: it ended with {rollout.end.value}"
    if rollout.end in (End.PARSE_LIMIT, End.BUDGET) and not rollout.steps:
        return f"the rollout is invalid: it ended with {rollout.end.value} before a readable step"
    return None


def _observed(trail: Trail) -> tuple[Observed | None, str]:
    unit, slot = trail.unit, trail.slot
    if unit is None or slot is None:
        return None, "no slot"
    if not slot.pointers:
        return None, "the slot has no pointer"
    if unit.gold is ABSENT:
        return None, "the unit gives no gold value"
    return observe(trail), ""
