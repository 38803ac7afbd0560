"""A study's life: design, texts, pause, close, reopen, archive. Its start is in `starting`, its people in `seats`."""

from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from annotation.actions.seats import locked, make_seats, note
from annotation.core.study_design import Problem, StudyDesign
from annotation.core.study_file import DesignRefused
from annotation.models import ConsentText, Draft, Guidelines, Study
from annotation.models.eligible import sources
from benchmark.models import Account, ImportBatch

Status = Study.Status
TextKind = type[Guidelines] | type[ConsentText]


class StudyRefused(Exception):
    """The study is in no state for this; the message says in which it would have to be."""


@transaction.atomic
def create_study(*, design: StudyDesign, owner: Account, guidelines: str, consent: str, origin: str = "") -> Study:
    """A draft study with its seats and first texts. Raises DesignRefused where the design names what does not exist."""
    study = Study(owner=owner, origin=origin)
    _take_over(study, design)
    study.save()
    make_seats(study, design.annotators)
    note(study, "created", owner)
    write_text(study=study, kind=Guidelines, text=guidelines, who=owner)
    write_text(study=study, kind=ConsentText, text=consent, who=owner)
    return study


@transaction.atomic
def change_design(*, study: Study, design: StudyDesign, who: Account) -> Study:
    """Give a draft another design. Raises StudyRefused once it has started, SeatRefused for taken seats too many."""
    study = locked(study)
    if study.status != Status.DRAFT:
        raise StudyRefused("The study has started; its design does not change any more.")
    _take_over(study, design)
    study.save()
    make_seats(study, design.annotators)
    note(study, "redesigned", who)
    return study


@transaction.atomic
def write_text(*, study: Study, kind: TextKind, text: str, who: Account, lang: str = "en", dir: str = "auto") -> None:
    """Add a version of the guidelines or the consent text; the same words again add none.

    Annotators see the newest guidelines, a label keeps the version it was given under. A new consent text is asked anew.
    """
    study = locked(study)
    versions = kind.objects.filter(study=study)
    newest = versions.order_by("-version").first()
    text = text.replace("\r\n", "\n").strip() + "\n"
    if not text.strip() or (newest and (newest.text, newest.lang, newest.dir) == (text, lang, dir)):
        return
    version = newest.version + 1 if newest else 1
    kind.objects.create(study=study, version=version, text=text, lang=lang, dir=dir, who=who)
    if version > 1:
        note(study, kind._meta.model_name or "", who, version=version)


@transaction.atomic
def pause(*, study: Study, who: Account, reason: str = "") -> None:
    """Refuse submits for a while; drafts are kept."""
    _move(study, "paused", who, reason, {Status.RUNNING}, Status.PAUSED)


@transaction.atomic
def resume(*, study: Study, who: Account, reason: str = "") -> None:
    """Let a paused study go on."""
    _move(study, "resumed", who, reason, {Status.PAUSED}, Status.RUNNING)


@transaction.atomic
def close(*, study: Study, who: Account, reason: str = "") -> None:
    """Accept nothing any more; reviews up to now count."""
    _move(study, "closed", who, reason, {Status.RUNNING, Status.PAUSED}, Status.CLOSED)


@transaction.atomic
def reopen(*, study: Study, who: Account, reason: str = "") -> None:
    """Let a closed study run again; reviews count up to its next close."""
    _move(study, "reopened", who, reason, {Status.CLOSED}, Status.RUNNING)


@transaction.atomic
def archive(*, study: Study, who: Account) -> None:
    """Hide a draft or closed study from lists; what annotators left unsent in it is dropped."""
    study = locked(study)
    if study.status not in (Status.DRAFT, Status.CLOSED):
        raise StudyRefused(f"This study is {study.status}. Close it before you archive it.")
    if not study.archived:
        Draft.objects.filter(assignment__item__study=study).delete()
        Study.objects.filter(pk=study.pk).update(archived=True)
        note(study, "archived", who)


@transaction.atomic
def unarchive(*, study: Study, who: Account) -> None:
    """Put an archived study back into lists."""
    if locked(study).archived:
        Study.objects.filter(pk=study.pk).update(archived=False)
        note(study, "unarchived", who)


def _move(study: Study, verb: str, who: Account, reason: str, allowed: set[Status], to: Status) -> None:
    study = locked(study)
    if study.status == to:
        return
    if study.status not in allowed:
        stands = "a draft" if study.status == Status.DRAFT else study.status
        raise StudyRefused(f"This study is {stands}; it would have to be {' or '.join(sorted(allowed))}.")
    if study.archived:
        raise StudyRefused("This study is archived. Take it out of the archive first.")
    study.status = to
    if to == Status.CLOSED:
        study.closed_at = timezone.now()
    study.save(update_fields=["status", "closed_at"])
    note(study, verb, who, reason)


def _take_over(study: Study, design: StudyDesign) -> None:
    if problems := (*design.problems(), *_unknown(design)):
        raise DesignRefused(problems)
    study.name, study.design = design.name, replace(design, guidelines=None).as_data()
    study.asks_result, study.asks_noticed = "result" in design.labels, "noticed" in design.labels
    study.judge = design.judge if study.asks_result else ""
    study.noticed_rule = sources(design.imports).noticed_rule if study.asks_noticed else ""
    study.seats_planned, study.labels_per_item = design.annotators, design.labels_per_item
    study.seed, study.review = design.seed, design.review


def _unknown(design: StudyDesign) -> list[Problem]:
    """Sources and judges that do not exist here."""
    problems = []
    if design.runs:
        problems.append(Problem(("rollouts", "runs"), "There are no runs here yet; name imports."))
    done = ImportBatch.objects.filter(pk__in=design.imports, status=ImportBatch.Status.DONE)
    missing = sorted(set(design.imports) - set(done.values_list("pk", flat=True)))
    if missing:
        names = ", ".join(map(str, missing))
        problems.append(
            Problem(("rollouts", "imports"), f"There is no finished import {names}. The import page lists them.")
        )
    return problems
