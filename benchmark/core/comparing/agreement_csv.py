"""Read labels for an agreement report from any CSV with the columns item, annotator, human_<label>, …"""

import csv
import hashlib
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from benchmark.core.comparing.ratings import Judgment, Review
from benchmark.core.text import shown

LARGEST_MB = 16
POSITIVE, NEGATIVE = ("1", "true", "yes", "solved"), ("0", "false", "no", "unsolved")
REVIEWS: Mapping[str, Review | None] = {"agree": "agree", "disagree": "disagree", "unsure": "unsure", "": None}
LABELS: Mapping[str, bool | None] = {**dict.fromkeys(POSITIVE, True), **dict.fromkeys(NEGATIVE, False), "": None}
Value = TypeVar("Value")
NEEDED = "Needed are item, annotator and human_<label>; auto_<label> and review_<label> may stand beside it."


class BadAgreementFile(ValueError):
    """The file cannot be read as labels; the message names file, line and column and says what to do."""


@dataclass(frozen=True, slots=True)
class AgreementFile:
    """Rows by label name, the digest of the file's bytes, and sentences on columns that are not used."""

    judgments: Mapping[str, list[Judgment]]
    sha256: str
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    values: Mapping[str, str]


def read_agreement_csv(path: Path) -> AgreementFile:
    """Read a file of one line for each item and annotator.

    `human_`, `auto_` and `review_` are followed by any label name. Labels are 1/0, true/false, yes/no or
    solved/unsolved in any case, reviews agree, disagree or unsure; blank is missing. Every other column is a stratum of
    the item. UTF-8, with or without a byte order mark, at most 16 MB. Raises BadAgreementFile, or OSError when the file
    cannot be opened.
    """
    if path.stat().st_size > LARGEST_MB * 2**20:
        raise BadAgreementFile(f"{shown(path.name)} is larger than {LARGEST_MB} MB. Keep labels and strata only.")
    data = path.read_bytes()
    try:
        return _read(data)
    except BadAgreementFile as error:
        raise BadAgreementFile(f"{shown(path.name)}, {shown(str(error))}") from None


def _read(data: bytes) -> AgreementFile:
    table = _table(_text(data))
    header = _header(next(table, (1, [])))
    rows = [_row(header, line, values) for line, values in table]
    if not rows:
        raise BadAgreementFile("line 2: there are no rows under the header. Write one for each item and annotator.")
    _refuse_repeats(rows)
    labels = [name.removeprefix("human_") for name in header if name.startswith("human_")]
    others = [name for name in header if name not in ("", "item", "annotator") and not _is_label_column(name)]
    strata, notes = _strata(rows, others)
    if "" in header:
        notes.append("A column without a name is not used.")
    return AgreementFile(
        judgments={label: _judgments(rows, label, strata) for label in labels},
        sha256=hashlib.sha256(data).hexdigest(),
        notes=notes,
    )


