"""A rollout told to a reader: what each step does to the slot, the marks of the case box, chips, evidence steps.

Written by rule from the trajectory, once, and stored beside the labels. A researcher may word a diagnosis differently;
that is kept elsewhere and never here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.core.labelling import measures
from benchmark.core.labelling.examination import Examination, examine, why_invalid
from benchmark.core.labelling.noticing import Action, answering
from benchmark.core.labelling.relatedness import Heard
from benchmark.core.labelling.remedial import Remedies, Remedy
from benchmark.core.labelling.state import Refetch, state_of
from benchmark.core.labelling.trail import Place, Trail
from benchmark.core.taxonomy import State
from benchmark.core.text import plain
from benchmark.core.trajectory import ABSENT, Kind, Labels, Rollout, Step

RULE = "reading/1"

MARKS = ("slot", "refetch", "new", "replay", "live", "error", "first_polluted_use", "signal", "remedial", "answer")

_LONGEST_VALUE = 80
_LONGEST_MESSAGE = 160
_VALUE_WORDS = {State.RECOVERED: "gold", State.RESIDUAL: "polluted", State.NEITHER: "other"}
_RESTS = {
    "recovered": "The answer rests on the gold value.",
    "residual": "The answer rests on the polluted value.",
    "neither": "The answer rests on neither value.",
}


@dataclass(frozen=True, slots=True)
class Highlight:
    """Words that signal an anomaly: characters start to end of one field (thought, text, arguments/thought) of a step."""

    field: str
    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class StepReading:
    """What a reader is told of one step: a diagnosis (may be empty), marks in the order of MARKS, words to highlight."""

    diagnosis: str = ""
    marks: tuple[str, ...] = ()
    highlights: tuple[Highlight, ...] = ()


@dataclass(frozen=True, slots=True)
class Chip:
    """One stage of the state progression: prefix, verification, use or answer; `value` is gold, polluted, failed, other,
    checked or none; `text` is what a reader sees; `step` the step it stands on, or None."""

    kind: str
    value: str
    text: str
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The whole account of a rollout: by step number, the chips, and for each judgment its evidence steps."""

    steps: Mapping[str, StepReading]
    chips: tuple[Chip, ...]
    judgment: Mapping[str, Any]
    answer: str = ""
    rule: str = RULE

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values; steps of which nothing is said are left out."""
        return {
            "rule": self.rule,
            "steps": {number: _step_json(step) for number, step in self.steps.items() if step != StepReading()},
            "chips": [
                {"kind": chip.kind, "value": chip.value, "text": chip.text, "step": chip.step} for chip in self.chips
            ],
            "judgment": dict(self.judgment),
            "answer": self.answer,
        }


def read(rollout: Rollout, labels: Labels) -> Reading:
    """Tell a rollout. `labels` are those that stand for it (measures.label's, or older ones that were stored)."""
    examined = None
    if why_invalid(rollout) is None:
        try:
            examined = examine(rollout)
        except RecursionError:
            examined = None
    return _plain(rollout, labels) if examined is None else _told(examined, labels)


def label_and_read(rollout: Rollout) -> tuple[Labels, Reading]:
    """Labels and reading of a rollout at the price of looking at it once."""
    invalid = why_invalid(rollout)
    if invalid is None:
        try:
            examined = examine(rollout)
            labels = measures.labels_of(examined)
            return labels, _told(examined, labels)
        except RecursionError:
            invalid = measures.TOO_DEEP
    labels = measures.unlabelled(rollout, invalid)
    return labels, _plain(rollout, labels)


def new_observations(steps: Sequence[Step], first: int = 0) -> list[bool]:
    """For each step whether its observation is new: from index `first` on, and equal by value to no earlier one.

    Numbers compare by value and objects whatever the order of their keys, so this is equality of canonical content.
    Only observations of one kind and length are compared at all.
    """
    seen: dict[tuple[type, int], list[Any]] = {}
    found = []
    for index, step in enumerate(steps):
        value = step.observation
        if value is ABSENT:
            found.append(False)
            continue
        alike = seen.setdefault((type(value), len(value) if isinstance(value, str | list | dict) else 0), [])
        is_new = value not in alike
        if is_new:
            alike.append(value)
        found.append(is_new and index >= first)
    return found


def _told(examined: Examination, labels: Labels) -> Reading:
    trail = examined.trail
    answer = answering(trail)
    said = _Sayings(trail, labels)
    said.slot(examined)
    said.notices(examined)
    said.calls(examined)
    rests = _RESTS.get(str(labels.diagnostics.get("answer_rests_on", "")), "")
    if answer:
        said.mark(answer.number, "answer")
        said.say(answer.number, rests)
    return Reading(said.steps(), tuple(_chips(examined, labels)), _judgment(examined, labels, answer), rests)


def _plain(rollout: Rollout, labels: Labels) -> Reading:
    """A rollout without a valid record, or too deeply nested: only its errors and sources are marked."""
    said = _Sayings(Trail(rollout), labels)
    for place in said.trail.places:
        said.outcome(place)
    return Reading(said.steps(), (), _given_judgment(labels))


class _Sayings:
    """Collects diagnoses, marks and highlights by step number."""

    def __init__(self, trail: Trail, labels: Labels) -> None:
        self.trail = trail
        self.labels = labels
        self._sentences: dict[str, list[str]] = {}
        self._marks: dict[str, set[str]] = {}
        self._highlights: dict[str, list[Highlight]] = {}

    def say(self, number: str, sentence: str) -> None:
        if sentence:
            self._sentences.setdefault(number, []).append(sentence)

    def mark(self, number: str, mark: str) -> None:
        self._marks.setdefault(number, set()).add(mark)

    def slot(self, examined: Examination) -> None:
        """What the prefix shows at the slot."""
        affected, observed = self.trail.affected, examined.observed
        if affected is None:
            return
        self.mark(affected.number, "slot")
        if observed is None:
            return
        if observed.start is None:
            self.say(affected.number, "The slot shows no valid value.")
        elif observed.start_state is State.RECOVERED:
            self.say(affected.number, f"The slot shows the gold value {shown(observed.start)}.")
        elif observed.start_state is State.RESIDUAL:
            gold, polluted = shown(self.trail.gold), shown(observed.start)
            self.say(affected.number, f"The slot shows the polluted value {polluted} in place of {gold}.")
        else:
            self.say(
                affected.number, f"The slot shows {shown(observed.start)}, neither the gold nor the polluted value."
            )

    def notices(self, examined: Examination) -> None:
        """Stated anomalies, and the action that follows."""
        notice = examined.notice
        for heard in notice.heard:
            self.mark(heard.place.number, "signal")
            self._highlight(heard)
        for number in dict.fromkeys(heard.place.number for heard in notice.heard):
            self.say(number, "States an anomaly.")
        for number in dict.fromkeys(place.number for place, _, _ in notice.unrelated):
            self.say(number, "States an anomaly that does not concern the affected evidence.")
        if notice.pair:
            self.mark(notice.pair[1].place.number, "remedial")

    def calls(self, examined: Examination) -> None:
        """What each call of the continuation does to the slot."""
        refetches = {call.place.order: call for call in examined.observed.refetches} if examined.observed else {}
        is_new = new_observations([place.step for place in self.trail.places], self.trail.first_own)
        used = False
        for place in self.trail.places:
            self.outcome(place)
            if is_new[place.order]:
                self.mark(place.number, "new")
            if place.is_inherited or not place.is_call:
                continue
            if self.trail.is_producer(place):
                self.mark(place.number, "refetch")
                self.say(place.number, _refetched(self.trail, refetches.get(place.order)))
            elif examined.notice.pair and examined.notice.pair[1].place.order == place.order:
                self.say(place.number, _remedied(examined.notice.pair[1]))
            used = self._use(examined, place, used)

    def outcome(self, place: Place) -> None:
        """Error and source of a call."""
        step = place.step
        if step.kind is not Kind.CALL:
            return
        if step.error:
            self.mark(place.number, "error")
            self.say(place.number, _failed(step))
        if step.source in ("live", "replay"):
            self.mark(place.number, step.source)

    def steps(self) -> dict[str, StepReading]:
        """The collected readings, for the steps that have one, in order."""
        found = {}
        for place in self.trail.places:
            number = place.number
            marks = self._marks.get(number, set())
            found[number] = StepReading(
                " ".join(self._sentences.get(number, ())),
                tuple(mark for mark in MARKS if mark in marks),
                tuple(self._highlights.get(number, ())),
            )
        return found

    def _use(self, examined: Examination, place: Place, used: bool) -> bool:
        """Say which value a call carries on; return whether the polluted one has been used by now."""
        value = None if self.trail.is_producer(place) else examined.use.carried(place)
        if value is State.RESIDUAL:
            if not used:
                self.mark(place.number, "first_polluted_use")
            self.say(place.number, f"Uses the polluted value {shown(self.trail.polluted)}.")
            return True
        if value is State.RECOVERED:
            self.say(place.number, f"Uses the gold value {shown(self.trail.gold)}.")
        return used

    def _highlight(self, heard: Heard) -> None:
        signal = heard.signal
        self._highlights.setdefault(heard.place.number, []).append(
            Highlight(heard.field, signal.start, signal.end, signal.words)
        )


def shown(members: Iterable[Any]) -> str:
    """A slot's value for a sentence: its members joined by slashes, shortened."""
    told = " / ".join(plain(member) for member in members if member is not ABSENT) or "nothing"
    return f"“{told if len(told) <= _LONGEST_VALUE else told[: _LONGEST_VALUE - 1] + '…'}”"


def _failed(step: Step) -> str:
    if step.error is None:
        return ""
    message = step.error.message
    if len(message) > _LONGEST_MESSAGE:
        message = message[: _LONGEST_MESSAGE - 1] + "…"
    told = f"{step.error.type}: {message}" if message and message != step.error.type else step.error.type
    return f"The call fails ({told.rstrip('.')})."


def _refetched(trail: Trail, call: Refetch | None) -> str:
    if call is None:
        return "Calls the producer again."
    how = "with the recorded arguments" if call.same_arguments else "with other arguments"
    if not call.same_entity:
        return "Calls the producer for another entity; this says nothing about the slot."
    if call.shown is None:
        return f"Calls the producer again {how}; it returns no valid value for the slot."
    if call.state is State.RECOVERED:
        return f"Calls the producer again {how}; it returns the gold value {shown(call.shown)}."
    if call.state is State.RESIDUAL:
        return f"Calls the producer again {how}; it returns the polluted value {shown(call.shown)}."
    return f"Calls the producer again {how}; it returns {shown(call.shown)}, neither the gold nor the polluted value."


def _remedied(action: Action) -> str:
    if action.remedy is Remedy.CORROBORATING:
        return f"Checks it with {action.place.tool}, which was not called before."
    return f"Issues {action.place.tool} again to check it."


def _chips(examined: Examination, labels: Labels) -> Iterator[Chip]:
    trail, observed = examined.trail, examined.observed
    if trail.slot and observed and trail.affected:
        value = "failed" if observed.start is None else _VALUE_WORDS[observed.start_state]
        text = "no valid value" if observed.start is None else shown(observed.start)
        yield Chip("prefix", value, text, trail.affected.number)
    if trail.slot:
        check = _verification(examined)
        yield _verified(examined, check)
        yield from _used(examined, check)
    rests = labels.diagnostics.get("answer_rests_on")
    if rests in _RESTS:
        answer = answering(trail)
        value = {"recovered": "gold", "residual": "polluted"}.get(str(rests), "other")
        yield Chip(
            "answer", value, f"rests on {'neither' if value == 'other' else value}", answer.number if answer else None
        )
    elif trail.slot and trail.rollout.final is None:
        yield Chip("answer", "none", "no answer")


def _verification(examined: Examination) -> Place | None:
    """The first remedial call: the one that follows the signal, else the first that asks the producer or a corroborator."""
    if examined.notice.pair:
        return examined.notice.pair[1].place
    remedies = Remedies(examined.trail, examined.use)
    for place in examined.trail.own:
        if examined.trail.is_producer(place):
            return place
        if remedies.is_declared(place) and remedies.of(place, place) is Remedy.CORROBORATING:
            return place
    return None


def _verified(examined: Examination, check: Place | None) -> Chip:
    if check is None:
        return Chip("verification", "none", "none")
    refetches = examined.observed.refetches if examined.observed else ()
    call = next((call for call in refetches if call.place.order == check.order), None)
    if call and call.shown is not None and call.same_entity:
        return Chip(
            "verification",
            _VALUE_WORDS[state_of(examined.trail, call.shown)],
            f"{check.tool}: {shown(call.shown)}",
            check.number,
        )
    if check.step.error:
        return Chip("verification", "failed", f"{check.tool} fails", check.number)
    return Chip("verification", "checked", check.tool, check.number)


def _used(examined: Examination, check: Place | None) -> Iterator[Chip]:
    trail = examined.trail
    after = check.order if check else -1
    calls = [place for place in trail.own if place.is_call and not trail.is_producer(place) and place.order > after]
    if trail.consumer:
        calls = [place for place in calls if place.tool == trail.consumer]
    for place in calls:
        value = examined.use.carried(place)
        if value:
            members = trail.gold if value is State.RECOVERED else trail.polluted
            text = shown(members) if value is not State.NEITHER else "another value"
            yield Chip("use", _VALUE_WORDS[value], f"{place.tool}: {text}", place.number)
            return
    if calls and trail.consumer:
        yield Chip("use", "other", f"{calls[0].tool}: another value", calls[0].number)
    else:
        yield Chip("use", "none", "none")


def _judgment(examined: Examination, labels: Labels, answer: Place | None) -> dict[str, Any]:
    found = _given_judgment(labels)
    found["producer_refetch"]["steps"] = [
        place.number for place in examined.trail.own if examined.trail.is_producer(place)
    ]
    found["state"]["step"] = labels.diagnostics.get("state_step")
    for result in found["results"]:
        result["step"] = answer.number if answer else None
    return found


def _given_judgment(labels: Labels) -> dict[str, Any]:
    why = labels.why_null
    evidence = labels.noticed_evidence or {}
    return {
        "producer_refetch": {"value": labels.producer_refetch, "steps": [], "why": why.get("producer_refetch")},
        "state": {"value": labels.state.value if labels.state else None, "step": None, "why": why.get("state")},
        "noticed": {
            "value": labels.noticed,
            "signal_step": evidence.get("signal_step"),
            "action_step": evidence.get("action_step"),
            "why": why.get("noticed") or evidence.get("why"),
        },
        "results": [{"judge": result.judge, "label": result.label.value, "step": None} for result in labels.results],
        "excluded": {"value": labels.excluded, "why": why.get("excluded")},
    }


def _step_json(step: StepReading) -> dict[str, Any]:
    found: dict[str, Any] = {"diagnosis": step.diagnosis, "marks": list(step.marks)}
    if step.highlights:
        found["highlights"] = [
            {"field": found_at.field, "start": found_at.start, "end": found_at.end, "words": found_at.words}
            for found_at in step.highlights
        ]
    return found
