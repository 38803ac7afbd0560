"""The agreement report as JSON and as one long CSV, with nothing left out."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from benchmark.core.comparing.agreement_report import AgreementReport, LabelAgreement, Manifest
from benchmark.core.comparing.agreement_tables import ANSWER, manifest_values
from benchmark.core.comparing.breakdowns import Disagreement, TwoRaters
from benchmark.core.comparing.figures import Figure, Figures, Undefined

CSV_COLUMNS = ("label", "section", "group", "name", "value", "low", "high", "n", "why")


def as_json(report: AgreementReport, manifest: Manifest) -> str:
    """One JSON document. A figure is {"value", "low", "high", "n"}, an undefined one {"value": null, "why"}."""
    document = {
        "items": report.items,
        "annotators": report.annotators,
        "judgments": report.judgments,
        "seed": report.seed,
        "labels": {name: _label(name, label) for name, label in report.labels.items()},
        "manifest": {
            **manifest_values(report, manifest),
            "seed": report.seed,
            "draws": report.draws,
            "notes": list(manifest.notes),
        },
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _label(name: str, label: LabelAgreement) -> dict[str, Any]:
    figures = _figures(label.figures)
    # The published table calls its figure for the label Result review_agreement_result.
    figures[f"review_agreement_{name}"] = figures.pop("review_agreement")
    return {
        **label.counts,
        "confusion": label.confusion._asdict(),
        **figures,
        "reading": list(label.reading),
        "without_reference": [asdict(entry) for entry in label.without_reference],
        "without_automatic": [asdict(entry) for entry in label.without_automatic],
        "strata": [
            {"key": group.key, "value": group.value, "items": group.items, "confusion": group.confusion._asdict()}
            | _figures(group.figures)
            for group in label.strata
        ],
        "by_annotator": [
            {
                "annotator": entry.annotator,
                "labels": entry.labels,
                "positive": entry.positive,
                "others_tied": entry.tied,
                "others_too_few": entry.alone,
            }
            | _two_raters(entry.against_others)
            for entry in label.by_annotator
        ],
        "pairs": [{"first": pair.first, "second": pair.second} | _two_raters(pair.agreement) for pair in label.pairs],
        "pairs_without_shared_item": label.pairs_without_shared_item,
        "shift": [asdict(row) for row in label.shift],
        "disagreements": [_disagreement(entry) for entry in label.disagreements],
    }


def _figures(figures: Figures) -> dict[str, Any]:
    return {name: _figure(figure) for name, figure in figures.items()}


def _figure(figure: Figure | Undefined) -> dict[str, Any]:
    if isinstance(figure, Undefined):
        return {"value": None, "why": figure.why} | ({"fraction": figure.fraction} if figure.fraction else {})
    written: dict[str, Any] = {
        "value": _number(figure.value),
        "low": _number(figure.low),
        "high": _number(figure.high),
        "n": figure.n,
    }
    if figure.no_interval:
        written["no_interval"] = figure.no_interval
    if figure.undefined_draws:
        written["undefined_draws"] = figure.undefined_draws
    return written


def _number(value: float | None) -> float | None:
    """Ten significant digits: what differs behind them is the order in which a machine adds."""
    return value if value is None or isinstance(value, int) else float(f"{value:.10g}")


def _two_raters(pair: TwoRaters) -> dict[str, Any]:
    return {"n": pair.confusion.n, "confusion": pair.confusion._asdict()} | _figures(pair.figures)


def _disagreement(entry: Disagreement) -> dict[str, Any]:
    return {
        "item": entry.item,
        "reference": entry.reference,
        "automatic": entry.automatic,
        "positive": list(entry.positive),
        "negative": list(entry.negative),
        "reviews": dict(entry.reviews),
    }


def as_csv(report: AgreementReport, manifest: Manifest) -> str:
    """One line a number: label, section, group (a stratum, an annotator, an item), name, figure and reason."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for line in _lines(report, manifest):
        writer.writerow((*line, *[""] * (len(CSV_COLUMNS) - len(line))))
    return out.getvalue()


Line = tuple[Any, ...]


def _lines(report: AgreementReport, manifest: Manifest) -> Iterator[Line]:
    for name, label in report.labels.items():
        yield from ((name, *line) for line in _label_lines(label))
    yield from (("", *line) for line in _count_lines("manifest", "", manifest_values(report, manifest)))
    yield from (("", "manifest", "", "note", "", "", "", "", note) for note in manifest.notes)


def _label_lines(label: LabelAgreement) -> Iterator[Line]:
    yield from _count_lines("table", "", label.counts)
    yield from _figure_lines("table", "", label.figures)
    yield from _count_lines("confusion", "", label.confusion._asdict())
    for sentence in label.reading:
        yield ("reading", "", "", "", "", "", "", sentence)
    yield from _breakdown_lines(label)
    yield from _item_lines(label)


def _breakdown_lines(label: LabelAgreement) -> Iterator[Line]:
    for stratum in label.strata:
        group = f"{stratum.key}={stratum.value}"
        yield from _count_lines("stratum", group, {"items": stratum.items} | stratum.confusion._asdict())
        yield from _figure_lines("stratum", group, stratum.figures)
    for entry in label.by_annotator:
        counts = {"labels": entry.labels, "positive": entry.positive}
        counts |= {"others_tied": entry.tied, "others_too_few": entry.alone}
        yield from _count_lines("annotator", entry.annotator, counts)
        yield from _figure_lines("annotator", entry.annotator, entry.against_others.figures)
    for pair in label.pairs:
        yield from _figure_lines("pair", f"{pair.first}, {pair.second}", pair.agreement.figures)
    for row in label.shift:
        group = f"blind {ANSWER[row.blind]}, automatic {ANSWER[row.automatic]}"
        yield from _count_lines("shift", group, {"agree": row.agree, "disagree": row.disagree, "unsure": row.unsure})


def _item_lines(label: LabelAgreement) -> Iterator[Line]:
    for left_out in label.without_reference:
        yield ("without_reference", left_out.item, "", "", "", "", "", left_out.why)
    for left_out in label.without_automatic:
        yield ("without_automatic", left_out.item, "", "", "", "", "", left_out.why)
    for entry in label.disagreements:
        cells = {
            "reference": ANSWER[entry.reference],
            "automatic": ANSWER[entry.automatic],
            "positive": " ".join(entry.positive),
            "negative": " ".join(entry.negative),
            "reviews": " ".join(f"{annotator}:{answer}" for annotator, answer in entry.reviews),
        }
        yield from _count_lines("disagreement", entry.item, cells)


def _count_lines(section: str, group: str, counts: Mapping[str, object]) -> Iterator[Line]:
    for name, count in counts.items():
        yield (section, group, name, count)


def _figure_lines(section: str, group: str, figures: Figures) -> Iterator[Line]:
    for name, figure in figures.items():
        if isinstance(figure, Undefined):
            # A bare 3/4 in the value column would become a date in a spreadsheet.
            why = f"{figure.fraction}. {figure.why}" if figure.fraction else figure.why
            yield (section, group, name, "", "", "", "", why)
        else:
            numbers = (_number(figure.value), _number(figure.low), _number(figure.high))
            yield (section, group, name, *numbers, figure.n, figure.no_interval)
