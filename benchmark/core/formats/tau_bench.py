"""What a τ-bench record holds beside its messages: the user's hidden goal, what its author expected, and the reward."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from benchmark.core import text
from benchmark.core.taxonomy import ResultLabel
from benchmark.core.trajectory import Evidence, Judged, Step

JUDGE = "tau-bench/reward"
GOAL_HEADING = "The user's hidden goal"
EXPECTED_HEADING = "Expected by the task's author, known to be wrong in places"
STOP = "###STOP###"

_NAMED = 3
_LONGEST = 300


def is_tau_bench(record: dict[str, Any]) -> bool:
    """Whether a chat record has τ-bench's shape: a task with its author's expectations, or a reward beside `traj`."""
    return isinstance(_info(record).get("task"), dict) or ("traj" in record and "reward" in record)


def goal(record: dict[str, Any]) -> str | None:
    """The instruction of the simulated user, which the agent never saw."""
    instruction = _task(record).get("instruction")
    return instruction if isinstance(instruction, str) and instruction else None


def expected(record: dict[str, Any]) -> tuple[Evidence, ...]:
    """The author's actions and outputs as one piece of reference evidence; empty where the record has neither."""
    value = {key: _task(record)[key] for key in ("actions", "outputs") if _task(record).get(key)}
    return (Evidence(heading=EXPECTED_HEADING, value=value),) if value else ()


def judged(record: dict[str, Any], steps: Iterable[Step]) -> Judged | None:
    """The reward as a result label: solved if and only if it is 1 (within 1e-6). None where there is no number."""
    reward = record.get("reward")
    if not isinstance(reward, int | float | Decimal) or isinstance(reward, bool):
        return None
    if 1 - 1e-6 <= reward <= 1 + 1e-6:
        return Judged(judge=JUDGE, label=ResultLabel.SOLVED, rationale=_why_solved(record))
    words = f"Reward {text.write(reward)}. {_why_unsolved(record)}"
    return Judged(judge=JUDGE, label=ResultLabel.UNSOLVED, rationale=words + _not_called(record, steps))


def _why_solved(record: dict[str, Any]) -> str:
    words = "Reward 1: the data ended as the expected actions leave it"
    return f"{words}, and every expected output was said." if _task(record).get("outputs") else f"{words}."


def _why_unsolved(record: dict[str, Any]) -> str:
    reward_info = _info(record).get("reward_info")
    details = reward_info.get("info") if isinstance(reward_info, dict) else None
    if not isinstance(details, dict):
        return "The record does not say why."
    outputs = details.get("outputs")
    if not isinstance(outputs, dict):
        return "The data did not end as the expected actions leave it."
    unsaid = [f'"{text.shown(output)}"' for output, said in outputs.items() if not said]
    if unsaid:
        return f"Expected in the agent's messages and not found there: {_some(unsaid)}."
    return "Every expected output was said, but the data did not end as the expected actions leave it."


def _not_called(record: dict[str, Any], steps: Iterable[Step]) -> str:
    made: dict[str | None, list[Any]] = {}
    for step in steps:
        made.setdefault(step.tool, []).append(step.arguments)
    missing = [
        f"{name}({text.write(arguments)[:_LONGEST]})"
        for name, arguments in _actions(record)
        if arguments not in made.get(name, ())
    ]
    return f" Expected and never called with these arguments: {_some(missing)}." if missing else ""


def _actions(record: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    actions = _task(record).get("actions")
    for action in actions if isinstance(actions, list) else []:
        if isinstance(action, dict) and isinstance(action.get("name"), str):
            yield action["name"], action.get("kwargs", {})


def _some(words: list[str]) -> str:
    more = len(words) - _NAMED
    return "; ".join(words[:_NAMED]) + (f"; and {more} more" if more > 0 else "")


def _info(record: dict[str, Any]) -> dict[str, Any]:
    info = record.get("info")
    return info if isinstance(info, dict) else {}


def _task(record: dict[str, Any]) -> dict[str, Any]:
    task = _info(record).get("task")
    return task if isinstance(task, dict) else {}
