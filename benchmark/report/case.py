"""The case box: one trajectory with its setup, its marked steps and its judgment, from rows or from a plain record."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from benchmark.core import text
from benchmark.core.labelling.diagnoses import Reading
from benchmark.core.taxonomy import ModelKind
from benchmark.core.trajectory import Labels
from benchmark.core.trajectory import Rollout as RolloutValue
from benchmark.models import DiagnosisEdit, Judgment, MechanismNote, Rollout
from benchmark.models.records import record_of
from benchmark.report import arguments
from benchmark.report.arguments import Pairs
from benchmark.report.judgment import Chip, Judged, Verdict, chips, verdicts
from benchmark.report.marking import Marker, Values, signal_spans
from benchmark.report.setup import Fact, ShownEvidence, evidence_of, unit_facts, values_of
from benchmark.report.steps import (
    LongText,
    ShownStep,
    prose,
    shown_step,
    shown_steps,
    shown_steps_of_record,
    step_rows,
)

__all__ = ["Case", "MarkedStep", "ShownStep", "Tag", "case_of_record", "case_of_rollout", "shown_steps"]


@dataclass(frozen=True, slots=True)
class Tag:
    """One mark of a step: a glyph and a word, so that it survives without colour, and the class that colours it."""

    glyph: str
    word: str
    css: str


TAGS = {
    "slot": Tag("◆", "slot", "slot"),
    "refetch": Tag("↻", "refetch", "refetch"),
    "new": Tag("✧", "new", "quiet"),
    "replay": Tag("", "replay", "quiet"),
    "live": Tag("", "live", "quiet"),
    "error": Tag("✕", "error", "error"),
    "first_polluted_use": Tag("▸", "first polluted use", "slot"),
    "signal": Tag("!", "signal", ""),
    "remedial": Tag("✓", "remedial", ""),
    "answer": Tag("■", "answer", "final"),
}
BARS = {"slot": "is-slot", "refetch": "is-refetch", "error": "is-error", "answer": "is-final"}


@dataclass(frozen=True, slots=True)
class Written:
    """Words of a researcher, with who wrote them and when."""

    words: str
    who: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Wordings:
    """Everything researchers wrote in one place, oldest first. The newest stands; empty words take the others back."""

    history: tuple[Written, ...] = ()

    @property
    def standing(self) -> Written | None:
        """What stands now; None where nobody wrote or it was taken back."""
        return self.history[-1] if self.history and self.history[-1].words else None

    @property
    def words(self) -> str:
        """The words that stand, or empty."""
        return self.standing.words if self.standing else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedStep:
    """A step with what was found out about it. Blind pages never get one of these, only its `step`."""

    step: ShownStep
    tags: tuple[Tag, ...] = ()
    css: str = ""
    diagnosis: str = ""
    edits: Wordings = Wordings()
    thought: Marker = Marker()
    text: Marker = Marker()
    values: Marker = Marker()

    @property
    def said(self) -> str:
        """The diagnosis that stands: a researcher's newest words, or the rule's."""
        return self.edits.words or self.diagnosis

    @property
    def is_answer(self) -> bool:
        """Whether this step is the final answer."""
        return TAGS["answer"] in self.tags


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A whole case box. `pk` is None where it is no row: then nothing can be fetched or written.

    `anchor` goes before every step's id, so that several boxes can stand on one page.
    """

    pk: int | None
    task: LongText | None
    goal: LongText | None
    inputs: Pairs
    inputs_json: str
    facts: tuple[Fact, ...]
    reference: tuple[ShownEvidence, ...]
    prefix: tuple[MarkedStep, ...]
    continuation: tuple[MarkedStep, ...]
    answer: LongText | None
    answer_step: str
    result: str
    values: Marker
    chips: tuple[Chip, ...]
    verdicts: tuple[Verdict, ...]
    excluded: str
    end: str
    mechanism: Wordings = Wordings()
    warnings: tuple[str, ...] = ()
    anchor: str = ""


def case_of_rollout(rollout: Rollout) -> Case:
    """The case box of a row whose model and unit are loaded; four queries, no observation body."""
    record = record_of(rollout, ())
    reading = text.parse(rollout.reading)
    edits = _edits(rollout)
    values = values_of(record.unit)
    marked = [
        _marked(shown_step(row, rollout.prefix_count), reading, values, edits, thought=row.thought, said=row.text)
        for row in step_rows(rollout)
    ]
    judged = [Judged(one.judge, one.label, one.rationale) for one in Judgment.objects.filter(rollout=rollout)]
    mechanism = mechanism_of(rollout)
    case = _case(record, marked, rollout.prefix_count, reading, judged)
    return replace(
        case,
        pk=rollout.pk,
        chips=chips(reading, mechanism.words),
        mechanism=mechanism,
        warnings=tuple(map(text.shown, rollout.warnings)),
    )


