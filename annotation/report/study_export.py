"""A study as files: its labels as `rite.labels/1` and CSV, its plan as an incidence matrix. Seats only, no drafts."""

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from annotation.core.balance import design_matrix
from annotation.models import BlindLabel, Review, Study
from annotation.models.seat import seat_name
from annotation.models.standing import standing
from annotation.report.agreement import study_rows
from annotation.report.progress import audit
from benchmark.core import text

FORMAT = "rite.labels/1"
LABEL_COLUMNS = (
    "assignment__item__public_id",
    "assignment__item__rollout__record_id",
    "assignment__seat__number",
    "result",
    "noticed",
    "evidence",
    "guidelines__version",
    "first_shown",
    "submitted",
    "active_seconds",
    "void",
    "void__reason",
    "void__at",
)
REVIEW_COLUMNS = (
    "assignment__item__public_id",
    "assignment__item__rollout__record_id",
    "assignment__seat__number",
    "version",
    "result",
    "noticed",
    "comment__text",
    "submitted",
)
AUDIT_COLUMNS = {
    "seat": "seat__number",
    "item": "item__public_id",
    "dealt": "dealt_at",
    "first_shown": "first_shown",
    "locked": "blind_label__submitted",
    "revealed": "review_opened_at",
    "taken_away": "released_at",
    "void": "blind_label__void__at",
}
ORDER = ("assignment__item__public_id", "assignment__seat__number")
CHUNK = 2000

Row = Mapping[str, Any]


class ExportDiffers(Exception):
    """What was written is not what the database holds; the file must not be used."""


