"""The nouns everyone shares: rollout, step, unit, slot, final answer, labels. All JSON inside is parsed (core.text)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from benchmark.core.taxonomy import Condition, End, Leaf, Locus, ModelKind, ResultLabel, State


class Absent:
    """The one value that says a call has no observation at all; JSON null is an observation."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


class Kind(StrEnum):
    """A step is a tool call or a message."""

    CALL = "call"
    MESSAGE = "message"


class Actor(StrEnum):
    """Who made a step; calls by a simulated user are not the agent's."""

    AGENT = "agent"
    USER = "user"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class StepError:
    """A failed call: type and message as the tool gave them, and the rule that told (E1…E6, envelope)."""

    type: str
    message: str
    rule: str
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a trajectory. `arguments` is None where they could not be parsed; the text is then `arguments_raw`."""

    kind: Kind = Kind.CALL
    actor: Actor = Actor.AGENT
    thought: str | None = None
    text: str | None = None
    tool: str | None = None
    arguments: Any = None
    arguments_raw: str | None = None
    observation: Any = ABSENT
    error: StepError | None = None
    group: int | None = None
    call_id: str | None = None
    source: str | None = None
    match: str | None = None
    aliased: bool = False
    started_at: str | None = None
    ms: float | None = None
    usage: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_agent_call(self) -> bool:
        """A tool call the agent itself made."""
        return self.kind is Kind.CALL and self.actor is Actor.AGENT


@dataclass(frozen=True, slots=True)
class Final:
    """What the agent stopped with: a text and, where asked for, an object. A gold answer has the same shape."""

    answer: str
    result: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One value in a trace. Pointers are RFC 6901 into the parsed observation (arguments for `tool_input`) as shown."""

    producers: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    locus: Locus = Locus.TOOL_OUTPUT
    name: str | None = None
    consumer: str | None = None
    downstream: tuple[str, ...] = ()
    f: float | None = None
    position: str | None = None
    entity: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool of a unit's toolbox. `role` is workflow, corroborating or side_effect."""

    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    arguments_schema: Mapping[str, Any] | None = None
    entity_keys: tuple[str, ...] = ()
    role: str = "workflow"
    sequence: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One slot–locus pair with its query, constraint and reference evidence (`rite.unit/1`).

    `gold` and `polluted` are the slot's value, or for a bundle an object with one member a pointer (named by the
    pointer's last token, or by the whole pointer where last tokens repeat).
    """

    id: str
    query: str
    slot: Slot | None = None
    workflow: str | None = None
    trace: str | None = None
    clock: int | None = None
    instruction: str | None = None
    inputs: Any = None
    answer_keys: Mapping[str, Any] | None = None
    leaf: Leaf | None = None
    gold: Any = ABSENT
    polluted: Any = ABSENT
    explicit: Mapping[str, Any] | None = None
    cue: str | None = None
    constraint: Mapping[str, Any] | None = None
    reference: tuple[Step, ...] = ()
    why_silent: str | None = None
    unchanged: str | None = None
    elided_steps: tuple[Any, ...] = ()
    gold_in_inputs: bool | None = None
    output_changing: bool | None = None
    toolbox: tuple[Tool, ...] = ()
    licence: str | None = None
    source: str | None = None
    canary: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One piece of reference evidence that is not a step: a heading that says whose word it is, and a value."""

    heading: str
    value: Any
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a record without a unit was asked: the user's own words, the goal hidden from the agent, and evidence."""

    query: str
    goal: str | None = None
    goal_heading: str | None = None
    inputs: Any = None
    reference: tuple[Evidence, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Model:
    """Who made the trajectory, and of what kind."""

    name: str
    kind: ModelKind = ModelKind.LLM
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One judge's label of the final answer."""

    judge: str
    label: ResultLabel
    rationale: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The automatic labels of one rollout. None means not computed or not computable; `why_null` then says why."""

    noticed: bool | None = None
    noticed_evidence: Mapping[str, Any] | None = None
    producer_refetch: bool | None = None
    refetch_valid: bool | None = None
    state: State | None = None
    excluded: str | None = None
    why_null: Mapping[str, str] = field(default_factory=dict)
    results: tuple[Judged, ...] = ()
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """One trajectory: inherited prefix, the agent's own steps, its final answer, and what was labelled."""

    id: str
    model: Model | None = None
    condition: Condition | None = None
    intervention: str | None = None
    epoch: int = 0
    unit: Unit | None = None
    task: Task | None = None
    prefix: tuple[Step, ...] = ()
    steps: tuple[Step, ...] = ()
    final: Final | None = None
    end: End | None = None
    usage: Mapping[str, Any] | None = None
    labels: Labels | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def numbered(self) -> Iterator[tuple[str, Step]]:
        """Every step with its number: P1…Pm for the prefix, R1…Rn for the continuation; messages count too."""
        for number, step in enumerate(self.prefix, start=1):
            yield f"P{number}", step
        for number, step in enumerate(self.steps, start=1):
            yield f"R{number}", step

    @property
    def query(self) -> str:
        """The user's task in words, from the unit or from the record itself; empty where neither says."""
        if self.unit:
            return self.unit.query
        return self.task.query if self.task else ""