def case_of_record(record: RolloutValue, labels: Labels, reading: Reading) -> Case:
    """The same case box for a rollout that is no row: for a preview before an import, or a file on the command line."""
    told = reading.to_json()
    values = values_of(record.unit)
    new = frozenset(number for number, step in told["steps"].items() if "new" in step["marks"])
    prefix, continuation = shown_steps_of_record(record, new)
    marked = [
        _marked(shown, told, values, {}, thought=source.thought, said=source.text)
        for shown, (_, source) in zip([*prefix, *continuation], record.numbered(), strict=True)
    ]
    judged = [Judged(one.judge, one.label, one.rationale) for one in labels.results]
    return _case(replace(record, labels=labels), marked, len(prefix), told, judged)


def mechanism_of(rollout: Rollout) -> Wordings:
    """What researchers wrote about why a rollout failed."""
    notes = MechanismNote.objects.filter(rollout=rollout).select_related("who")
    return Wordings(tuple(_written(note) for note in notes))


def diagnosis_of(rollout: Rollout, index: int) -> MarkedStep | None:
    """One step of a row with its diagnosis, for writing another; None where there is no such step."""
    row = step_rows(rollout).filter(index=index).first()
    if row is None:
        return None
    shown = shown_step(row, rollout.prefix_count)
    return _marked(shown, text.parse(rollout.reading), Values(), _edits(rollout), thought=None, said=None)


def _marked(
    shown: ShownStep,
    reading: Mapping[str, Any],
    values: Values,
    edits: Mapping[int, Wordings],
    *,
    thought: str | None,
    said: str | None,
) -> MarkedStep:
    told = reading.get("steps", {}).get(shown.number, {})
    marks = told.get("marks", ())
    lights = told.get("highlights", ())
    return MarkedStep(
        step=shown,
        tags=tuple(TAGS[mark] for mark in marks if mark in TAGS),
        css=next((css for mark, css in BARS.items() if mark in marks), ""),
        diagnosis=text.shown(told.get("diagnosis", "")),
        edits=edits.get(shown.index, Wordings()),
        thought=Marker(signal_spans(thought, [light for light in lights if light["field"] == "thought"]), values),
        text=Marker(signal_spans(said, [light for light in lights if light["field"] == "text"]), values),
        values=Marker(values=values),
    )


def _case(
    record: RolloutValue,
    marked: Sequence[MarkedStep],
    prefix_count: int,
    reading: Mapping[str, Any],
    judged: Sequence[Judged],
) -> Case:
    """What a row and a plain record have in common; `record` may be without its steps."""
    unit, task, final = record.unit, record.task, record.final
    asked = unit or task
    inputs = asked.inputs if asked else None
    labels = record.labels or Labels()
    return Case(
        pk=None,
        task=prose(record.query),
        goal=prose(task.goal) if task else None,
        inputs=arguments.pairs(inputs),
        inputs_json=arguments.pretty(inputs) if inputs else "",
        facts=(*_who(record), *unit_facts(unit)),
        reference=tuple(evidence_of(asked.reference if asked else ())),
        prefix=tuple(marked[:prefix_count]),
        continuation=tuple(marked[prefix_count:]),
        answer=None if final is None else prose(final.answer) or LongText("(empty)"),
        answer_step=next((one.step.number for one in marked if one.is_answer), ""),
        result="" if final is None or final.result is None else arguments.pretty(final.result),
        values=Marker(values=values_of(unit)),
        chips=chips(reading, ""),
        verdicts=verdicts(labels, reading, judged),
        excluded=text.shown(labels.excluded or ""),
        end=record.end or "",
    )


def _who(record: RolloutValue) -> Iterator[Fact]:
    model = record.model
    kind = "" if model is None or model.kind is ModelKind.LLM else f" ({model.kind.value})"
    yield Fact("Model", text.shown(model.name) + kind if model else "not said")
    yield Fact("Condition", record.condition or "none")
    if record.intervention:
        yield Fact("Intervention", text.shown(record.intervention))


def _edits(rollout: Rollout) -> dict[int, Wordings]:
    found: dict[int, list[Written]] = {}
    for edit in DiagnosisEdit.objects.filter(rollout=rollout).select_related("who"):
        found.setdefault(edit.step_index, []).append(_written(edit))
    return {index: Wordings(tuple(edits)) for index, edits in found.items()}


def _written(note: DiagnosisEdit | MechanismNote) -> Written:
    return Written(note.text, note.who.username, note.at)
