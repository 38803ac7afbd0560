"""Agreement of a study: its labels as the rows that the coefficients are computed from, and what was left out of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import F, Q

from annotation.models import Assignment, Review, Study
from annotation.models.seat import seat_name
from benchmark.core.comparing.agreement_report import AgreementReport, Manifest, agreement_report, judgments_sha256
from benchmark.core.comparing.ratings import Judgment
from benchmark.core.comparing.statistics import REPORT_SEED
from benchmark.report.code_version import code_version

STRATA = {
    "condition": "item__condition",
    "model": "item__model",
    "workflow": "item__rollout__unit__workflow",
    "error_type": "item__rollout__unit__leaf",
    "position": "item__rollout__unit__position",
    "locus": "item__rollout__unit__locus",
}
COLUMNS = (
    "pk",
    "item",
    "item__public_id",
    "item__auto_result",
    "item__auto_noticed",
    "seat__number",
    "released_at",
    "blind_label",
    "blind_label__result",
    "blind_label__noticed",
    "blind_label__void",
)


def study_judgments(study: Study, label: str) -> list[Judgment]:
    """Every place of a started study as a row under one question: item and seat, label, frozen label, last review.

    A place without a label, or whose label is void, has `human` None, so that no item is dropped unseen. Reviews count in
    their last version before the study's last close, drafts never. Items by public id, seats by name. Two queries.
    """
    return study_rows(study, [label])[label]


def study_rows(study: Study, labels: Sequence[str]) -> dict[str, list[Judgment]]:
    """`study_judgments` for several questions at once, still two queries."""
    places, reviews = _places(study), _reviews(study)
    told = _told_strata(places)
    rows: dict[str, list[Judgment]] = {label: [] for label in labels}
    for place in places:
        strata = {name: place[column] or "" for name, column in told.items()}
        stands = place["blind_label"] is not None and place["blind_label__void"] is None
        reviewed = reviews.get(place["pk"], {}) if stands else {}
        seat = seat_name(place["seat__number"])
        for label in labels:
            rows[label].append(
                Judgment(
                    item=place["item__public_id"],
                    annotator=seat,
                    human=place[f"blind_label__{label}"] if stands else None,
                    automatic=place[f"item__auto_{label}"],
                    review=reviewed.get(label) or None,
                    strata=strata,
                )
            )
    return rows


def study_agreement(
    study: Study, planned: int | None = None, seed: int = REPORT_SEED
) -> tuple[AgreementReport, Manifest]:
    """The whole report of a study and where its figures come from; `planned` labels an item are the study's own."""
    rows = study_rows(study, study.questions)
    report = agreement_report(rows, planned or study.labels_per_item, seed)
    source = f"study {study.pk}: {study.name}"
    return report, Manifest(source, judgments_sha256(rows), code_version(), _notes(study))


def _notes(study: Study) -> list[str]:
    void = Assignment.objects.filter(item__study=study, blind_label__void__isnull=False).count()
    notes = [f"{void} void label{'s are' if void > 1 else ' is'} in no figure."] if void else []
    if study.closed_at:
        notes.append(f"Reviews count in their last version before {study.closed_at:%Y-%m-%d %H:%M} UTC.")
    return notes + ([study.origin] if study.origin else [])


def _places(study: Study) -> list[dict[str, Any]]:
    """Places that are still their seat's, and of items that nobody holds one that was."""
    rows = (
        Assignment.objects.filter(item__study=study)
        .order_by(F("released_at").asc(nulls_first=True), "pk")
        .values(*COLUMNS, *STRATA.values())
    )
    held: set[int] = set()
    places = []
    for row in rows.iterator(chunk_size=2000):
        if row["released_at"] is None or row["item"] not in held:
            held.add(row["item"])
            places.append(row)
    return places


def _told_strata(places: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The strata of which at least one item tells its value; the others would only say `none`."""
    return {name: column for name, column in STRATA.items() if any(place[column] for place in places)}


def _reviews(study: Study) -> dict[int, dict[str, Any]]:
    """The review of each assignment that figures use, by question."""
    counted = Q(assignment__item__study=study)
    if study.closed_at:
        counted &= Q(submitted__lte=study.closed_at)
    versions = Review.objects.filter(counted).order_by("assignment", "version")
    return {
        assignment: {"result": result, "noticed": noticed}
        for assignment, result, noticed in versions.values_list("assignment", "result", "noticed").iterator()
    }
