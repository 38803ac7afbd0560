"""How a frozen automatic label explains itself in the review: a rationale in words, and the steps it rests on."""

import re
from collections.abc import Mapping
from typing import Any

from benchmark.core import text

STEP_NUMBER = re.compile(r"(?<![A-Za-z0-9_])[PR][1-9][0-9]{0,5}(?![A-Za-z0-9_])")

Labels = Mapping[str, Any]


def noticed_rationale(labels: Labels) -> str:
    """Say from the evidence of a `rite.rollout/1` labels record why the rule says that the agent noticed, or did not."""
    evidence = labels.get("noticed_evidence") or {}
    signal, action = evidence.get("signal_step"), evidence.get("action_step")
    if not signal:
        return "No step names an anomaly in the data or a failed result before the final answer."
    words = f": “{text.shown(evidence['signal_text'])}”" if evidence.get("signal_text") else ""
    said = f"Step {signal} names an anomaly{words}."
    if not action:
        return f"{said} No call of a tool that could verify it follows."
    return f"{said} Step {action} calls a tool that can verify it."


def noticed_steps(labels: Labels) -> list[str]:
    """The steps that signalled and acted, each once, in that order."""
    evidence = labels.get("noticed_evidence") or {}
    found = [evidence.get("signal_step"), evidence.get("action_step")]
    return list(dict.fromkeys(step for step in found if step))


def steps_named_in(rationale: str, prefix_count: int, step_count: int) -> list[str]:
    """The steps P1…Pm and R1…Rn that a judge's rationale names and that exist, each once, as they first occur."""
    most = {"P": prefix_count, "R": step_count}
    found = (match[0] for match in STEP_NUMBER.finditer(rationale))
    return list(dict.fromkeys(step for step in found if int(step[1:]) <= most[step[0]]))
