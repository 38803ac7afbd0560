"""The study file: a study's design as YAML, read strictly and written back."""

import re
from collections.abc import Iterable
from typing import Any

import yaml

from annotation.core.margins import Margins
from annotation.core.strata import Stratum
from annotation.core.study_design import DEFAULT_SEED, QUESTIONS, Problem, StudyDesign
from benchmark.core import strict_yaml
from benchmark.core.strict_yaml import FileKind, Path, YamlRefused, line_of

MOST_BYTES = 131_072
KEYS = (
    "name", "rollouts", "labels", "judge", "cells", "margins", "annotators", "labels_per_item", "seed", "review",
    "guidelines",
)  # fmt: skip
REQUIRED = ("name", "rollouts", "annotators", "labels_per_item")
CELL_KEYS = ("model", "condition", "n")

_KIND = FileKind("study file", first_key="name", most_bytes=MOST_BYTES, deepest=8)
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


class DesignRefused(ValueError):
    """A design cannot be used; `problems` says each thing to mend and where."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(" ".join(f"{problem.key}: {problem.text}" for problem in self.problems))


class StudyFileRefused(ValueError):
    """A study file cannot be used; `problems` holds a sentence for each mistake, with file, line and key."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


def parse_study_file(content: bytes, file_name: str) -> StudyDesign:
    """Read a study file (UTF-8, at most 128 KiB). Raises StudyFileRefused, listing every mistake found.

    All values are read as text and then by the key they stand under, so `no`, `1e3` or a date mean nothing special.
    """
    try:
        document = strict_yaml.read(content, _KIND)
    except YamlRefused as refused:
        raise StudyFileRefused([_sentence(Problem(refused.path, refused.text), refused.line, file_name)]) from None
    try:
        return design_of(document.value)
    except DesignRefused as refused:
        raise StudyFileRefused(
            _sentence(problem, line_of(problem.path, document.lines), file_name) for problem in refused.problems
        ) from None


def design_of(data: object) -> StudyDesign:
    """Read a design from plain data in the study file's shape, numbers as numbers or as digits.

    Raises DesignRefused: first for what has the wrong shape, and where the shapes are right for what is unsound.
    """
    if not isinstance(data, dict):
        raise DesignRefused([Problem((), f"Write keys and values, such as `name: …`, not {_shown(data)}.")])
    reader = _Reader()
    design = reader.design(data)
    problems = reader.problems or design.problems()
    if problems:
        raise DesignRefused(problems)
    return design


def to_yaml(design: StudyDesign) -> str:
    """Write the design as a study file that `parse_study_file` reads to an equal design."""
    return yaml.safe_dump(design.as_data(), allow_unicode=True, sort_keys=False, default_flow_style=None, width=120)


def _sentence(problem: Problem, line: int | None, file_name: str) -> str:
    where = [file_name, *([f"line {line}"] if line else []), *([problem.key] if problem.path else [])]
    return f"{', '.join(where)}: {problem.text}"


class _Reader:
    """Reads shapes and gathers what is wrong with them; a value that cannot be read stands as an empty one."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def design(self, data: dict[str, Any]) -> StudyDesign:
        """The design as far as it can be read; use it only where `problems` stays empty."""
        top = self._mapping((), data, KEYS)
        for key in REQUIRED:
            if key not in top:
                self._refuse((key,), "Add this key; it is missing.")
        sources = self._mapping(("rollouts",), top.get("rollouts", {}), ("runs", "imports"))
        return StudyDesign(
            name=self._text(("name",), top.get("name", "")),
            runs=self._wholes(("rollouts", "runs"), sources.get("runs", [])),
            imports=self._wholes(("rollouts", "imports"), sources.get("imports", [])),
            labels=self._texts(("labels",), top.get("labels", list(QUESTIONS))),
            judge=self._text(("judge",), top.get("judge", "")),
            cells=self._cells(top["cells"]) if "cells" in top else None,
            margins=self._margins(top["margins"]) if "margins" in top else None,
            annotators=self._whole(("annotators",), top.get("annotators", 0)),
            labels_per_item=self._whole(("labels_per_item",), top.get("labels_per_item", 0)),
            seed=self._whole(("seed",), top.get("seed", DEFAULT_SEED)),
            review=self._text(("review",), top.get("review", "per_item")),
            guidelines=self._text(("guidelines",), top["guidelines"]) if "guidelines" in top else None,
        )

    def _cells(self, value: object) -> dict[Stratum, int]:
        cells: dict[Stratum, int] = {}
        for place, entry in enumerate(self._list(("cells",), value), 1):
            path = ("cells", place)
            cell = self._mapping(path, entry, CELL_KEYS)
            missing = [key for key in CELL_KEYS if key not in cell]
            if missing:
                self._refuse(
                    path, f"Add {', '.join(missing)}; write `none` where the rollouts have no model or condition."
                )
                continue
            stratum = Stratum(
                self._text((*path, "model"), cell["model"]), self._text((*path, "condition"), cell["condition"])
            )
            if stratum in cells:
                self._refuse(path, "Write each pair of model and condition once; this one stands above already.")
            cells[stratum] = self._whole((*path, "n"), cell["n"])
        return cells

    def _margins(self, value: object) -> Margins:
        sides = self._mapping(("margins",), value, ("condition", "model"))
        return Margins(
            condition=self._counts(("margins", "condition"), sides.get("condition", {})),
            model=self._counts(("margins", "model"), sides.get("model", {})),
        )

    def _counts(self, path: Path, value: object) -> dict[str, int]:
        return {name: self._whole((*path, name), number) for name, number in self._mapping(path, value, None).items()}

    def _mapping(self, path: Path, value: object, known: tuple[str, ...] | None) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._refuse(path, f"Write keys and values here, not {_shown(value)}.")
            return {}
        for key in value:
            if known is not None and key not in known:
                self._refuse(
                    (*path, key), f"Take this key out or mend its name; the known keys are {', '.join(known)}."
                )
        return value

    def _list(self, path: Path, value: object) -> list[Any]:
        if not isinstance(value, list):
            self._refuse(path, f"Write a list here, such as [a, b], not {_shown(value)}.")
            return []
        return value

    def _texts(self, path: Path, value: object) -> tuple[str, ...]:
        return tuple(self._text((*path, place), entry) for place, entry in enumerate(self._list(path, value), 1))

    def _wholes(self, path: Path, value: object) -> tuple[int, ...]:
        return tuple(self._whole((*path, place), entry) for place, entry in enumerate(self._list(path, value), 1))

    def _text(self, path: Path, value: object) -> str:
        if not isinstance(value, str):
            self._refuse(path, f"Write text here, not {_shown(value)}.")
            return ""
        return value

    def _whole(self, path: Path, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and _WHOLE.fullmatch(value):
            return int(value)
        self._refuse(path, f"Give a whole number, not {_shown(value)}.")
        return 0

    def _refuse(self, path: Path, text: str) -> None:
        self.problems.append(Problem(path, text))


def _shown(value: object) -> str:
    """Name a wrong value in a sentence, shortened."""
    if isinstance(value, dict):
        return "keys and values"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return f"“{text[:40]}…”" if len(text) > 40 else f"“{text}”" if text else "nothing"
