"""Which action after a stated anomaly tries to mend or check the evidence.

A producer call; the first call ever of a corroborating tool for the slot's entity; or an explicit refetch, that is an
earlier call on which the slot depends, or that depends on it, issued again while the thought says that it is checked
again. The ordinary next workflow call is not remedial, and neither is a write. Where a record declares no corroborating
tools, any tool not called before corroborates, except one that only writes or thinks.
"""

import re
from enum import StrEnum
from functools import cached_property
from typing import Any

from benchmark.core.labelling.calls import same_call
from benchmark.core.labelling.names import words
from benchmark.core.labelling.pointers import scalars
from benchmark.core.labelling.slot_use import SlotUse
from benchmark.core.labelling.trail import Place, Trail, spoken
from benchmark.core.labelling.values import is_id
from benchmark.core.taxonomy import State
from benchmark.core.text import norm, plain

_WRITES = frozenset(
    {
        "add",
        "approve",
        "apply",
        "assign",
        "book",
        "buy",
        "cancel",
        "close",
        "commit",
        "create",
        "delete",
        "exchange",
        "issue",
    }
    | {"lock", "modify", "notify", "order", "pay", "place", "post", "publish", "purchase", "put", "refund", "register"}
    | {
        "reject",
        "release",
        "remove",
        "return",
        "save",
        "schedule",
        "send",
        "set",
        "submit",
        "transfer",
        "update",
        "write",
    }
)
_CHECKS = (
    r"\bre-?(?:check|verif|examin|evaluat|confirm|validat|inspect|assess)\w*|\b(?:double|cross)-?\s?check\w*|\bverif(?:y|ies|ying)\b"
    r"|\bconfirm(?:ing|s)?\b|\bmake sure\b|\bvalidat(?:e|ing)\b|\binvestigat(?:e|ing)\b|\b(?:check|look|inspect)\w*\b[^.;]{0,60}\b(?:again|once more)\b"
    r"|核实|核对|复查|复核|确认|验证|检查"
)
_AGAIN = (
    r"\bre-?(?:fetch|query|run|call|read|try|tries|trying|request|compute|issue|load|pull|build|do|submit|trieve)\w*"
    r"|\b(?:again|once more|anew|a second time|one more time|another time)\b|重新|重试|再(?:次|查|试|看|调|读|取|核|做)|再.{0,3}[一遍次]"
)
_CHECKED = re.compile(_CHECKS, re.IGNORECASE)
_REISSUED = re.compile(f"{_CHECKS}|{_AGAIN}", re.IGNORECASE)
_SHORTEST_LINK = 3


class Remedy(StrEnum):
    """Why an action is remedial."""

    PRODUCER = "producer"
    CORROBORATING = "corroborating"
    RECHECK = "recheck"


class Remedies:
    """Tells remedial actions of one rollout."""

    def __init__(self, trail: Trail, use: SlotUse) -> None:
        self.trail = trail
        self.use = use

    def of(self, action: Place, signalled: Place) -> Remedy | None:
        """Why a call is remedial for an anomaly stated in an earlier step or in its own thought; None where it is not."""
        if not action.is_call or action.order < signalled.order or self._writes(action):
            return None
        if self.trail.is_producer(action):
            return Remedy.PRODUCER
        if self._corroborates(action):
            return Remedy.CORROBORATING
        return Remedy.RECHECK if self._rechecks(action, signalled) else None

    def is_declared(self, action: Place) -> bool:
        """Whether the unit declares a call's tool as corroborating."""
        return action.tool in self._declared

    @cached_property
    def _declared(self) -> frozenset[str]:
        return frozenset(name for name, tool in self.trail.toolbox.items() if tool.role == "corroborating")

    def _writes(self, action: Place) -> bool:
        tool = self.trail.toolbox.get(action.tool)
        if tool and (tool.role != "workflow" or self._declared):
            return tool.role == "side_effect"
        return next(iter(words(action.tool)), "") in _WRITES and not self.trail.is_producer(action)

    def _corroborates(self, action: Place) -> bool:
        if any(place.tool == action.tool for place in self.trail.places[: action.order] if place.is_call):
            return False
        if not self._declared:
            return True
        return action.tool in self._declared and self._about_entity(action)

    def _about_entity(self, action: Place) -> bool:
        """The slot's entity is named: by an entity key of the tool, else somewhere in the text of the arguments."""
        slot = self.trail.slot
        tool = self.trail.toolbox[action.tool]
        entity = (slot.entity or {}) if slot else {}
        if tool.entity_keys and any(key in entity for key in tool.entity_keys):
            return self.use.projection.is_about_entity(action) is not False
        asked = norm(plain(self.trail.arguments(action)))
        return any(norm(str(name)) in asked for name in self._entity_names if len(str(name)) >= _SHORTEST_LINK)

    @cached_property
    def _entity_names(self) -> list[Any]:
        """How the slot's entity and item may be called: entity keys, and texts of the object that holds the slot."""
        slot, affected = self.trail.slot, self.trail.affected
        names = list((slot.entity or {}).values()) if slot else []
        names += [value for value in scalars([self.trail.gold, self.trail.polluted]) if is_id(value)]
        if affected and slot:
            names += self.use.projection.siblings(affected)
        return names

    def _rechecks(self, action: Place, signalled: Place) -> bool:
        earlier = [place for place in self.trail.places[: action.order] if place.is_call and place.tool == action.tool]
        if not earlier or self._repeats_shown_argument(action):
            return False
        same = any(same_call(self.trail, place, action.step.arguments) for place in earlier)
        wording = _REISSUED if same else _CHECKED
        said = [text for place in (signalled, action) for _, text in spoken(place)]
        if not any(wording.search(text) for text in said):
            return False
        return self.trail.slot is None or any(self._depends(place) for place in (*earlier, action))

    def _repeats_shown_argument(self, action: Place) -> bool:
        """For a `tool_input` slot: the consumer again with the very argument in doubt can show nothing new."""
        if not self.trail.takes_input or action.tool != self.trail.consumer:
            return False
        affected = self.trail.affected
        return affected is not None and self.use.carried(action) in (self.use.carried(affected), State.RESIDUAL)

    def _depends(self, place: Place) -> bool:
        """Whether the slot depends on a call's output, or the call on the slot."""
        affected = self.trail.affected
        if affected is None or place.order == affected.order or place.tool == self.trail.consumer:
            return True
        if place.order < affected.order:
            return bool(self._links(place) & self._needed_by_affected)
        return self.use.carried(place) is not None

    @cached_property
    def _needed_by_affected(self) -> set[Any]:
        affected = self.trail.affected
        given = set(_linking(self.trail.unit.inputs if self.trail.unit else None))
        return set(_linking(self.trail.arguments(affected))) - given if affected else set()

    def _links(self, place: Place) -> set[Any]:
        return set(_linking(place.step.observation))


def _linking(value: Any) -> list[Any]:
    """Values distinctive enough to show that one call fed another."""
    return [
        member
        for member in scalars(value)
        if (
            len(member) >= _SHORTEST_LINK
            if isinstance(member, str)
            else not isinstance(member, bool) and abs(member) >= 100
        )
    ]
