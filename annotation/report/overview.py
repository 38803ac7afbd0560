"""What a researcher or author wants to see first: what waits for them, studies in progress, recent imports."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.models import Study
from benchmark.core import text
from benchmark.models import ImportBatch, Rollout, WorkerBeat

RECENT = 5
STUDIES = 10
NEEDS_WORKER = (ImportBatch.Status.SCANNING, ImportBatch.Status.RUNNING)


@dataclass(frozen=True, slots=True)
class Waiting:
    """One thing to do next: a sentence, what the button says, and the named page it leads to."""

    sentence: str
    action: str
    page: str
    pk: int | None = None


def studies_in_progress() -> QuerySet[Study]:
    """Studies that are not closed, newest first, with `places` and `labels`."""
    return Study.objects.filter(archived=False).exclude(status=Study.Status.CLOSED).with_counts()[:STUDIES]


def recent_imports() -> QuerySet[ImportBatch]:
    """The newest imports."""
    return ImportBatch.objects.defer("report", "findings")[:RECENT]


def waiting(studies: list[Study], imports: list[ImportBatch]) -> Iterator[Waiting]:
    """What a researcher does next, the most pressing first. `studies` and `imports` are those the page shows."""
    if any(batch.status in NEEDS_WORKER for batch in imports) and not WorkerBeat.objects.alive().exists():
        yield Waiting("An import is at work, but no worker was seen for 60 s.", "Look at health", "benchmark:health")
    for batch in imports:
        if batch.status == ImportBatch.Status.WAITING:
            sentence = f"{text.shown(batch.file_name)} is scanned and waits for you."
            yield Waiting(sentence, "Look at it", "benchmark:import-detail", batch.pk)
    if not imports:
        yield Waiting("Nothing was imported yet.", "Import trajectories", "benchmark:imports")
    for study in studies:
        yield from _of_study(study)
    if not studies and Rollout.objects.exists():
        yield Waiting("No study is in progress.", "Design a study", "annotation:study-new")


def _of_study(study: Study) -> Iterator[Waiting]:
    places, labels = study.places, study.labels  # type: ignore[attr-defined]
    if study.status == Study.Status.DRAFT:
        yield Waiting(
            f"{text.shown(study.name)} is still a draft.", "Finish its design", "annotation:study-design", study.pk
        )
    elif places and labels == places:
        yield Waiting(
            f"{text.shown(study.name)} is labelled to the end.",
            "See its agreement",
            "annotation:study-agreement",
            study.pk,
        )
