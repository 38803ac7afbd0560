"""The last part of a case box: each label with why and its evidence steps, and the state progression as chips."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmark.core import text
from benchmark.core.taxonomy import ResultLabel
from benchmark.core.trajectory import Labels

TONES = {"gold": "gold", "polluted": "injected", "failed": "failed"}
STAGES = {"prefix": "prefix", "verification": "verification", "use": "downstream use", "answer": "answer"}
REASONING_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Judged:
    """One judge's label and its reasons."""

    judge: str
    label: str
    rationale: str


@dataclass(frozen=True, slots=True)
class Chip:
    """One stage of the state progression. `tone`: gold, injected, failed or empty; `step` is its evidence or empty."""

    stage: str
    word: str
    words: str
    tone: str
    step: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """One label: its answer in a word, why, and the steps it rests on, each with what it shows."""

    name: str
    answer: str
    tone: str = ""
    why: str = ""
    evidence: tuple[tuple[str, str], ...] = ()


def verdicts(labels: Labels, reading: Mapping[str, Any], judged: Sequence[Judged]) -> tuple[Verdict, ...]:
    """Producer refetch, observation state, Noticed, and every judge's newest result that is no
    judge error where it has one, in the order of the case box.

    A reason that several share is given with the first.
    """
    told = reading.get("judgment", {})
    own = [_refetch(labels, told), _state(labels, told), _noticed(labels, told)]
    reasons = [verdict.why for verdict in own]
    said_once = [replace(one, why="") if one.why in reasons[:at] else one for at, one in enumerate(own)]
    return (*said_once, *_results(judged, told))


def chips(reading: Mapping[str, Any], note: str) -> tuple[Chip, ...]:
    """The chips of a reading; a researcher's note adds the one of the reasoning, before the answer."""
    found = [_chip(chip) for chip in reading.get("chips", ())]
    if note:
        words = note if len(note) <= REASONING_SHOWN else note[: REASONING_SHOWN - 1] + "…"
        before_answer = next((at for at, chip in enumerate(found) if chip.stage == "answer"), len(found))
        found.insert(before_answer, Chip("reasoning", "note", words, "", ""))
    return tuple(found)


def _chip(chip: Mapping[str, Any]) -> Chip:
    words = text.shown(chip["text"])
    told = chip["value"] in ("none", "checked") or words.endswith((chip["value"], "fails"))
    word = "" if told else chip["value"]
    return Chip(STAGES.get(chip["kind"], chip["kind"]), word, words, TONES.get(chip["value"], ""), chip["step"] or "")


def _refetch(labels: Labels, told: Mapping[str, Any]) -> Verdict:
    steps = told.get("producer_refetch", {}).get("steps", ())
    why = labels.why_null.get("producer_refetch", "")
    if labels.producer_refetch and labels.refetch_valid is False:
        why = "No refetch returned a valid value."
    return Verdict("Producer refetch", _yes_no(labels.producer_refetch), "", why, tuple((step, "") for step in steps))


def _state(labels: Labels, told: Mapping[str, Any]) -> Verdict:
    tone = {"recovered": "gold", "residual": "injected"}.get(labels.state or "", "")
    step = told.get("state", {}).get("step")
    why = labels.why_null.get("state", "")
    return Verdict("Observation state", labels.state or "not computed", tone, why, ((step, ""),) if step else ())


def _noticed(labels: Labels, told: Mapping[str, Any]) -> Verdict:
    found = told.get("noticed", {})
    evidence = ((found.get("signal_step"), "signal"), (found.get("action_step"), "action"))
    why = "" if labels.noticed else found.get("why") or labels.why_null.get("noticed", "")
    return Verdict("Noticed", _yes_no(labels.noticed), "", why, tuple((step, word) for step, word in evidence if step))


def _results(judged: Iterable[Judged], told: Mapping[str, Any]) -> Iterable[Verdict]:
    newest: dict[str, Judged] = {}
    for one in judged:
        if one.label != ResultLabel.JUDGE_ERROR or one.judge not in newest:
            newest[one.judge] = one
    if not newest:
        yield Verdict(
            "Final task success",
            "not judged",
            why="No judge has looked at this answer, and it has no constraint to judge by.",
        )
    steps = {one["judge"]: one["step"] for one in told.get("results", ())}
    for one in newest.values():
        step = steps.get(one.judge)
        tone = {"solved": "gold", "unsolved": "failed"}.get(one.label, "")
        name = f"Final task success · {text.shown(one.judge)}"
        yield Verdict(name, one.label.replace("_", " "), tone, text.shown(one.rationale), ((step, ""),) if step else ())


def _yes_no(value: bool | None) -> str:
    return "not computed" if value is None else "yes" if value else "no"
