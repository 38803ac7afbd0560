"""What a tool is: a function pure in (arguments, time) over the read-only world, with its schemas."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from benchmark.core.workflows.dsl import Kind
from benchmark.core.workflows.world.reading import World

Arguments = Mapping[str, Any]
Run = Callable[[World, Arguments], Any]


class Role(StrEnum):
    """What a tool is to a workflow: called by a node, called by none, or a neutralised write."""

    WORKFLOW = "workflow"
    CORROBORATING = "corroborating"
    SIDE_EFFECT = "side_effect"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolSpec:
    """One tool, equal to itself alone. `run` gets arguments that are valid and complete (defaults and `as_of` filled in) and gives `data`.

    `entity_keys` are the arguments that say whose evidence a call is about; `sequence` marks cursor and paging tools
    and models with free text, whose recordings may be played back in order.
    """

    name: str
    kind: Kind
    description: str
    arguments: Mapping[str, Any]
    gives: Mapping[str, Any]
    run: Run
    entity_keys: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    sequence: bool = False

    @property
    def is_timed(self) -> bool:
        """Whether the tool answers as of a time."""
        return "as_of" in self.arguments["properties"]


SPECS: dict[str, ToolSpec] = {}
FUNCTIONS: dict[str, Callable[..., Any]] = {}


def tool(
    name: str,
    description: str,
    *,
    arguments: Mapping[str, Any],
    gives: Mapping[str, Any],
    kind: Kind = Kind.TOOL,
    optional: tuple[str, ...] = (),
    entity_keys: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    sequence: bool = False,
) -> Callable[[Run], Run]:
    """Make a function a tool. `arguments` maps names to schemas; those with a default, `as_of` and `optional` may be left out.

    `gives` is the schema of `data`. A snake_case alias is added by itself. Raises ValueError for a second tool of a name.
    """

    def known(run: Run) -> Run:
        if name in SPECS:
            raise ValueError(f"Two tools are named {name}.")
        left_out = {one for one, rule in arguments.items() if one == "as_of" or "default" in rule} | set(optional)
        SPECS[name] = ToolSpec(
            name=name,
            kind=kind,
            description=description,
            arguments={
                "type": "object",
                "properties": dict(arguments),
                "required": [one for one in arguments if one not in left_out],
                "additionalProperties": False,
            },
            gives=gives,
            run=run,
            entity_keys=entity_keys,
            aliases=(snake_case(name), *aliases),
            sequence=sequence,
        )
        return run

    return known


def function(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a pure function callable by name from the expressions of workflow and slot files."""

    def known(run: Callable[..., Any]) -> Callable[..., Any]:
        if name in FUNCTIONS:
            raise ValueError(f"Two functions are named {name}.")
        FUNCTIONS[name] = run
        return run

    return known


def snake_case(name: str) -> str:
    """`GetSkuPrice` as `get_sku_price`, `FetchASRSegmentsRPC` as `fetch_asr_segments_rpc`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool as a workflow has it."""

    spec: ToolSpec
    role: Role = field(default=Role.WORKFLOW)
