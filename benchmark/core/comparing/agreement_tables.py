"""Table 8 and the tables beside it, as cells for a reader."""

from collections.abc import Iterable, Mapping, Sequence

from benchmark.core.comparing.agreement_report import AgreementReport, LabelAgreement, LeftOut, Manifest
from benchmark.core.comparing.breakdowns import Disagreement, TwoRaters
from benchmark.core.comparing.figures import KINDS, Figure, FigureKind, Undefined
from benchmark.core.comparing.tables import Table

MOST_ROWS = 200
STRATUM_FIGURES = ("raw_agreement", "cohen_kappa", "gwet_ac1_judge", "precision", "recall", "fleiss_kappa")
STRATUM_HEADER = ("Raw agreement", "Cohen's κ", "AC1 (automatic)", "Precision", "Recall", "Fleiss' κ")
COUNT_TITLES = {
    "items": "Items",
    "annotators": "Annotators",
    "judgments": "Human labels",
    "planned": "Planned labels an item",
}
TWO_RATERS_HEADER = ("Compared", "Raw agreement", "Cohen's κ", "AC1")
ANSWER = {True: "positive", False: "negative", None: "none"}


def report_tables(report: AgreementReport, manifest: Manifest) -> list[Table]:
    """All tables of a report: table 8 over all labels first, then each label's, then where the figures come from."""
    tables = [_table_8(report)]
    for name, label in report.labels.items():
        tables += [_confusion(name, label), *_people(name, label), *_lists(name, label)]
    return [*tables, _manifest(report, manifest)]


