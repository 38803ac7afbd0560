"""Carries out an import: records of a file become rollouts with their labels, a piece at a time.

Other people's submits must not wait for a long file, so a piece is one short transaction. Until the last piece is in, the
rollouts of a batch have the status `running` and are in no list; a failure or a cancel takes them away again.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from benchmark.core.formats import preparing, reading
from benchmark.core.formats.columns import STEP_COLUMNS, Columns
from benchmark.core.formats.preparing import PIECE_RECORDS, Prepared, Wish
from benchmark.core.formats.reading import Refused
from benchmark.core.formats.sniff import recognise
from benchmark.models import AgentModel, ImportBatch, Judgment, Rollout, Step, Unit

REPORTED = 200
SAMPLES = 20
TRIES = 3
PIECE = 1024 * 1024
WRITTEN = (
    "bytes_done",
    "findings",
    "finished",
    "format",
    "heartbeat",
    "known",
    "read",
    "report",
    "sha256",
    "skipped",
    "status",
    "why",
)

Progress = Callable[[ImportBatch], None]


class ImportStopped(Exception):
    """A person cancelled while the file was being read."""


@dataclass(slots=True)
class Tally:
    """What became of the records so far. The lists stop at 200 entries each, the counts do not."""

    read: int = 0
    known: int = 0
    skipped: int = 0
    without_model: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    samples: list[dict[str, str]] = field(default_factory=list)
    skipped_list: list[dict[str, str]] = field(default_factory=list)
    warnings: int = 0
    warning_list: list[dict[str, str]] = field(default_factory=list)

    def note(self, record: Prepared) -> None:
        """Count a record's skip and warnings, with the place where they stand."""
        self.without_model += not record.has_model
        if record.skipped:
            self.skipped += 1
            _append(self.skipped_list, record.locator, record.skipped)
        for warning in record.warnings:
            self.warnings += 1
            _append(self.warning_list, record.locator, warning)

    def find(self, record: Prepared) -> None:
        """Count keys and personal data in a record, and keep the first samples: they give no value away."""
        for finding in record.findings:
            self.findings[finding.kind] += finding.count
            if len(self.samples) < SAMPLES:
                where = f"{record.locator}, {', '.join(finding.where)}"
                self.samples.append({"kind": finding.kind, "sample": finding.sample, "where": where})

    def write_to(self, batch: ImportBatch) -> None:
        """Put the counts on the batch; the caller saves it."""
        batch.read, batch.known, batch.skipped = self.read, self.known, self.skipped
        batch.findings = dict(self.findings)
        batch.report = {
            "skipped": self.skipped_list,
            "warnings": self.warning_list,
            "warning_count": self.warnings,
            "without_model": self.without_model,
            "findings": self.samples,
        }


def recognised(batch: ImportBatch, stream: BinaryIO, format: str = reading.AUTO) -> bool:
    """Tell a file's format by its content and write it on the batch, unsaved; False: refused, and the batch says why."""
    seen = recognise(stream)
    batch.format, batch.told_by = seen.format, seen.told_by
    if seen.readable or (seen.layout and format != reading.AUTO):
        batch.format = batch.format if format == reading.AUTO else format
        return True
    batch.status, batch.why, batch.finished = ImportBatch.Status.REFUSED, seen.why, timezone.now()
    return False


def scan(batch: ImportBatch, stream: BinaryIO, on_progress: Progress) -> None:
    """Read a whole file and save nothing but counts: what an import would bring, and findings of keys and personal data.

    The batch ends up waiting for the person's go-ahead, or refused with the reason.
    """
    tally = Tally()
    try:
        batch.sha256 = _digest(stream)
        with closing(preparing.looked_at(stream, batch.file_name, batch.format, size=batch.size)) as pieces:
            for piece in pieces:
                _look(batch, stream, tally, on_progress)
                readable = _readable(piece, tally)
                for record in readable:
                    tally.find(record)
                known = _known(record.sha256 for record in readable)
                tally.known += len(known)
                tally.read += len(readable) - len(known)
    except ImportStopped:
        batch.status = ImportBatch.Status.CANCELLED
    except Refused as refusal:
        _refuse(batch, refusal)
    except Exception as error:
        batch.status, batch.why = ImportBatch.Status.FAILED, f"The scan broke off: {error}"
        _save(batch, tally)
        raise
    else:
        batch.status = ImportBatch.Status.WAITING
    _save(batch, tally)


def carry_out(batch: ImportBatch, stream: BinaryIO, on_progress: Progress) -> None:
    """Import a file's records into a batch: all of them, or none where it is refused, cancelled or breaks."""
    tally = Tally()
    withdraw(batch)
    batch.status = ImportBatch.Status.RUNNING
    try:
        batch.sha256 = batch.sha256 or _digest(stream)
        wish = Wish(masked=batch.masked, model_name=batch.model_name)
        with closing(preparing.prepared(stream, batch.file_name, batch.format, size=batch.size, wish=wish)) as pieces:
            for piece in pieces:
                _look(batch, stream, tally, on_progress)
                _import_piece(batch, _readable(piece, tally), tally)
    except ImportStopped:
        batch.status = ImportBatch.Status.CANCELLED
    except Refused as refusal:
        _refuse(batch, refusal)
    except Exception as error:
        batch.status, batch.why = ImportBatch.Status.FAILED, f"The import broke off and left nothing behind: {error}"
        withdraw(batch)
        _save(batch, tally)
        raise
    if batch.status != ImportBatch.Status.RUNNING:
        withdraw(batch)
        tally.read = 0
        _save(batch, tally)
        return
    with transaction.atomic():
        batch.rollouts.filter(status=Rollout.Status.RUNNING).update(status=Rollout.Status.FINISHED)
        batch.status = ImportBatch.Status.DONE
        _save(batch, tally)