def _text(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadAgreementFile("line 1: this is UTF-16 text. Save the file as UTF-8.")
    if (nul := data.find(b"\0")) >= 0:
        raise BadAgreementFile(f"line {_line_of(data, nul)}: a NUL byte stands here. Save the table as plain CSV text.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = _line_of(data, error.start)
        raise BadAgreementFile(f"line {line}: this is not UTF-8 text. Save the file as UTF-8.") from None


def _line_of(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def _table(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not blank with the line it starts on, values stripped."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for values in reader:
            if any(value.strip() for value in values):
                yield line, [value.strip() for value in values]
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadAgreementFile(f"line {line}: this row cannot be read as CSV ({error}). Look at its quotes.") from None


def _header(first: tuple[int, list[str]]) -> list[str]:
    line, header = first
    if not header:
        raise BadAgreementFile(f"line 1: the file is empty. {NEEDED}")
    for name in header:
        if name and header.count(name) > 1:
            raise BadAgreementFile(f"line {line}: two columns are called {name}. Rename one.")
    labels = [name for name in header if name.startswith("human_")]
    missing = [name for name in ("item", "annotator") if name not in header] + ([] if labels else ["human_<label>"])
    if missing:
        raise BadAgreementFile(f"line {line}: no column {' or '.join(missing)}. {NEEDED}{_separator_hint(header)}")
    for name in header:
        if _is_label_column(name) and (name == "human_" or f"human_{name.partition('_')[2]}" not in labels):
            raise BadAgreementFile(
                f"line {line}: {name} has no human_<label> column of its label. Add it, or rename it."
            )
    return header


def _separator_hint(header: list[str]) -> str:
    for separator, called in ((";", "semicolons"), ("\t", "tabs")):
        if any(separator in name for name in header):
            return f" The values seem to be separated by {called}: save with commas."
    return f" Found are {', '.join(name[:40] for name in header[:20])}."


def _is_label_column(name: str) -> bool:
    return name.startswith(("human_", "auto_", "review_"))


def _row(header: list[str], line: int, values: list[str]) -> _Row:
    if len(values) != len(header):
        raise BadAgreementFile(f"line {line}: {len(values)} values stand under {len(header)} column names.")
    row = dict(zip(header, values, strict=True))
    for name in ("item", "annotator"):
        if not row[name]:
            raise BadAgreementFile(f"line {line}, column {name}: the value is missing.")
    return _Row(line, row)


def _refuse_repeats(rows: Sequence[_Row]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for row in rows:
        item, annotator = row.values["item"], row.values["annotator"]
        first = seen.setdefault((item, annotator), row.line)
        if first != row.line:
            raise BadAgreementFile(
                f"lines {first} and {row.line}, column annotator: {annotator} labels the item {item} twice. Keep one line."
            )


def _strata(rows: Sequence[_Row], columns: Sequence[str]) -> tuple[dict[str, dict[str, str]], list[str]]:
    """The strata of each item, and a note on each column that varies within an item and so is none."""
    strata: defaultdict[str, dict[str, str]] = defaultdict(dict)
    varying: dict[str, str] = {}
    for row in rows:
        of_item = strata[row.values["item"]]
        for column in columns:
            value = row.values[column]
            known = of_item.get(column)
            if known and value and known != value:
                item = row.values["item"]
                varying.setdefault(column, f"Column {column} is no stratum: it varies within the item {item}.")
            of_item[column] = known or value
    for of_item in strata.values():
        for column in varying:
            del of_item[column]
    return strata, [shown(note) for note in varying.values()]


def _judgments(rows: Sequence[_Row], label: str, strata: Mapping[str, Mapping[str, str]]) -> list[Judgment]:
    judgments = [
        Judgment(
            item=row.values["item"],
            annotator=row.values["annotator"],
            human=_known(row, f"human_{label}", LABELS, "1/0, true/false, yes/no, solved/unsolved"),
            automatic=_known(row, f"auto_{label}", LABELS, "1/0, true/false, yes/no, solved/unsolved"),
            review=_known(row, f"review_{label}", REVIEWS, "agree, disagree, unsure"),
            strata=strata[row.values["item"]],
        )
        for row in rows
    ]
    _refuse_two_automatic_labels(rows, judgments, f"auto_{label}")
    return judgments


def _known(row: _Row, column: str, meanings: Mapping[str, Value], accepted: str) -> Value:
    written = row.values.get(column, "")
    try:
        return meanings[written.lower()]
    except KeyError:
        raise BadAgreementFile(
            f"line {row.line}, column {column}: {written[:40]!r} is none of {accepted}. Leave it blank where it is missing."
        ) from None


def _refuse_two_automatic_labels(rows: Sequence[_Row], judgments: Sequence[Judgment], column: str) -> None:
    first: dict[str, tuple[bool, int]] = {}
    for row, judgment in zip(rows, judgments, strict=True):
        if judgment.automatic is None:
            continue
        automatic, line = first.setdefault(judgment.item, (judgment.automatic, row.line))
        if automatic != judgment.automatic:
            raise BadAgreementFile(
                f"lines {line} and {row.line}, column {column}: the item {judgment.item} has two automatic labels."
                " Give it one."
            )
