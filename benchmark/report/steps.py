"""Steps as anybody may read them: what the agent thought, called and saw, and nothing that was found out about it since."""

import re
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from benchmark.core import text
from benchmark.core.formats.columns import HEAD_CHARACTERS
from benchmark.core.trajectory import ABSENT, Actor, Kind, StepError
from benchmark.core.trajectory import Rollout as RolloutValue
from benchmark.core.trajectory import Step as StepValue
from benchmark.models import Rollout, Step
from benchmark.report import arguments
from benchmark.report.arguments import Pairs

# Rules that only repeat what the tool itself recorded; what a text was taken for since is not the agent's own view.
RECORDED_STATUS = frozenset({"envelope", "E1"})

STEP_PART = re.compile(r"(observation|arguments|thought|text)-([PR][1-9][0-9]{0,5})")
OBSERVATION_LINES, OBSERVATION_CHARACTERS = 8, 800
PROSE_CHARACTERS, PROSE_UNFOLDED = 4_000, 12_000
COLUMNS = (
    *("rollout", "index", "kind", "actor", "thought", "text", "tool", "arguments", "arguments_raw"),
    *("head", "characters", "is_new", "error_type", "error_message", "error_rule", "source"),
)


@dataclass(frozen=True, slots=True)
class LongText:
    """A text of any length: `head` stands on the page, `rest` unfolds there, `left` more characters are to be fetched."""

    head: str
    rest: str = ""
    left: int = 0

    @property
    def more(self) -> int:
        """How many characters the page does not show at once."""
        return len(self.rest) + self.left


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """One step as the agent lived it. Blind readers get exactly this, so it holds no mark, source, label or row id.

    `observation` is None where a call has none. `error` is the (type, message) of a call that failed by the tool's own
    recorded status. `arguments_json` is the whole of the arguments where the line alone may not show it, None where it
    is short enough to be on the line or so long that it must be fetched (`arguments_left` characters then).
    """

    number: str
    index: int
    kind: Kind
    actor: Actor
    thought: LongText | None
    text: LongText | None
    tool: str
    arguments: Pairs
    arguments_json: str | None
    arguments_left: int
    observation: LongText | None
    characters: int
    is_new: bool
    error: tuple[str, str] | None

    @property
    def is_call(self) -> bool:
        """Whether it is a tool call; else a message."""
        return self.kind is Kind.CALL


def shown_steps(rollout: Rollout) -> tuple[list[ShownStep], list[ShownStep]]:
    """A rollout's inherited prefix and its continuation, without observation bodies; one query."""
    steps = [shown_step(row, rollout.prefix_count) for row in step_rows(rollout)]
    return steps[: rollout.prefix_count], steps[rollout.prefix_count :]


def step_rows(rollout: Rollout) -> QuerySet[Step]:
    """The rows of a rollout's steps in order, without what may be megabytes long; `observed` tells whether a call has an answer."""
    rows = Step.objects.filter(rollout=rollout).order_by("index").only(*COLUMNS)
    return rows.annotate(observed=Q(observation__isnull=False))


def shown_step(row: Step, prefix_count: int) -> ShownStep:
    """One row of `step_rows` as a reader sees it."""
    value = StepValue(
        kind=Kind(row.kind),
        actor=Actor(row.actor),
        thought=row.thought,
        text=row.text,
        tool=row.tool,
        arguments=None if row.arguments is None else text.parse(row.arguments),
        arguments_raw=row.arguments_raw,
        error=StepError(row.error_type, row.error_message, row.error_rule) if row.error_rule else None,
    )
    seen = (row.head, row.characters) if row.observed else None  # type: ignore[attr-defined]
    return _shown(
        step_number(row.index, prefix_count), row.index, value, seen, is_new=row.is_new and row.index >= prefix_count
    )


