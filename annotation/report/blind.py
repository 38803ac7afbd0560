"""The one value a blind page or API answer is made from: an allow-list, so that what is not named here cannot leak."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmark.core import text
from benchmark.models import Rollout
from benchmark.report.arguments import Pairs, pairs, pretty
from benchmark.report.steps import LongText, ShownStep, excerpt, prose, shown_steps, whole_of_step

ANSWER_COPY = 400
CASE_COLUMNS = ["task", "goal", "inputs", "reference", "prefix_count", "final_answer", "final_result"]
_REFERENCE_UNFOLDED = 4_000
_REFERENCE_PART = re.compile(r"reference-(\d{1,6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindEvidence:
    """One piece of reference evidence under the heading its source gives it; `number` counts from 1."""

    number: str
    heading: str
    value: LongText


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindCase:
    """All that an annotator may read of a rollout.

    `goal` is the user's, where a record keeps it from the agent; `answer` and `result` are None where the agent gave
    none. The steps hold what the agent lived through and nothing found out since.
    """

    task: LongText | None
    goal: LongText | None
    inputs: Pairs
    inputs_whole: LongText | None
    reference: tuple[BlindEvidence, ...]
    prefix: tuple[ShownStep, ...]
    continuation: tuple[ShownStep, ...]
    answer: LongText | None
    answer_copy: str
    result: LongText | None


def blind_case(rollout: Rollout) -> BlindCase:
    """Copy what the allow-list names from a rollout and its steps; two queries, no observation beyond its head."""
    rollout.refresh_from_db(fields=CASE_COLUMNS)
    prefix, continuation = shown_steps(rollout)
    inputs = _parsed(rollout.inputs)
    answer = rollout.final_answer
    return BlindCase(
        task=prose(rollout.task),
        goal=prose(rollout.goal),
        inputs=pairs(inputs),
        inputs_whole=_json(inputs),
        reference=tuple(_evidence(rollout)),
        prefix=tuple(prefix),
        continuation=tuple(continuation),
        answer=None if answer is None else prose(answer) or LongText("(empty)"),
        answer_copy="" if answer is None else _beginning(answer) or "(empty)",
        result=_json(_parsed(rollout.final_result)),
    )


def blind_whole(rollout: Rollout, part: str) -> str | None:
    """The whole of one long text, as JSON source text; None where the case has no such part.

    Parts: `task`, `goal`, `inputs`, `answer`, `result`, `reference-1`, `observation-R4`, `arguments-P2`, `thought-R4`,
    `text-R1`.
    """
    if part in ("task", "goal", "answer"):
        return text.write({"task": rollout.task, "goal": rollout.goal, "answer": rollout.final_answer}[part] or "")
    if part in ("inputs", "result"):
        return {"inputs": rollout.inputs, "result": rollout.final_result}[part]
    if found := _REFERENCE_PART.fullmatch(part):
        values = [value for _, value in _reference(rollout)]
        number = int(found[1])
        return text.write(values[number - 1]) if 0 < number <= len(values) else None
    return whole_of_step(rollout, part)


def step_numbers(rollout: Rollout) -> list[str]:
    """P1…Pm for the prefix, R1…Rn for the continuation."""
    prefix = [f"P{number}" for number in range(1, rollout.prefix_count + 1)]
    return prefix + [f"R{number}" for number in range(1, rollout.step_count + 1)]


def _reference(rollout: Rollout) -> Iterator[tuple[str, Any]]:
    """Headings and values: of what a record names as evidence, or of the recorded steps of a unit."""
    for record in _parsed(rollout.reference) or []:
        if "heading" in record:
            yield record["heading"], record["value"]
        else:
            line = ", ".join(f"{key}={value}" if key else value for key, value in pairs(record.get("arguments")))
            yield f"{record.get('tool') or ''}({line})", record.get("observation", "")


def _evidence(rollout: Rollout) -> Iterator[BlindEvidence]:
    for number, (heading, value) in enumerate(_reference(rollout), start=1):
        whole = value if isinstance(value, str) else pretty(value)
        known = whole[:_REFERENCE_UNFOLDED]
        yield BlindEvidence(number=str(number), heading=text.shown(heading), value=excerpt(known, len(whole)))


def _json(value: Any) -> LongText | None:
    if value is None:
        return None
    whole = pretty(value)
    return excerpt(whole[:_REFERENCE_UNFOLDED], len(whole))


def _beginning(answer: str) -> str:
    return text.shown(answer[:ANSWER_COPY].strip()) + ("…" if len(answer) > ANSWER_COPY else "")


def _parsed(source: str | None) -> Any:
    return None if source is None else text.parse(source)
