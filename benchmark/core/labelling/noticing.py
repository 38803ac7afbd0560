"""Noticed: a stated anomaly about the affected evidence, followed by a remedial action."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmark.core.labelling import signals
from benchmark.core.labelling.relatedness import Family, Heard
from benchmark.core.labelling.remedial import Remedies, Remedy
from benchmark.core.labelling.slot_use import SlotUse
from benchmark.core.labelling.trail import Place, Trail, spoken
from benchmark.core.trajectory import Actor, Kind

UNIT_BASIS = "affected_evidence"
ANY_BASIS = "any_observation"
MOST_SIGNALS = 200


@dataclass(frozen=True, slots=True)
class Action:
    """A remedial action: the call, and why it is one."""

    place: Place
    remedy: Remedy


@dataclass(frozen=True, slots=True)
class Notice:
    """Everything heard and done. `heard` are the related signals, `unrelated` the others, in order.

    `pair` is the first related signal that an action follows, with the first such action; without it the rollout did
    not notice. `value` is None where nothing was said that could be searched. `only_in_answer` is the sentence of the
    final answer that states an anomaly where nothing earlier does.
    """

    value: bool | None
    basis: str
    heard: tuple[Heard, ...] = ()
    unrelated: tuple[tuple[Place, str, signals.Signal], ...] = ()
    pair: tuple[Heard, Action] | None = None
    only_in_answer: str | None = None

    def evidence(self) -> Mapping[str, Any] | None:
        """The label's evidence for a reader: who signalled in which words, who acted, and if nobody, why it is no."""
        if self.value is None:
            return None
        heard = self.pair[0] if self.pair else (self.heard[0] if self.heard else None)
        action = self.pair[1] if self.pair else None
        found: dict[str, Any] = {
            "signal_step": heard.place.number if heard else None,
            "signal_text": heard.signal.sentence if heard else None,
            "action_step": action.place.number if action else None,
            "basis": self.basis,
        }
        if heard:
            found |= {
                "signal_words": heard.signal.words,
                "signal_kind": heard.signal.kind,
                "signal_rule": heard.signal.rule,
            }
            found |= {"about": heard.target.value}
        if action:
            found["remedy"] = action.remedy.value
        else:
            found["why"] = self._why_not()
        return found

    def _why_not(self) -> str:
        if self.heard:
            return "An anomaly is stated, but no call after it fetches the evidence again or checks it elsewhere."
        if self.only_in_answer:
            return f"An anomaly is stated only in the final answer, and nothing follows it: {self.only_in_answer}"
        if self.unrelated:
            return "What is said to be wrong does not concern the affected evidence."
        return "No thought or message states an anomaly."


def notice(trail: Trail, use: SlotUse) -> Notice:
    """Decide Noticed from the continuation's thoughts, messages and calls; the final answer's text is not searched.

    Rule (the paper's definition of Noticed; version in measures.NOTICED_RULE): a text states that a content or a
    result is wrong, missing, failed or does not fit, this concerns the affected evidence, and the call of the same step
    or of a later one is remedial.
    """
    basis = UNIT_BASIS if trail.slot else ANY_BASIS
    texts = list(_texts(trail))
    if not texts:
        is_untold = not trail.places or any(place.is_call for place in trail.own)
        return Notice(None if is_untold else False, basis)
    family = Family(trail, use)
    related, unrelated = _hear(family, texts)
    pair = _pair(Remedies(trail, use), related)
    late = None if related else _in_answer(trail, family)
    return Notice(pair is not None, basis, tuple(related), tuple(unrelated), pair, late)


@dataclass(frozen=True, slots=True)
class _Text:
    place: Place
    field: str
    text: str
    newest: Place | None
    after_failure: bool


def _texts(trail: Trail) -> Iterator[_Text]:
    """The searched texts, each with the newest observation before it. A failure is news only to the first who speaks."""
    newest = next((place for place in reversed(trail.places[: trail.first_own]) if place.step.kind is Kind.CALL), None)
    news = newest is not None and newest.step.error is not None
    answer = _answering(trail)
    for place in trail.own:
        for field, text in spoken(place):
            if not (field == "text" and place.order == answer):
                yield _Text(place, field, text, newest, news)
        if place.step.kind is Kind.CALL and place.step.actor is Actor.AGENT:
            newest, news = place, place.step.error is not None
        elif place.step.kind is Kind.MESSAGE:
            news = False


def answering(trail: Trail) -> Place | None:
    """The step that is the final answer, where the answer is also a step: the last message of the agent with its text."""
    order = _answering(trail)
    return trail.places[order] if order is not None else None


def _answering(trail: Trail) -> int | None:
    final = trail.rollout.final
    for place in reversed(trail.own):
        if place.step.kind is Kind.MESSAGE and place.step.actor is Actor.AGENT:
            said = (place.step.text or "").strip()
            return place.order if final is not None and said == final.answer.strip() else None
        if place.is_call:
            return None
    return None


def _in_answer(trail: Trail, family: Family) -> str | None:
    final = trail.rollout.final
    newest = next((place for place in reversed(trail.places) if place.step.kind is Kind.CALL), None)
    for signal in signals.find(final.answer) if final else []:
        if family.target(signal, newest):
            return signal.sentence
    return None


def _hear(family: Family, texts: list[_Text]) -> tuple[list[Heard], list[tuple[Place, str, signals.Signal]]]:
    related: list[Heard] = []
    unrelated: list[tuple[Place, str, signals.Signal]] = []
    detector = signals.Detector(said.text for said in texts)
    for said in texts:
        for signal in detector.find(said.text, after_failure=said.after_failure):
            if len(related) + len(unrelated) >= MOST_SIGNALS:
                return related, unrelated
            target = family.target(signal, said.newest)
            if target:
                related.append(Heard(said.place, said.field, signal, target))
            else:
                unrelated.append((said.place, said.field, signal))
    return related, unrelated


def _pair(remedies: Remedies, related: list[Heard]) -> tuple[Heard, Action] | None:
    for heard in related:
        for place in remedies.trail.places[heard.place.order :]:
            remedy = remedies.of(place, heard.place)
            if remedy:
                return heard, Action(place, remedy)
    return None
