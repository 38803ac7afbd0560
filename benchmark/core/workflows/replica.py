"""The replica: runs a workflow on the read-only world and records every node; writes are neutralised and audited."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from benchmark.core.trajectory import ABSENT
from benchmark.core.workflows.dsl import Act, Branch, End, Kind, Loop, Node, Start, Workflow
from benchmark.core.workflows.evaluation import EvaluationError, Origin, Run, Scope, is_whole
from benchmark.core.workflows.expression import Each, Reference, Value
from benchmark.core.workflows.tools import envelope
from benchmark.core.workflows.tools.specification import FUNCTIONS, ToolSpec
from benchmark.core.workflows.tools.toolbox import Toolbox
from benchmark.core.workflows.trace import Read, Trace, TraceStep

Answer = Callable[[ToolSpec, Mapping[str, Any]], Any]
"""A model that answers an `llm` node in place of its stand-in: (tool, arguments) → data, pinned in the trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A counterfactual: the run of that name gives other data, or is called with other arguments (merged over its own)."""

    run: str
    data: Any = ABSENT
    arguments: Mapping[str, Any] | None = None


def run(
    workflow: Workflow,
    inputs: Mapping[str, Any],
    toolbox: Toolbox,
    *,
    trace_id: str = "",
    log: Mapping[str, Any] | None = None,
    changes: Iterable[Change] = (),
    answer: Answer | None = None,
) -> Trace:
    """Run a workflow once. A tool that refuses or fails stops the run, and the trace says so; nothing raises.

    The same inputs, world and changes give the same trace, but for the times (`ms`).
    """
    error = next(Draft202012Validator(workflow.inputs).iter_errors(inputs), None)
    running = _Running(workflow, inputs, toolbox, {change.run: change for change in changes}, answer)
    if error is not None:
        running.stopped = f"start: {error.message}"
    else:
        running.go()
    return Trace(
        id=trace_id,
        workflow=workflow.id,
        version=workflow.version,
        clock=toolbox.clock,
        inputs=dict(inputs),
        steps=tuple(running.steps),
        result=running.result,
        stopped=running.stopped,
        audit=tuple(running.audit),
        log=dict(log or {}),
    )


class _Stop(Exception):  # noqa: N818 — it ends a run, it is no error of ours
    """The run cannot go on."""


class _Running:
    """One run: nodes in the file's order, those a branch or a loop owns when it lets them."""

    def __init__(
        self,
        workflow: Workflow,
        inputs: Mapping[str, Any],
        toolbox: Toolbox,
        changes: Mapping[str, Change],
        answer: Answer | None,
    ) -> None:
        self._workflow = workflow
        self._nodes = {node.id: node for node in workflow.nodes}
        self._toolbox = toolbox
        self._changes = changes
        self._answer = answer
        self._scope = Scope(inputs=inputs, clock=toolbox.clock, functions=FUNCTIONS)
        self._owned = {name for node in workflow.nodes if isinstance(node, Loop) for name in node.body}
        self._off: set[str] = set()
        self._again: dict[str, list[Branch]] = {}
        self.steps: list[TraceStep] = []
        self.audit: list[dict[str, Any]] = []
        self.result: dict[str, Any] | None = None
        self.stopped: str | None = None

    def go(self) -> None:
        try:
            self._all(node for node in self._workflow.nodes if node.id not in self._owned)
        except _Stop as stop:
            self.stopped = str(stop)

    def _all(self, nodes: Iterable[Node], iteration: int | None = None) -> None:
        for node in nodes:
            if node.id not in self._off:
                self._one(node, iteration)
            for branch in self._again.pop(node.id, ()):
                for name, changed in branch.again.items():
                    earlier = self._nodes[name]
                    if isinstance(earlier, Act):
                        self._act(earlier, len(self._scope.runs.get(name, [])), changed)

    def _one(self, node: Node, iteration: int | None) -> None:
        match node:
            case Start():
                self._note(node, iteration, data=dict(self._scope.inputs))
            case Branch():
                self._branch(node, iteration)
            case Loop():
                self._loop(node)
            case Act():
                self._act(node, iteration)
            case End():
                self.result = {key: self._value(node, value) for key, value in node.result.items()}
                self._note(node, iteration, data=self.result, values=node.result)

    def _branch(self, node: Branch, iteration: int | None) -> None:
        holds = bool(self._value(node, node.when))
        self._note(node, iteration, data=holds, values={"when": node.when})
        for name in node.otherwise if holds else node.then:
            self._turn_off(name)
        for name in node.then if holds else node.otherwise:
            self._turn_on(name)
        if holds and node.again:
            last = max((self._last_of(name) for name in node.then), key=self._place, default=node.id)
            self._again.setdefault(last, []).append(node)

    def _turn_off(self, name: str) -> None:
        """A node that does not run: neither does what stands under it."""
        self._off.add(name)
        node = self._nodes[name]
        under = (*node.then, *node.otherwise) if isinstance(node, Branch) else ()
        for one in under:
            self._turn_off(one)

    def _turn_on(self, name: str) -> None:
        self._off.discard(name)

    def _last_of(self, name: str) -> str:
        """The last node to run of what stands under a node."""
        node = self._nodes[name]
        under = (*node.then, *node.otherwise) if isinstance(node, Branch) else ()
        return max([name, *map(self._last_of, under)], key=self._place)

    def _place(self, name: str) -> int:
        return next(number for number, node in enumerate(self._workflow.nodes) if node.id == name)

    def _loop(self, node: Loop) -> None:
        body = [self._nodes[name] for name in node.body]
        before = self._scope
        rounds = 0
        for item, origins in self._rounds(node):
            self._scope.item, self._scope.item_origins, self._scope.in_loop = item, origins, True
            self._off -= set(node.body)
            self._all(body, rounds)
            rounds += 1
            if node.until is not None and self._value(node, node.until):
                break
        self._scope = before
        self._scope.item, self._scope.item_origins, self._scope.in_loop = None, (), False
        asked = {"over": node.over} if node.over is not None else {}
        self._note(node, None, data=rounds, values=asked)

    def _rounds(self, node: Loop) -> Iterable[tuple[Any, tuple[Origin, ...]]]:
        if node.over is None:
            return [(None, ())] * (node.most or 1)
        items = self._value(node, node.over)
        if not isinstance(items, list):
            raise _Stop(f"{node.id}: a list is wanted to go over")
        single = isinstance(node.over, Reference) and Each.EACH not in node.over.parts
        origins = self._scope.origins(node.over)
        placed = [
            (item, tuple(Origin(one.run, f"{one.pointer}/{at}") for one in origins) if single else origins)
            for at, item in enumerate(items)
        ]
        if node.by is not None:
            placed.sort(key=lambda one: -(one[0][node.by] or 0))
        return placed[: node.first]

    def _act(self, node: Act, iteration: int | None, changed: Mapping[str, Value] | None = None) -> None:
        values = {**node.arguments, **(changed or {})}
        arguments = {key: self._value(node, value) for key, value in values.items()}
        name = _run_name(node.id, iteration)
        change = self._changes.get(name)
        if change and change.arguments is not None:
            arguments |= change.arguments
        begun = time.perf_counter()
        observation = self._observe(node, arguments)
        if change and change.data is not ABSENT:
            observation = envelope.ok(change.data)
        ms = round((time.perf_counter() - begun) * 1000, 3)
        self._note(node, iteration, values=values, arguments=arguments, observation=observation, ms=ms)
        if node.kind is Kind.SIDE_EFFECT:
            self.audit.append({"run": name, "tool": node.tool, "arguments": arguments})
        if observation["status"] != "ok":
            error = observation["error"]
            raise _Stop(f"{name} {node.tool}: {error['type']}: {error['message']}")
        self._scope.runs.setdefault(node.id, []).append(Run(name, observation["data"]))

    def _observe(self, node: Act, arguments: Mapping[str, Any]) -> envelope.Observation:
        if self._answer is None or node.kind is not Kind.LLM:
            return self._toolbox.call(node.tool, arguments)
        spec = self._toolbox.spec(node.tool)
        data = self._answer(spec, arguments)
        error = next(Draft202012Validator(spec.gives).iter_errors(data), None)
        if error is not None:
            raise _Stop(f"{node.id} {node.tool}: the model's answer is not valid: {error.message[:200]}")
        return envelope.ok(data)

    def _note(
        self,
        node: Node,
        iteration: int | None,
        *,
        values: Mapping[str, Value] | None = None,
        arguments: Mapping[str, Any] | None = None,
        observation: envelope.Observation | None = None,
        data: Any = None,
        ms: float = 0.0,
    ) -> None:
        act = node if isinstance(node, Act) else None
        if observation is not None:
            data = observation.get("data")
        self.steps.append(
            TraceStep(
                run=_run_name(node.id, iteration),
                node=node.id,
                iteration=iteration,
                kind=act.kind.value if act else type(node).__name__.lower(),
                tool=act.tool if act else None,
                hidden=act.hidden if act else False,
                purpose=act.purpose if act else "",
                arguments=arguments or {},
                observation=observation,
                data=data,
                reads=tuple(self._reads(values or {})),
                ms=ms,
            )
        )

    def _reads(self, values: Mapping[str, Value]) -> Iterable[Read]:
        for key, value in values.items():
            for origin in self._scope.origins(value):
                yield Read(key, origin.run, origin.pointer, is_whole(value))

    def _value(self, node: Node, value: Value) -> Any:
        try:
            return self._scope.value(value)
        except (EvaluationError, TypeError, ZeroDivisionError) as error:
            raise _Stop(f"{node.id}: {error}") from None


def _run_name(node: str, iteration: int | None) -> str:
    return node if iteration is None else f"{node}#{iteration}"
