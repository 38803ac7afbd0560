"""The design of a study: one value for the study file, the designer's form and the stored study."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.core.assignment import refusal
from annotation.core.margins import Margins
from annotation.core.strata import NONE, Stratum
from benchmark.core.taxonomy import Condition

QUESTIONS = ("result", "noticed")
REVIEWS = ("per_item", "at_end")
CONDITIONS = (*(condition.value for condition in Condition), NONE)
DEFAULT_SEED = 20260817
MOST_ANNOTATORS = 1_000
MOST_ITEMS = 50_000
LARGEST_SEED = 2**63 - 1
LONGEST_NAME = 200
LONGEST_JUDGE = 64
# control characters, lone surrogates, line and paragraph separators: what no one-line name holds and databases refuse
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


class Problem(NamedTuple):
    """One thing to mend: where in the design (list places count from 1) and a sentence that says what to do."""

    path: tuple[str | int, ...]
    text: str

    @property
    def key(self) -> str:
        """The place as one word, such as `margins.condition.correct`."""
        return ".".join(str(part)[:LONGEST_NAME] for part in self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDesign:
    """What a study asks about which rollouts, of how many people. Either `cells` or `margins` says what to sample."""

    name: str
    runs: tuple[int, ...] = ()
    imports: tuple[int, ...] = ()
    labels: tuple[str, ...] = QUESTIONS
    judge: str = ""
    cells: Mapping[Stratum, int] | None = None
    margins: Margins | None = None
    annotators: int
    labels_per_item: int
    seed: int = DEFAULT_SEED
    review: str = "per_item"
    guidelines: str | None = None

    @property
    def wanted(self) -> Mapping[Stratum, int] | Margins:
        """What to sample, as `sampling.sample` takes it."""
        return self.margins if self.margins is not None else self.cells or {}

    @property
    def size(self) -> int:
        """The number of rollouts to sample."""
        return self.wanted.total if isinstance(self.wanted, Margins) else sum(self.wanted.values())

    def problems(self) -> tuple[Problem, ...]:
        """Everything that keeps this design from being used, whatever rollouts there are; empty where it is sound."""
        return (
            *_text_problems(self),
            *_source_problems(self),
            *_question_problems(self),
            *_sample_problems(self),
            *_people_problems(self),
        )

    def as_data(self) -> dict[str, Any]:
        """The design in the shape and key order of the study file; what is not set is left out."""
        data: dict[str, Any] = {
            "name": self.name,
            "rollouts": {"runs": list(self.runs), "imports": list(self.imports)},
            "labels": list(self.labels),
        }
        if self.judge:
            data["judge"] = self.judge
        if self.cells is not None:
            data["cells"] = [
                {"model": cell.model, "condition": cell.condition, "n": self.cells[cell]} for cell in sorted(self.cells)
            ]
        if self.margins is not None:
            sides = {"condition": dict(self.margins.condition), "model": dict(self.margins.model)}
            data["margins"] = {side: wanted for side, wanted in sides.items() if wanted}
        data |= {
            "annotators": self.annotators,
            "labels_per_item": self.labels_per_item,
            "seed": self.seed,
            "review": self.review,
        }
        if self.guidelines is not None:
            data["guidelines"] = self.guidelines
        return data


def _text_problems(design: StudyDesign) -> Iterator[Problem]:
    yield from _unfit_text(("name",), design.name, LONGEST_NAME)
    if design.judge or "result" in design.labels:
        yield from _unfit_text(("judge",), design.judge, LONGEST_JUDGE)
    if design.guidelines is not None:
        yield from _unfit_text(("guidelines",), design.guidelines, LONGEST_NAME)
        if "/" in design.guidelines or "\\" in design.guidelines or not design.guidelines.endswith(".md"):
            yield Problem(
                ("guidelines",), "Name a Markdown file (.md) that lies beside the study file, without folders."
            )


def _unfit_text(path: tuple[str | int, ...], text: str, longest: int) -> Iterator[Problem]:
    if not text.strip():
        yield Problem(path, "Write something here; it is empty.")
    elif len(text) > longest:
        yield Problem(path, f"Use at most {longest} characters, not {len(text)}.")
    elif _UNFIT.search(text):
        yield Problem(path, "Use one line without control characters.")


def _source_problems(design: StudyDesign) -> Iterator[Problem]:
    if not design.runs and not design.imports:
        yield Problem(("rollouts",), "Name at least one run or import to sample from.")
    for key, numbers in (("runs", design.runs), ("imports", design.imports)):
        if any(not 0 < number <= LARGEST_SEED for number in numbers):
            yield Problem(("rollouts", key), "Give the numbers of runs and imports as the pages show them, from 1.")
        if len(set(numbers)) < len(numbers):
            yield Problem(("rollouts", key), "Name each only once.")


def _question_problems(design: StudyDesign) -> Iterator[Problem]:
    unknown = [label for label in design.labels if label not in QUESTIONS]
    if unknown or not design.labels or len(set(design.labels)) < len(design.labels):
        yield Problem(("labels",), f"Name one or both of {', '.join(QUESTIONS)}, each once.")
    if design.review not in REVIEWS:
        yield Problem(("review",), f"Choose one of {', '.join(REVIEWS)}.")
    if not 0 <= design.seed <= LARGEST_SEED:
        yield Problem(("seed",), f"Give a whole number from 0 to {LARGEST_SEED}.")


def _sample_problems(design: StudyDesign) -> Iterator[Problem]:
    if design.cells is not None and design.margins is not None:
        yield Problem(("margins",), "Give either `cells` or `margins`, not both.")
        return
    if design.cells is not None:
        side = "cells"
        yield from _cell_problems(design.cells)
    elif design.margins is not None:
        side = "margins"
        yield from _margin_problems(design.margins)
    else:
        yield Problem(("margins",), "Say what to sample, either as `cells` or as `margins`.")
        return
    if not 0 < design.size <= MOST_ITEMS:
        few = "Say how many rollouts are wanted" if not design.size else f"{design.size} rollouts are too many"
        yield Problem((side,), f"{few}: 1 to {MOST_ITEMS:,} in all.")


def _cell_problems(cells: Mapping[Stratum, int]) -> Iterator[Problem]:
    for place, (cell, wanted) in enumerate(cells.items(), 1):
        yield from _unfit_text(("cells", place, "model"), cell.model, LONGEST_NAME)
        yield from _unknown_condition(("cells", place, "condition"), cell.condition)
        if wanted < 1:
            yield Problem(("cells", place, "n"), f"Give a whole number from 1, not {wanted}, or leave the cell out.")


def _margin_problems(margins: Margins) -> Iterator[Problem]:
    for condition in margins.condition:
        yield from _unknown_condition(("margins", "condition", condition), condition)
    for model in margins.model:
        yield from _unfit_text(("margins", "model", model), model, LONGEST_NAME)
    for side, wanted in (("condition", margins.condition), ("model", margins.model)):
        for name, number in wanted.items():
            if number < 0:
                yield Problem(("margins", side, name), f"Give a whole number from 0, not {number}.")
    by_condition, by_model = sum(margins.condition.values()), sum(margins.model.values())
    if margins.condition and margins.model and by_condition != by_model:
        text = f"Make both sides add up to the same; the conditions add up to {by_condition}, the models to {by_model}."
        yield Problem(("margins",), text)


def _unknown_condition(path: tuple[str | int, ...], condition: str) -> Iterator[Problem]:
    if condition not in CONDITIONS:
        yield Problem(path, f"Choose one of {', '.join(CONDITIONS)}.")


def _people_problems(design: StudyDesign) -> Iterator[Problem]:
    reason = refusal(design.annotators, design.labels_per_item)
    if reason:
        yield Problem(("annotators" if design.annotators < 2 else "labels_per_item",), reason)
    if design.annotators > MOST_ANNOTATORS:
        yield Problem(("annotators",), f"Plan at most {MOST_ANNOTATORS} annotators, not {design.annotators}.")