def shown_steps_of_record(
    record: RolloutValue, new_steps: frozenset[str] = frozenset()
) -> tuple[list[ShownStep], list[ShownStep]]:
    """The same for a rollout that is no row; `new_steps` names the steps whose content no earlier step showed."""
    steps = []
    for index, (number, step) in enumerate(record.numbered()):
        body = None if step.observation is ABSENT else text.plain(step.observation)
        seen = None if body is None else (body[:HEAD_CHARACTERS], len(body))
        steps.append(_shown(number, index, step, seen, is_new=number in new_steps))
    return steps[: len(record.prefix)], steps[len(record.prefix) :]


def step_number(index: int, prefix_count: int) -> str:
    """P1…Pm for the prefix, R1…Rn for the continuation."""
    return f"P{index + 1}" if index < prefix_count else f"R{index - prefix_count + 1}"


def step_index(number: str, prefix_count: int, step_count: int) -> int | None:
    """The index of step P3 or R4; None where a rollout has no such step."""
    place = int(number[1:]) if number[1:].isdecimal() and len(number) < 8 else 0
    if number[:1] == "P" and 1 <= place <= prefix_count:
        return place - 1
    if number[:1] == "R" and 1 <= place <= step_count:
        return prefix_count + place - 1
    return None


def whole_of_step(rollout: Rollout, part: str) -> str | None:
    """The whole of one part of a step as JSON source text: `observation-R4`, `arguments-P2`, `thought-R4`, `text-R1`.

    Arguments that could not be parsed come as the text they were. None where there is no such step, or nothing there.
    """
    named = STEP_PART.fullmatch(part)
    index = step_index(named[2], rollout.prefix_count, rollout.step_count) if named else None
    if named is None or index is None:
        return None
    column = named[1]
    step = Step.objects.filter(rollout=rollout, index=index).only(column, "arguments_raw").first()
    if step is None:
        return None
    if column == "arguments" and step.arguments is None:
        return None if step.arguments_raw is None else text.write(step.arguments_raw)
    found: str | None = getattr(step, column)
    return found if found is None or column in ("observation", "arguments") else text.write(found)


def prose(source: str | None) -> LongText | None:
    """A text that people wrote for reading: whole up to 4,000 characters, then unfolding, then fetched; None where empty."""
    if not source or not source.strip():
        return None
    unfolded = PROSE_CHARACTERS + PROSE_UNFOLDED
    head, rest = source[:PROSE_CHARACTERS], source[PROSE_CHARACTERS:unfolded]
    return LongText(text.shown(head), text.shown(rest), max(0, len(source) - unfolded))


def excerpt(known: str, characters: int) -> LongText:
    """The first 8 lines or 800 characters of a text of which the beginning is `known`, and how much there is beyond."""
    lines = known[:OBSERVATION_CHARACTERS].split("\n", OBSERVATION_LINES)
    head = "\n".join(lines[:OBSERVATION_LINES])
    if characters > len(known):
        return LongText(text.shown(head), left=characters - len(head))
    return LongText(text.shown(head), text.shown(known[len(head) :].removeprefix("\n")))


def _shown(number: str, index: int, step: StepValue, seen: tuple[str, int] | None, *, is_new: bool) -> ShownStep:
    line, whole, left = _arguments(step)
    error = step.error if step.error and step.error.rule in RECORDED_STATUS else None
    return ShownStep(
        number=number,
        index=index,
        kind=step.kind,
        actor=step.actor,
        thought=prose(step.thought),
        text=prose(step.text),
        tool=text.shown(step.tool or ""),
        arguments=line,
        arguments_json=whole,
        arguments_left=left,
        observation=None if seen is None else excerpt(*seen),
        characters=seen[1] if seen else 0,
        is_new=is_new,
        error=(text.shown(error.type), text.shown(error.message)) if error else None,
    )


def _arguments(step: StepValue) -> tuple[Pairs, str | None, int]:
    """The line, the whole where it adds something, and the length of what is too long for the page."""
    given = step.arguments_raw if step.arguments is None else step.arguments
    line = arguments.pairs(given)
    if not given:
        return line, None, 0
    if arguments.is_short(given, line):
        return line, None, 0
    length = len(text.plain(given))
    if length > arguments.WHOLE_SHOWN:
        return line, None, length
    return line, arguments.pretty(given), 0
