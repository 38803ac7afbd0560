"""The designer's table of wanted numbers: model × condition, as margins or as cells, beside what is eligible."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.http import QueryDict

from annotation.core.strata import Stratum
from annotation.core.study_design import StudyDesign

MARGINS, CELLS = "margins", "cells"


class Margin(NamedTuple):
    """One wanted total of a side: what is typed for it, and how many rollouts are eligible."""

    name: str
    typed: str
    eligible: int


class Cell(NamedTuple):
    """One model × condition: what is typed, how many are eligible, and how many a start would draw (None: not known)."""

    typed: str
    eligible: int
    drawn: int | None


@dataclass(frozen=True, slots=True)
class Typed:
    """The numbers as typed, blank for nothing wanted; margins and cells are kept side by side."""

    condition: Mapping[str, str] = field(default_factory=dict)
    model: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[Stratum, str] = field(default_factory=dict)

    def as_data(self, sampling: str) -> dict[str, Any]:
        """The chosen half in the study file's shape; blank and 0 are left out."""
        if sampling == CELLS:
            wanted = _wanted(self.cells)
            return {"cells": [{"model": cell.model, "condition": cell.condition, "n": wanted[cell]} for cell in wanted]}
        sides = {"condition": _wanted(self.condition), "model": _wanted(self.model)}
        return {"margins": {side: wanted for side, wanted in sides.items() if wanted}}


@dataclass(frozen=True, slots=True)
class WantedTable:
    """The table as a page shows it: a row a model, a column a condition."""

    sampling: str
    conditions: list[Margin]
    rows: list[tuple[Margin, list[Cell]]]
    eligible: int


def typed_of(data: QueryDict) -> Typed:
    """Read the inputs: the names of both sides, a number for each, and the cells row by row."""
    models, conditions = data.getlist("model"), data.getlist("condition")
    strata = [Stratum(model, condition) for model in models for condition in conditions]
    return Typed(
        condition=dict(zip(conditions, data.getlist("condition_n"), strict=False)),
        model=dict(zip(models, data.getlist("model_n"), strict=False)),
        cells=dict(zip(strata, data.getlist("cell_n"), strict=False)),
    )


def typed_of_design(design: StudyDesign) -> Typed:
    """The numbers of a stored design as they would be typed."""
    margins = design.margins
    return Typed(
        condition=_written(margins.condition) if margins else {},
        model=_written(margins.model) if margins else {},
        cells={cell: str(wanted) for cell, wanted in (design.cells or {}).items()},
    )


def evenly(total: int, held: Mapping[Stratum, int]) -> Typed:
    """A total spread as evenly as what is eligible allows: over conditions, over models, over both together."""
    conditions: Counter[str] = Counter()
    models: Counter[str] = Counter()
    for stratum, number in held.items():
        conditions[stratum.condition] += number
        models[stratum.model] += number
    return Typed(condition=_spread(total, conditions), model=_spread(total, models), cells=_spread(total, held))


def wanted_table(
    sampling: str, typed: Typed, held: Mapping[Stratum, int], drawn: Mapping[Stratum, int] | None
) -> WantedTable:
    """Lay the table out: every model and condition that is eligible or was typed."""
    strata = {*held, *(cell for cell, number in typed.cells.items() if number.strip())}
    models = sorted({stratum.model for stratum in strata} | _named(typed.model))
    conditions = sorted({stratum.condition for stratum in strata} | _named(typed.condition))
    rows = []
    for model in models:
        cells = []
        for condition in conditions:
            stratum = Stratum(model, condition)
            would_draw = None if drawn is None else drawn.get(stratum, 0)
            cells.append(Cell(typed.cells.get(stratum, ""), held.get(stratum, 0), would_draw))
        rows.append((Margin(model, typed.model.get(model, ""), sum(cell.eligible for cell in cells)), cells))
    columns = [
        Margin(condition, typed.condition.get(condition, ""), sum(cells[place].eligible for _, cells in rows))
        for place, condition in enumerate(conditions)
    ]
    return WantedTable(sampling, columns, rows, sum(held.values()))


def _wanted(typed: Mapping[Any, str]) -> dict[Any, str]:
    return {name: number.strip() for name, number in typed.items() if number.strip() not in ("", "0")}


def _named(typed: Mapping[str, str]) -> set[str]:
    return set(_wanted(typed))


def _written(wanted: Mapping[str, int]) -> dict[str, str]:
    return {name: str(number) for name, number in wanted.items()}


def _spread(total: int, held: Mapping[Any, int]) -> dict[Any, str]:
    """Whoever cannot give an even share gives all, and the others share what is left; the first ones one more."""
    given: dict[Any, int] = {}
    left = min(total, sum(held.values()))
    for place, name in enumerate(sorted(sorted(held, reverse=True), key=held.__getitem__)):
        given[name] = min(held[name], left // (len(held) - place))
        left -= given[name]
    return {name: str(given[name]) for name in sorted(given)}
