"""The study behind the paper's table 8, made again from its printed figures: real rollouts, items and locks, drawn labels.

The rollouts come in by an ordinary import; sample, plan, freeze and close are those of every study. Only labels and
reviews are written in bulk instead of one by one: inserts, which the label locks allow, and nothing is ever changed.
"""

from collections import defaultdict

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation.actions.starting import start
from annotation.actions.studies import close, create_study
from annotation.core import table8
from annotation.core.margins import Margins
from annotation.core.study_design import StudyDesign
from annotation.models import Assignment, BlindLabel, Review, Study
from benchmark.models import Account, ImportBatch

FIXTURES = settings.ROOT / "fixtures"
PRINTED = FIXTURES / "sources" / "published" / "table8.json"
ROLLOUTS = FIXTURES / "rebuilt" / "table8_rollouts.jsonl"
NAME = "Table 8, rebuilt"
ORIGIN = (
    "Rebuilt from published margins; the individual judgments were never published. The totals of Result are the paper's. "
    "Which rollout, model, condition or annotator a label belongs to is drawn by a seed: breakdowns mean nothing."
)
GUIDELINES = "# Not published\n\nThe guidelines of the published study are not known. Nobody labels here.\n"
CONSENT = "# Nobody was asked\n\nThis study was rebuilt from published totals; its seats belong to nobody.\n"


class RolloutsMissing(Exception):
    """The rollouts that the study is about are not here; the message says how to bring them."""


def printed_figures() -> table8.Printed:
    """The figures as printed, from the file that ships."""
    return table8.read_printed(PRINTED.read_text(encoding="utf-8"))


@transaction.atomic
def rebuild_table8(*, owner: Account) -> Study:
    """Make the rebuilt study and close it; the one that stands is given back instead of a second.

    Raises RolloutsMissing where the rollouts it is about (`table8.records`) have not been imported.
    """
    if study := Study.objects.filter(origin=ORIGIN).first():
        return study
    printed = printed_figures()
    items = table8.rebuilt_items(printed)
    study = create_study(
        design=_design(printed, _import_with(items)),
        owner=owner,
        guidelines=GUIDELINES,
        consent=CONSENT,
        origin=ORIGIN,
    )
    start(study=study, who=owner)
    _label(study, items, table8.counts_behind(printed).agreeing)
    close(study=study, who=owner, reason="Rebuilt from published totals; there is nothing left to label.")
    study.refresh_from_db()
    return study


def _import_with(items: list[table8.RebuiltItem]) -> ImportBatch:
    ids = [item.record_id for item in items]
    done = ImportBatch.objects.filter(status=ImportBatch.Status.DONE)
    batch = done.filter(rollouts__record_id=ids[0], rollouts__judgments__judge=table8.JUDGE).first()
    if batch is None or batch.rollouts.filter(record_id__in=ids).count() < len(ids):
        file = ROLLOUTS.relative_to(settings.ROOT)
        raise RolloutsMissing(f"Import its rollouts first: python manage.py import_traces {file}")
    return batch


def _design(printed: table8.Printed, batch: ImportBatch) -> StudyDesign:
    each = printed.items // printed.models
    return StudyDesign(
        name=NAME,
        imports=(batch.pk,),
        labels=("result",),
        judge=table8.JUDGE,
        margins=Margins(condition=printed.conditions, model=dict.fromkeys(printed.model_names, each)),
        annotators=printed.annotators,
        labels_per_item=printed.labels_per_item,
    )


def _label(study: Study, items: list[table8.RebuiltItem], agreeing: int) -> None:
    places = {
        (place.item.rollout.record_id, place.seat.number): place
        for place in Assignment.objects.filter(item__study=study).select_related("item__rollout", "seat")
    }
    seats = defaultdict(list)
    for record_id, seat in places:
        seats[record_id].append(seat)
    guidelines = study.guidelines_versions.get()
    now = timezone.now()
    labels, reviews = [], []
    for label in table8.rebuilt_labels(items, seats, agreeing):
        place = places[label.record_id, label.seat]
        labels.append(
            BlindLabel(assignment=place, result=label.result, guidelines=guidelines, first_shown=now, submitted=now)
        )
        answer = Review.Answer.AGREE if label.agrees else Review.Answer.DISAGREE
        reviews.append(Review(assignment=place, version=1, result=answer, submitted=now))
    BlindLabel.objects.bulk_create(labels)
    Assignment.objects.filter(item__study=study).update(first_shown=now, review_opened_at=now)
    Review.objects.bulk_create(reviews)