def scan_upload(batch_id: int) -> None:
    """Scan an uploaded file, once; a second delivery finds nothing to do."""
    if ImportBatch.objects.claim(batch_id, ImportBatch.Status.SCANNING):
        batch = ImportBatch.objects.get(pk=batch_id)
        try:
            with batch.opened() as stream:
                scan(batch, stream, _silently)
        finally:
            _drop_upload(batch)


def import_upload(batch_id: int) -> None:
    """Import an uploaded file, once, from its beginning even where another worker died half-way through it."""
    if ImportBatch.objects.claim(batch_id, ImportBatch.Status.RUNNING):
        batch = ImportBatch.objects.get(pk=batch_id)
        try:
            with batch.opened() as stream:
                carry_out(batch, stream, _silently)
        finally:
            _drop_upload(batch)


def withdraw(batch: ImportBatch) -> None:
    """Take away what an unfinished import has written so far."""
    arriving = batch.rollouts.filter(status=Rollout.Status.RUNNING).order_by("pk")
    while keys := list(arriving.values_list("pk", flat=True)[:PIECE_RECORDS]):
        with transaction.atomic():
            Rollout.objects.filter(pk__in=keys).delete()


def _silently(batch: ImportBatch) -> None:
    pass


def _drop_upload(batch: ImportBatch) -> None:
    """A file is kept only while it waits: what it said stands in the rows, and it may hold what was masked there."""
    if batch.status != ImportBatch.Status.WAITING:
        batch.upload.delete(save=False)
        batch.save(update_fields=["upload"])


def _append(notes: list[dict[str, str]], locator: str, words: str) -> None:
    if len(notes) < REPORTED:
        notes.append({"where": locator, "why": words})


def _digest(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while piece := stream.read(PIECE):
        digest.update(piece)
    stream.seek(0)
    return digest.hexdigest()


def _look(batch: ImportBatch, stream: BinaryIO, tally: Tally, on_progress: Progress) -> None:
    """Between pieces: has somebody cancelled? If not, say how far it is."""
    if ImportBatch.objects.filter(pk=batch.pk, cancel_asked=True).exists():
        raise ImportStopped
    batch.bytes_done, batch.heartbeat = stream.tell(), timezone.now()
    tally.write_to(batch)
    batch.save(update_fields=WRITTEN)
    on_progress(batch)


def _readable(piece: list[Prepared], tally: Tally) -> list[Prepared]:
    for record in piece:
        tally.note(record)
    return [record for record in piece if record.skipped is None]


def _refuse(batch: ImportBatch, refusal: Refused) -> None:
    batch.status, batch.why = ImportBatch.Status.REFUSED, refusal.why
    batch.format = refusal.format or ""


def _save(batch: ImportBatch, tally: Tally) -> None:
    tally.write_to(batch)
    batch.finished = None if batch.status == ImportBatch.Status.WAITING else timezone.now()
    batch.bytes_done = batch.size
    batch.save(update_fields=WRITTEN)


def _known(digests: Iterable[str]) -> set[str]:
    wanted = Rollout.objects.filter(origin=Rollout.Origin.IMPORT, record_sha256__in=list(digests))
    return set(wanted.values_list("record_sha256", flat=True))


def _import_piece(batch: ImportBatch, records: list[Prepared], tally: Tally) -> None:
    for attempt in range(TRIES):
        known = _known(record.sha256 for record in records)
        fresh: dict[str, Prepared] = {}
        for record in records:
            if record.sha256 not in known:
                fresh.setdefault(record.sha256, record)
        try:
            _write(batch, [record.columns for record in fresh.values() if record.columns])
            break
        except IntegrityError:
            if attempt == TRIES - 1:
                raise
    tally.read += len(fresh)
    tally.known += len(records) - len(fresh)
    for record in fresh.values():
        tally.find(record)


@transaction.atomic
def _write(batch: ImportBatch, records: list[Columns]) -> None:
    units = _saved_units([record.unit for record in records if record.unit])
    rollouts = [
        Rollout(
            **record.rollout,
            origin=Rollout.Origin.IMPORT,
            status=Rollout.Status.RUNNING,
            batch=batch,
            unit=units[record.unit["digest"]] if record.unit else None,
            model=_model(*record.model) if record.model else None,
        )
        for record in records
    ]
    Rollout.objects.bulk_create(rollouts)
    tied = list(zip(rollouts, records, strict=True))
    Judgment.objects.bulk_create(
        Judgment(rollout=rollout, **judgment) for rollout, record in tied for judgment in record.judgments
    )
    _insert_steps((rollout.pk, *step) for rollout, record in tied for step in record.steps)


def _insert_steps(steps: Iterable[tuple[Any, ...]]) -> None:
    quote = connection.ops.quote_name
    columns = ", ".join(quote(column) for column in ("rollout_id", *STEP_COLUMNS))
    into = f"{quote(Step._meta.db_table)} ({columns})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # its inserts take a round of quoting and parsing each
            with cursor.copy(f"COPY {into} FROM STDIN") as copy:
                for step in steps:
                    copy.write_row(step)
        else:
            values = ", ".join(["%s"] * (len(STEP_COLUMNS) + 1))
            cursor.executemany(f"INSERT INTO {into} VALUES ({values})", list(steps))


def _saved_units(columns: list[dict[str, Any]]) -> dict[str, Unit]:
    units = {unit["digest"]: Unit(**unit) for unit in columns}
    Unit.objects.bulk_create(units.values(), ignore_conflicts=True)
    return {unit.digest: unit for unit in Unit.objects.filter(digest__in=units.keys()).defer("record")}


def _model(name: str, kind: str) -> AgentModel:
    return AgentModel.objects.get_or_create(name=name, defaults={"kind": kind})[0]
