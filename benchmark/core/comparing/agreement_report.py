"""The whole agreement report: table 8 for each label, its breakdowns, and what was left out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmark.core.comparing.agreement import group_figures
from benchmark.core.comparing.breakdowns import (
    AnnotatorAgreement,
    Disagreement,
    PairAgreement,
    Shift,
    StratumAgreement,
    by_annotator,
    by_pair,
    by_stratum,
    disagreements,
    review_shift,
)
from benchmark.core.comparing.figures import Figures
from benchmark.core.comparing.patterns import Confusion, confusion_of, pattern_of
from benchmark.core.comparing.ratings import Judgment, gather
from benchmark.core.comparing.reading import reading
from benchmark.core.comparing.statistics import DRAWS, REPORT_SEED


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item without a human majority or without an automatic label, and why."""

    item: str
    why: str


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Everything known about one label. `figures` holds every name of `figures.KINDS`; `reading` is plain sentences.

    `judgments` counts human labels, `annotators` those who gave one, `items` all items, labelled or not.
    """

    items: int
    annotators: int
    judgments: int
    planned: int
    confusion: Confusion
    figures: Figures
    reading: Sequence[str]
    without_reference: Sequence[LeftOut]
    without_automatic: Sequence[LeftOut]
    strata: Sequence[StratumAgreement]
    by_annotator: Sequence[AnnotatorAgreement]
    pairs: Sequence[PairAgreement]
    pairs_without_shared_item: int
    shift: Sequence[Shift]
    disagreements: Sequence[Disagreement]

    @property
    def counts(self) -> dict[str, int]:
        """The plain counts by their exported names."""
        return {
            "items": self.items,
            "annotators": self.annotators,
            "judgments": self.judgments,
            "planned": self.planned,
        }


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Table 8 and what stands beside it, by label; counts over all labels together."""

    items: int
    annotators: int
    judgments: int
    seed: int
    draws: int
    labels: Mapping[str, LabelAgreement]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a reader needs to get the same digits again. `notes` say what of the source was not used, and why."""

    source: str
    data_sha256: str
    code_version: str
    notes: Sequence[str] = ()


def agreement_report(
    judgments: Mapping[str, Sequence[Judgment]], planned: int | None = None, seed: int = REPORT_SEED, draws: int = DRAWS
) -> AgreementReport:
    """Compute the report of all labels; `judgments` maps a label's name (result, noticed, …) to its rows.

    `planned` labels an item default to the most frequent number. Raises BadRatings for contradicting rows.
    """
    rows = [row for given in judgments.values() for row in given]
    return AgreementReport(
        items=len({row.item for row in rows}),
        annotators=len({row.annotator for row in rows}),
        judgments=len({(row.item, row.annotator) for row in rows if row.human is not None}),
        seed=seed,
        draws=draws,
        labels={name: label_agreement(given, planned, seed, draws) for name, given in judgments.items()},
    )


def label_agreement(
    judgments: Iterable[Judgment], planned: int | None = None, seed: int = REPORT_SEED, draws: int = DRAWS
) -> LabelAgreement:
    """Compute everything about one label; the order of the rows changes nothing."""
    items, planned = gather(judgments, planned)
    annotators = {judgment.annotator for item in items for judgment in item.judgments if judgment.human is not None}
    patterns = [pattern_of(item) for item in items]
    figures = group_figures(patterns, planned, draws, seed)
    confusion = confusion_of(patterns, planned)
    pairs = by_pair(items, draws, seed)
    return LabelAgreement(
        items=len(items),
        annotators=len(annotators),
        judgments=sum(item.positive + item.negative for item in items),
        planned=planned,
        confusion=confusion,
        figures=figures,
        reading=reading(figures, confusion),
        without_reference=[LeftOut(item.item, item.no_reference) for item in items if item.no_reference],
        without_automatic=[LeftOut(item.item, "has no automatic label") for item in items if item.automatic is None],
        strata=by_stratum(items, patterns, planned, draws, seed),
        by_annotator=by_annotator(items, planned, draws, seed),
        pairs=pairs,
        pairs_without_shared_item=len(annotators) * (len(annotators) - 1) // 2 - len(pairs),
        shift=review_shift(items),
        disagreements=disagreements(items),
    )


def judgments_sha256(judgments: Mapping[str, Iterable[Judgment]]) -> str:
    """Hex digest of all rows, whatever their order: two sources with the same digest give the same report."""
    rows = [
        (label, row.item, row.annotator, row.human, row.automatic, row.review, sorted(row.strata.items()))
        for label, given in judgments.items()
        for row in given
    ]
    text = json.dumps(sorted(rows, key=lambda row: row[:3]), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
