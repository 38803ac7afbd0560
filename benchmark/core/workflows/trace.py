"""What one run of a workflow left behind: every node that ran, with arguments, observation, reads and time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FORMAT = "rite.trace/1"


@dataclass(frozen=True, slots=True)
class Read:
    """A value a node read: for which argument, from which run (`in`: the inputs), where in that run's data.

    `whole`: the argument is just that value (or, several times for one argument, a list of such values).
    """

    argument: str
    run: str
    pointer: str
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One execution of a node. `run` is its name, `n12#0` in a loop or again; `observation` is None for flow nodes.

    `data` is what the node gave to others: the observation's data, a branch's truth, a loop's number of rounds.
    """

    run: str
    node: str
    iteration: int | None
    kind: str
    tool: str | None
    hidden: bool
    purpose: str
    arguments: Mapping[str, Any]
    observation: Mapping[str, Any] | None
    data: Any
    reads: tuple[Read, ...]
    ms: float

    @property
    def is_call(self) -> bool:
        """Whether it called a tool of the toolbox."""
        return self.tool is not None

    @property
    def failed(self) -> bool:
        """Whether its tool refused or failed."""
        return self.observation is not None and self.observation["status"] != "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One recorded execution. `stopped` says why it did not reach its end; then `result` is None.

    `audit` lists the neutralised writes: what would have been written.
    """

    id: str
    workflow: str
    version: int
    clock: int
    inputs: Mapping[str, Any]
    steps: tuple[TraceStep, ...]
    result: Mapping[str, Any] | None
    stopped: str | None = None
    audit: tuple[Mapping[str, Any], ...] = ()
    log: Mapping[str, Any] = field(default_factory=dict)

    def step(self, run: str) -> TraceStep:
        """The step of a run's name; KeyError where nothing ran under it."""
        for step in self.steps:
            if step.run == run:
                return step
        raise KeyError(run)

    def runs_of(self, node: str) -> tuple[TraceStep, ...]:
        """Every execution of a node, in order."""
        return tuple(step for step in self.steps if step.node == node)

    @property
    def calls(self) -> tuple[TraceStep, ...]:
        """The steps that called a tool, in order: the snapshot that replay is made from."""
        return tuple(step for step in self.steps if step.is_call)
