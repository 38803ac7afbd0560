"""AgentCheck runs: one tool's response was replaced by a faulty one, and both are in the record.

The record becomes a unit: the faulty tool is the producer, the clean response gold, the injected one polluted. The steps
up to the end of the turn with the injected response are the prefix.
"""

from collections.abc import Iterator
from typing import Any

from benchmark.core import text
from benchmark.core.formats.arguments import read_arguments
from benchmark.core.formats.errors import verdict
from benchmark.core.formats.outcome import Notes, Read, Unreadable
from benchmark.core.labelling.pointers import member_names, resolve
from benchmark.core.taxonomy import Condition, End, Leaf, ResultLabel
from benchmark.core.trajectory import ABSENT, Final, Judged, Kind, Labels, Model, Rollout, Slot, Step, Unit

FORMAT = "agentcheck"
JUDGE = "agentcheck/recovery_action"

_CONDITIONS = {
    "A1": Condition.EXPLICIT,
    "A2": Condition.EXPLICIT,
    "B1": Condition.IMPLICIT,
    "B2": Condition.IMPLICIT,
    "B3": Condition.IMPLICIT,
}
_LEAVES = {"B1": Leaf.TEMPORAL_STALENESS}
_RESULTS = {
    "recovered": ResultLabel.SOLVED,
    "propagated": ResultLabel.UNSOLVED,
    "crashed": ResultLabel.UNSOLVED,
    "safe_abort": ResultLabel.UNSOLVED,
}
_KEPT = (
    "scenario_id",
    "run_number",
    "agent_id",
    "agent_type",
    "fault_type",
    "fault_type_description",
    "agent_engaged",
    "started_at",
    "completed_at",
    "run_error",
)


def read(record: Any, sha256: str) -> Read:
    """Read one run. Raises Unreadable where it has no scenario, or no tool was ever called in it."""
    if not isinstance(record, dict) or not isinstance(record.get("scenario_id"), str):
        raise Unreadable("an AgentCheck run must be an object with a scenario_id")
    notes = Notes()
    turns = list(_turns(record))
    injected = next(_injected(turns, record), None)
    steps, prefix_count = _steps(turns, injected, _text(record.get("final_answer")), notes)
    if not any(step.is_agent_call for step in steps):
        raise Unreadable(f"nothing to import: no tool was called in {len(turns)} steps")
    if injected is None:
        notes.add("the faulty response never reached the agent, so there is no prefix and no condition")
    final = _text(record.get("final_answer"))
    rollout = Rollout(
        id=f"agentcheck/{record['scenario_id'][:100]}/{record.get('run_number', '')}/{sha256[:12]}"[:200],
        model=_model(record),
        condition=_CONDITIONS.get(_text(record.get("fault_type"))) if injected else None,
        unit=_unit(record, injected, notes),
        prefix=steps[:prefix_count],
        steps=steps[prefix_count:],
        final=Final(final) if final else None,
        end=_end(record, len(turns), final),
        usage=_usage(record),
        labels=_labels(record),
        extra={"origin": {"format": FORMAT, **{key: record[key] for key in _KEPT if record.get(key) is not None}}},
    )
    return Read(rollout, notes.sentences())


def differing(gold: Any, polluted: Any, pointer: str = "") -> Iterator[str]:
    """JSON Pointers (RFC 6901) to the leaves of one value that another value lacks or has otherwise.

    Lists of unequal length differ as a whole: which of their elements are meant cannot be told.
    """
    if isinstance(gold, dict) and isinstance(polluted, dict):
        for key, value in gold.items():
            yield from differing(value, polluted.get(key, ABSENT), f"{pointer}/{_escaped(key)}")
    elif isinstance(gold, list) and isinstance(polluted, list) and len(gold) == len(polluted):
        for index, value in enumerate(gold):
            yield from differing(value, polluted[index], f"{pointer}/{index}")
    elif polluted is ABSENT or text.canonical(gold) != text.canonical(polluted):
        yield pointer


