"""The one value a blind page or API answer is made from: an allow-list, so that what is not named here cannot leak."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from benchmark.core import text
from benchmark.core.trajectory import Kind
from benchmark.models import Rollout, Step

# Rules that only repeat what the tool itself recorded; whatever a text was taken for elsewhere is no tag here.
RECORDED_STATUS = {"envelope", "E1"}
STEP_COLUMNS = (
    *("index", "kind", "actor", "thought", "text", "tool", "arguments", "arguments_raw"),
    *("head", "characters", "is_new", "error_type", "error_message", "error_rule"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindStep:
    """One step as the agent lived it: what it thought, called or said, and what came back."""

    number: str
    is_call: bool
    actor: str
    thought: str
    text: str
    tool: str
    arguments: Any
    arguments_raw: str
    has_observation: bool
    head: str
    characters: int
    error: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindCase:
    """All that an annotator may read of a rollout."""

    task: str
    goal: str
    inputs: Any
    reference: Any
    prefix: tuple[BlindStep, ...]
    continuation: tuple[BlindStep, ...]
    answer: str | None
    result: Any


def blind_case(rollout: Rollout) -> BlindCase:
    """Read a rollout's steps and copy what protocol and allow-list name; one query, observations as their heads."""
    steps = [_blind_step(step, rollout.prefix_count) for step in _steps(rollout)]
    return BlindCase(
        task=rollout.task,
        goal=rollout.goal,
        inputs=_parsed(rollout.inputs),
        reference=_parsed(rollout.reference),
        prefix=tuple(steps[: rollout.prefix_count]),
        continuation=tuple(steps[rollout.prefix_count :]),
        answer=rollout.final_answer,
        result=_parsed(rollout.final_result),
    )


def blind_observation(rollout: Rollout, number: str) -> str | None:
    """The whole observation of step P3 or R4 as the agent saw it; None where there is no such step or observation."""
    if number not in step_numbers(rollout):
        return None
    index = int(number[1:]) - 1 + (rollout.prefix_count if number[0] == "R" else 0)
    source = Step.objects.filter(rollout=rollout, index=index).values_list("observation", flat=True).first()
    return None if source is None else text.plain(text.parse(source))


def step_numbers(rollout: Rollout) -> list[str]:
    """P1…Pm for the prefix, R1…Rn for the continuation."""
    prefix = [f"P{number}" for number in range(1, rollout.prefix_count + 1)]
    return prefix + [f"R{number}" for number in range(1, rollout.step_count + 1)]


def _steps(rollout: Rollout) -> Any:
    steps = Step.objects.filter(rollout=rollout).order_by("index").only(*STEP_COLUMNS)
    return steps.annotate(has_observation=Q(observation__isnull=False))


def _blind_step(step: Any, prefix_count: int) -> BlindStep:
    inherited = step.index < prefix_count
    return BlindStep(
        number=f"P{step.index + 1}" if inherited else f"R{step.index - prefix_count + 1}",
        is_call=step.kind == Kind.CALL,
        actor=step.actor,
        thought=step.thought or "",
        text=step.text or "",
        tool=step.tool,
        arguments=_parsed(step.arguments),
        arguments_raw=step.arguments_raw or "",
        has_observation=step.has_observation,
        head=step.head,
        characters=step.characters,
        error=f"{step.error_type}: {step.error_message}" if step.error_rule in RECORDED_STATUS else "",
        is_new=step.is_new and not inherited,
    )


def _parsed(source: str | None) -> Any:
    return None if source is None else text.parse(source)