class SelfCheck:
    """Watches an export go by: counts, repeats, labels that are copies of each other, digest.

    `copies` counts labels whose answers, evidence and times are those of another one: people never make such, faulty
    programs do.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.held = self._count()
        self.rows: Counter[str] = Counter()
        self.keys: Counter[tuple[Any, ...]] = Counter()
        self.contents: Counter[str] = Counter()
        self.digest = hashlib.sha256()

    def _count(self) -> dict[str, int]:
        labels = BlindLabel.objects.filter(assignment__item__study=self.study)
        reviews = Review.objects.filter(assignment__item__study=self.study)
        return {"blind": labels.count(), "review": reviews.count()}

    def see(self, record: dict[str, Any]) -> str:
        """Note one record and give it as a line."""
        stage = record["stage"]
        self.rows[stage] += 1
        self.keys[record["item"], record["annotator"], stage, record.get("version")] += 1
        if stage == "blind":
            self.rows["void"] += record["void"] is not None
            own = {key: value for key, value in record.items() if key not in ("item", "rollout", "annotator")}
            self.contents[text.write(own)] += 1
        line = text.write(record) + "\n"
        self.digest.update(line.encode())
        return line

    def end(self) -> str:
        """The last line: what the export holds. Raises ExportDiffers where that is not what the database holds.

        Labels and reviews are only ever added, so what is submitted meanwhile may or may not be in.
        """
        now = self._count()
        repeated = sum(times - 1 for times in self.keys.values())
        if repeated or any(not self.held[stage] <= self.rows[stage] <= now[stage] for stage in now):
            raise ExportDiffers(
                f"Written were {self.rows['blind']} labels and {self.rows['review']} reviews with {repeated} repeated; "
                f"the database holds {now['blind']} and {now['review']}. Do not use this file; export again."
            )
        copies = sum(times for times in self.contents.values() if times > 1)
        record = {"format": FORMAT, "study": self.study.name, "stage": "end"}
        counts = {
            "blind": self.rows["blind"],
            "review": self.rows["review"],
            "void": self.rows["void"],
            "copies": copies,
        }
        return text.write(record | counts | {"sha256": self.digest.hexdigest()}) + "\n"


def lines(study: Study) -> Iterator[str]:
    """All submitted labels, then all versions of reviews, as JSON Lines; the last line counts them and holds their digest.

    Raises ExportDiffers instead of that line when the count is wrong. Memory does not grow with the study's texts.
    """
    check = SelfCheck(study)
    labels = BlindLabel.objects.filter(assignment__item__study=study).order_by(*ORDER)
    for row in labels.values(*LABEL_COLUMNS).iterator(chunk_size=CHUNK):
        yield check.see(_label(study, row))
    reviews = Review.objects.filter(assignment__item__study=study).order_by(*ORDER, "version")
    for row in reviews.values(*REVIEW_COLUMNS).iterator(chunk_size=CHUNK):
        yield check.see(_review(study, row))
    yield check.end()


def _place(study: Study, row: Row, stage: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "study": study.name,
        "item": row["assignment__item__public_id"],
        "rollout": row["assignment__item__rollout__record_id"],
        "annotator": seat_name(row["assignment__seat__number"]),
        "stage": stage,
    }


def _label(study: Study, row: Row) -> dict[str, Any]:
    void = None
    if row["void"] is not None:
        void = {"reason": row["void__reason"], "at": _time(row["void__at"])}
    return {
        **_place(study, row, "blind"),
        **{question: row[question] for question in study.questions},
        "evidence": row["evidence"],
        "guidelines": row["guidelines__version"],
        "first_shown": _time(row["first_shown"]),
        "submitted": _time(row["submitted"]),
        "active_seconds": round(row["active_seconds"], 1),
        "void": void,
    }


def _review(study: Study, row: Row) -> dict[str, Any]:
    comment = {"comment": row["comment__text"]} if row["comment__text"] else {}
    return {
        **_place(study, row, "review"),
        "version": row["version"],
        **{question: row[question] for question in study.questions},
        **comment,
        "submitted": _time(row["submitted"]),
    }


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def csv_lines(study: Study) -> Iterator[str]:
    """One line for each place: the columns that `agreement FILE.csv` reads, and the item's strata.

    A void label and one still to come are blank.
    """
    rows = study_rows(study, study.questions)
    first = next(iter(rows.values()))
    strata = sorted({name for row in first for name in row.strata})
    said = [f"{stage}_{question}" for question in study.questions for stage in ("human", "auto", "review")]
    yield _csv_line(["item", "annotator", *said, *strata])
    for place in sorted(zip(*rows.values(), strict=True), key=lambda answers: (answers[0].item, answers[0].annotator)):
        cells = [cell for row in place for cell in (_bit(row.human), _bit(row.automatic), row.review or "")]
        yield _csv_line([place[0].item, place[0].annotator, *cells, *(place[0].strata[name] for name in strata)])


def matrix_lines(study: Study) -> Iterator[str]:
    """The incidence matrix of the plan as it stands: a line for each item, 1 where the seat's label counts or will."""
    held = standing(study)
    numbers = sorted(set(study.seats.values_list("number", flat=True)))
    yield _csv_line(["item", "model", "condition", *map(seat_name, numbers)])
    for item, row in design_matrix(held.counting, numbers):
        stratum = held.items[item].stratum
        yield _csv_line([item, stratum.model, stratum.condition, *row])


def audit_lines(study: Study) -> Iterator[str]:
    """What each person could have seen and when, a line a place, times in UTC; `early` and `known` must never be 1."""
    yield _csv_line(("place", *AUDIT_COLUMNS, "early", "known"))
    for row in audit(study).values("public_id", *AUDIT_COLUMNS.values(), "early", "known").iterator(chunk_size=CHUNK):
        seat = seat_name(row["seat__number"])
        times = [_time(row[column]) if row[column] else "" for column in list(AUDIT_COLUMNS.values())[2:]]
        yield _csv_line([row["public_id"], seat, row["item__public_id"], *times, int(row["early"]), int(row["known"])])


def _bit(answer: bool | None) -> str:
    return "" if answer is None else str(int(answer))


def _csv_line(cells: Iterable[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()