def _turns(record: dict[str, Any]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """The completion, the answer and the tool interactions of every step."""
    steps = record.get("steps")
    for step in steps if isinstance(steps, list) else []:
        if isinstance(step, dict):
            generation = step.get("llm_generation")
            completion = generation.get("completion") if isinstance(generation, dict) else None
            calls = step.get("tool_interactions")
            made = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
            yield _text(completion), _text(step.get("final_answer")), made


def _injected(turns: list[Any], record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The calls with a replaced response: first those of the tool that the run says is faulty."""
    replaced = [call for _, _, made in turns for call in made if call.get("injected_response") is not None]
    faulty = record.get("faulty_tool_id")
    yield from (call for call in replaced if call.get("tool_id") == faulty)
    yield from replaced


def _steps(turns: list[Any], injected: Any, final: str, notes: Notes) -> tuple[tuple[Step, ...], int]:
    """All steps, and how many of them are the prefix."""
    steps: list[Step] = []
    prefix_count = groups = 0
    for completion, answer, made in turns:
        if not made:
            if completion and completion not in (final, answer):
                steps.append(Step(kind=Kind.MESSAGE, text=completion))
            continue
        groups += len(made) > 1
        for index, call in enumerate(made):
            thought = (completion or None) if index == 0 else None
            steps.append(_step(call, thought, groups if len(made) > 1 else None, notes))
            if call is injected:
                prefix_count = len(steps) - index - 1 + len(made)
    return tuple(steps), prefix_count


def _step(call: dict[str, Any], thought: str | None, group: int | None, notes: Notes) -> Step:
    arguments, raw, note = read_arguments(call.get("tool_input"))
    notes.add(note)
    observation = call.get("injected_response")
    if observation is None:
        observation = call.get("clean_response", ABSENT)
    extra = {"timed_out": True} if call.get("timed_out") is True else {}
    return Step(
        thought=thought,
        tool=_text(call.get("tool_id")) or "(unnamed)",
        arguments=arguments,
        arguments_raw=raw,
        observation=observation,
        error=verdict(observation).error,
        group=group,
        extra=extra,
    )


def _unit(record: dict[str, Any], injected: dict[str, Any] | None, notes: Notes) -> Unit:
    fault = _text(record.get("fault_type"))
    is_explicit = _CONDITIONS.get(fault) is Condition.EXPLICIT
    clean, faulty = ((injected or {}).get(key, ABSENT) for key in ("clean_response", "injected_response"))
    pointers = () if clean is ABSENT else tuple(differing(clean, faulty))
    if clean is not ABSENT and not pointers:
        notes.add("the clean and the injected response are equal, so there is no slot value to follow")
    producer = _text(record.get("faulty_tool_id")) or _text((injected or {}).get("tool_id"))
    return Unit(
        id=f"agentcheck/{record['scenario_id'][:180]}",
        query=_text(record.get("task")),
        slot=Slot(producers=(producer,) if producer else (), pointers=pointers),
        leaf=_LEAVES.get(fault),
        gold=_bundle(clean, pointers),
        polluted=ABSENT if is_explicit else _bundle(faulty, pointers),
        explicit=_explicit(faulty) if is_explicit and injected else None,
        reference=(_step({**injected, "injected_response": None}, None, None, Notes()),) if injected else (),
        extra={"fault_type": fault} if fault else {},
    )


def _bundle(response: Any, pointers: tuple[str, ...]) -> Any:
    """The slot's value in a response: one value, or an object with a member for each pointer that leads somewhere."""
    values = [resolve(response, pointer) for pointer in pointers]
    if len(values) == 1:
        return values[0]
    members = {name: value for name, value in zip(member_names(pointers), values, strict=True) if value is not ABSENT}
    return members or ABSENT


def _explicit(faulty: Any) -> dict[str, Any]:
    error = verdict(faulty).error
    return {"kind": "error_observation", "type": error.type if error else "unknown"}


def _model(record: dict[str, Any]) -> Model | None:
    settings = record.get("execution_settings")
    name = _text(settings.get("model")) if isinstance(settings, dict) else ""
    return Model(name) if name else None


def _end(record: dict[str, Any], turn_count: int, final: str) -> End | None:
    settings = record.get("execution_settings")
    budget = settings.get("max_steps") if isinstance(settings, dict) else None
    if final:
        return End.ANSWERED
    return End.BUDGET if isinstance(budget, int) and turn_count >= budget else None


def _usage(record: dict[str, Any]) -> dict[str, Any] | None:
    """The agent's own tokens; the totals count the judge's too."""
    usage = record.get("token_usage")
    parts = usage.get("by_component") if isinstance(usage, dict) else None
    agent = parts.get("agent") if isinstance(parts, dict) else None
    return agent if isinstance(agent, dict) else None


def _labels(record: dict[str, Any]) -> Labels:
    scores = record.get("scores")
    recovery = scores.get("recovery_action") if isinstance(scores, dict) else None
    told = _text(recovery.get("score")) if isinstance(recovery, dict) else ""
    label = _RESULTS.get(told)
    if label is None or not isinstance(recovery, dict):
        why = f"recovery_action is {told or 'not scored'}"
        return Labels(why_null={"result": why}, diagnostics={"scores": scores} if scores else {})
    words = f"recovery_action: {told}. {_text(recovery.get('evidence'))}".strip()
    return Labels(results=(Judged(judge=JUDGE, label=label, rationale=words),), diagnostics={"scores": scores})


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
