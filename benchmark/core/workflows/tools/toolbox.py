"""The toolbox of a workflow: names and aliases, arguments checked and completed, tools run on the read-only world."""

import hashlib
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from benchmark.core import text
from benchmark.core.trajectory import Tool
from benchmark.core.workflows.dsl import Act, Kind, Workflow
from benchmark.core.workflows.tools import envelope
from benchmark.core.workflows.tools.envelope import ArgumentProblem, Observation
from benchmark.core.workflows.tools.specification import SPECS, Role, ToolSpec, ToolUse
from benchmark.core.workflows.world.reading import W_NOW, World

REPLICA = {"accepted": True, "replica": True}


class Toolbox:
    """The tools of one workflow over one world at the time of one case. Every call is pure in (arguments, clock)."""

    def __init__(self, world: World, uses: Mapping[str, ToolUse], clock: int, workflow: str = "") -> None:
        self.world = world
        self.clock = clock
        self._uses = uses
        self._workflow = workflow

    @cached_property
    def _names(self) -> dict[str, str]:
        names = {alias: name for name, use in self._uses.items() for alias in use.spec.aliases}
        return {**names, **{name: name for name in self._uses}}

    def canonical_name(self, name: str) -> str | None:
        """The tool's own name for a name, an alias, or either behind the workflow's id (`wf06.GetX`); None if unknown."""
        return self._names.get(name.removeprefix(f"{self._workflow}."))

    def spec(self, name: str) -> ToolSpec:
        """The tool of a canonical name."""
        return self._uses[name].spec

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Call a tool and give its observation in the envelope; nothing a tool does raises."""
        known = self.canonical_name(name)
        if known is None:
            return envelope.not_available(envelope.UNKNOWN_TOOL, f"there is no tool named {name}")
        spec = self.spec(known)
        try:
            complete = self._complete(spec, arguments)
            if spec.kind is Kind.SIDE_EFFECT:
                return envelope.ok(dict(REPLICA))
            return envelope.ok(spec.run(self.world, complete))
        except ArgumentProblem as problem:
            return envelope.argument_error(problem.field, str(problem))
        except Exception as error:  # noqa: BLE001 — whatever a tool raises is the environment's failure, told as such
            call = text.canonical({"tool": known, "arguments": dict(arguments), "clock": self.clock})
            trace_id = hashlib.sha256(call.encode()).hexdigest()[:12]
            return envelope.execution_error(f"{known} failed: {type(error).__name__}", trace_id)

    def tools(self) -> tuple[Tool, ...]:
        """The toolbox as units carry it, in the order of names."""
        return tuple(
            Tool(
                name=name,
                description=use.spec.description,
                aliases=use.spec.aliases,
                arguments_schema=use.spec.arguments,
                entity_keys=use.spec.entity_keys,
                role=use.role.value,
                sequence=use.spec.sequence,
                extra={"data_schema": use.spec.gives},
            )
            for name, use in sorted(self._uses.items())
        )

    def _complete(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments with defaults and the case's time filled in; raises ArgumentProblem where they are not valid."""
        rules = spec.arguments["properties"]
        complete = {name: rule["default"] for name, rule in rules.items() if "default" in rule}
        complete |= {name: value for name, value in arguments.items() if not (value is None and name in complete)}
        if spec.is_timed and complete.get("as_of") is None:
            complete["as_of"] = self.clock
        _check(spec, complete)
        if spec.is_timed and complete["as_of"] > W_NOW:
            raise ArgumentProblem("as_of", "as_of lies in the future")
        return complete


def toolbox_of(workflow: Workflow, world: World, clock: int) -> Toolbox:
    """The toolbox of a workflow: the tools its nodes call, and its corroborating ones. KeyError for an unknown tool."""
    from benchmark.core.workflows import tools  # noqa: F401 — makes the tools known

    uses = {name: ToolUse(SPECS[name], Role.CORROBORATING) for name in workflow.corroborating}
    for node in workflow.nodes:
        if isinstance(node, Act):
            role = Role.SIDE_EFFECT if node.kind is Kind.SIDE_EFFECT else Role.WORKFLOW
            uses[node.tool] = ToolUse(SPECS[node.tool], role)
    return Toolbox(world, uses, clock, workflow.id)


@cache
def _validator(spec: ToolSpec) -> Draft202012Validator:
    return Draft202012Validator(spec.arguments)


def _check(spec: ToolSpec, arguments: Mapping[str, Any]) -> None:
    for name in spec.arguments["required"]:
        if name not in arguments:
            raise ArgumentProblem(name, f"{name} is required")
    error = best_match(_validator(spec).iter_errors(arguments))
    if error is not None:
        raise ArgumentProblem(_field(error), _sentence(error))


def _field(error: ValidationError) -> str:
    if error.absolute_path:
        return str(error.absolute_path[0])
    known: Any = error.schema
    return next((str(name) for name in _mapping(error.instance) if name not in known.get("properties", {})), "")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _sentence(error: ValidationError) -> str:
    place = ".".join(map(str, error.absolute_path))
    wanted: Any = error.validator_value
    rule: Any = error.schema
    if error.instance in ("", []):
        return f"{place} must not be empty"
    match error.validator:
        case "additionalProperties":
            return f"{_field(error)} is not an argument of this tool"
        case "type":
            return f"{place} must be of type {wanted}"
        case "enum":
            return f"{place} must be one of {', '.join(map(str, wanted))}"
        case "pattern":
            return f"{place} is not a valid {rule.get('description', 'value')}"
    return f"{place} is not valid: {error.message[:200]}"