class _Notes:
    """Numbers the reasons of undefined cells, each reason once a table."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def cell(self, figure: Figure | Undefined) -> str:
        """The value with its interval; a fraction, a dash or a value without interval point to their reason."""
        if isinstance(figure, Undefined):
            return f"{figure.fraction or '–'} {self.mark(figure.why)}"
        if figure.low is None or figure.high is None:
            return f"{figure.value:.2f} {self.mark(figure.no_interval)}"
        return f"{figure.value:.2f} ({figure.low:.2f} to {figure.high:.2f})"

    def mark(self, why: str) -> str:
        """The number under which the reason stands below the table."""
        return f"[{self._numbers.setdefault(why, len(self._numbers) + 1)}]"

    def lines(self) -> list[str]:
        """The reasons, in the order of their numbers."""
        return [f"[{at}] {why}" for why, at in self._numbers.items()]


def number(value: float, kind: FigureKind) -> str:
    """A value as tables show it: counts whole, small p-values in powers of ten, else three decimals."""
    if kind.scale == "count":
        return f"{value:.0f}"
    if kind.scale == "p" and value < 0.001:
        return f"{value:.1e}"
    return f"{value:.3f}"


def interval(figure: Figure, kind: FigureKind) -> str:
    """The 95 % interval as `low to high`; empty where there is none."""
    if figure.low is None or figure.high is None:
        return ""
    digits = 1 if kind.scale == "count" else 3
    return f"{figure.low:.{digits}f} to {figure.high:.{digits}f}"


def _table_8(report: AgreementReport) -> Table:
    notes = _Notes()
    header = ["Figure"]
    for name in report.labels:
        header += [name, "95 % interval", "n"]
    rows = [_counts_row(title, report, count) for count, title in COUNT_TITLES.items()]
    for figure_name, kind in KINDS.items():
        row = [kind.title]
        for label in report.labels.values():
            row += _value_interval_n(label.figures[figure_name], kind, notes)
        rows.append(row)
    readings = [f"{name}: {line}" for name, label in report.labels.items() for line in label.reading]
    title = "Automatic labels against human labels"
    return Table("agreement", title, header, rows, [*notes.lines(), *_dropped(report), *readings])


_COUNTS = {
    "Items": "items",
    "Annotators": "annotators",
    "Human labels": "judgments",
    "Planned labels an item": "planned",
}


def _counts_row(title: str, report: AgreementReport, count: str) -> list[str]:
    row = [title]
    for label in report.labels.values():
        row += [str(label.counts[count]), "", ""]
    return row


def _value_interval_n(figure: Figure | Undefined, kind: FigureKind, notes: _Notes) -> list[str]:
    if isinstance(figure, Undefined):
        return [f"not defined {notes.mark(figure.why)}", "", ""]
    between = interval(figure, kind) or f"none {notes.mark(figure.no_interval)}"
    return [number(figure.value, kind), between, str(figure.n)]


def _dropped(report: AgreementReport) -> list[str]:
    return [
        f"{name}: {figure.undefined_draws} of {report.draws} bootstrap draws left {KINDS[key].title} undefined and were"
        " dropped."
        for name, label in report.labels.items()
        for key, figure in label.figures.items()
        if isinstance(figure, Figure) and figure.undefined_draws
    ]


def _confusion(name: str, label: LabelAgreement) -> Table:
    tp, fp, fn, tn = label.confusion
    return Table(
        f"agreement-{name}-confusion",
        f"{name}: human majority (rows) against automatic label (columns)",
        ["", "automatic positive", "automatic negative"],
        [["majority positive", str(tp), str(fn)], ["majority negative", str(fp), str(tn)]],
    )


def _people(name: str, label: LabelAgreement) -> list[Table]:
    return [table for table in (_strata(name, label), _annotators(name, label), _pairs(name, label)) if table.rows]


def _strata(name: str, label: LabelAgreement) -> Table:
    notes, rows = _Notes(), []
    for stratum in label.strata:
        cells = [notes.cell(stratum.figures[key]) for key in STRATUM_FIGURES if key in stratum.figures]
        blank = [""] * (len(STRATUM_FIGURES) - len(cells))
        rows.append([f"{stratum.key} = {stratum.value}", str(stratum.items), *cells, *blank])
    title = f"{name}: by stratum, 95 % intervals in brackets"
    return _capped(Table(f"agreement-{name}-strata", title, ["Stratum", "Items", *STRATUM_HEADER], rows, notes.lines()))


def _annotators(name: str, label: LabelAgreement) -> Table:
    notes = _Notes()
    rows = [
        [
            entry.annotator,
            *map(str, (entry.labels, entry.positive, entry.tied, entry.alone)),
            *_two_raters(entry.against_others, notes),
        ]
        for entry in label.by_annotator
    ]
    return Table(
        f"agreement-{name}-annotators",
        f"{name}: each annotator against the majority of the others",
        ["Annotator", "Labels", "Positive", "Others tied", "Others too few", *TWO_RATERS_HEADER],
        rows,
        notes.lines(),
    )


def _two_raters(pair: TwoRaters, notes: _Notes) -> list[str]:
    return [str(pair.confusion.n), *(notes.cell(figure) for figure in pair.figures.values())]


def _pairs(name: str, label: LabelAgreement) -> Table:
    notes = _Notes()
    rows = [[f"{pair.first}, {pair.second}", *_two_raters(pair.agreement, notes)] for pair in label.pairs]
    missing = label.pairs_without_shared_item
    alone = [f"{missing} pairs of annotators share no item."] if missing else []
    title = f"{name}: pairs of annotators (not averaged: each pair has its own n)"
    return _capped(
        Table(f"agreement-{name}-pairs", title, ["Pair", *TWO_RATERS_HEADER], rows, [*notes.lines(), *alone])
    )


def _lists(name: str, label: LabelAgreement) -> list[Table]:
    tables = [
        _shift(name, label),
        _left_out(f"agreement-{name}-no-majority", f"{name}: items without a human majority", label.without_reference),
        _left_out(
            f"agreement-{name}-no-automatic", f"{name}: items without an automatic label", label.without_automatic
        ),
        _disagreements(name, label.disagreements),
    ]
    return [_capped(table) for table in tables if table.rows]


def _shift(name: str, label: LabelAgreement) -> Table:
    rows = [
        [ANSWER[row.blind], ANSWER[row.automatic], str(row.agree), str(row.disagree), str(row.unsure)]
        for row in label.shift
        if row.agree or row.disagree or row.unsure
    ]
    header = ["Own blind label", "Automatic label", "agree", "disagree", "unsure"]
    return Table(f"agreement-{name}-shift", f"{name}: review answers by blind and automatic label", header, rows)


def _left_out(key: str, title: str, left_out: Iterable[LeftOut]) -> Table:
    return Table(key, title, ["Item", "Why"], [[entry.item, entry.why] for entry in left_out])


def _disagreements(name: str, entries: Sequence[Disagreement]) -> Table:
    rows = [
        [
            entry.item,
            ANSWER[entry.reference],
            ANSWER[entry.automatic],
            " ".join(entry.positive),
            " ".join(entry.negative),
            " ".join(f"{annotator}:{answer}" for annotator, answer in entry.reviews),
        ]
        for entry in entries
    ]
    title = f"{name}: items to read, first those on which majority and automatic label differ"
    header = ["Item", "Majority", "Automatic", "Say positive", "Say negative", "Reviews"]
    return Table(f"agreement-{name}-disagreements", title, header, rows)


def _capped(table: Table) -> Table:
    if len(table.rows) <= MOST_ROWS:
        return table
    note = f"Showing {MOST_ROWS} of {len(table.rows)} rows; the CSV and JSON formats hold all."
    return Table(table.key, table.title, table.header, table.rows[:MOST_ROWS], [*table.notes, note])


def _manifest(report: AgreementReport, manifest: Manifest) -> Table:
    rows = [[name, value] for name, value in manifest_values(report, manifest).items()]
    notes = [
        "Intervals are 95 %: Wilson's for shares of items, else a percentile bootstrap over items.",
        *manifest.notes,
    ]
    return Table("agreement-manifest", "Where these figures come from", ["What", "Value"], rows, notes)


def manifest_values(report: AgreementReport, manifest: Manifest) -> Mapping[str, str]:
    """What is needed to get the same digits again, as text."""
    return {
        "source": manifest.source,
        "data_sha256": manifest.data_sha256,
        "code_version": manifest.code_version,
        "seed": str(report.seed),
        "draws": str(report.draws),
        **{f"left_out_{name}": _left_out_count(label) for name, label in report.labels.items()},
    }


def _left_out_count(label: LabelAgreement) -> str:
    majority, automatic = len(label.without_reference), len(label.without_automatic)
    return f"{majority} items without a human majority, {automatic} without an automatic label"
