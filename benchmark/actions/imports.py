"""What a person asks of an import: bring a file, go ahead, cancel, discard; or all at once from the command line."""

import os
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from benchmark import importing
from benchmark.core.formats.reading import AUTO
from benchmark.models import Account, ImportBatch
from benchmark.tasks import run_import, scan_import


class NotNow(Exception):
    """The import is in no state for this; the message says which state it is in."""


@transaction.atomic
def receive(*, upload: UploadedFile, who: Account) -> ImportBatch:
    """Keep an uploaded file for the scan and queue it; a file that cannot be read is refused at once and not kept."""
    name = os.path.basename(upload.name or "file")[:255]
    batch = ImportBatch(file_name=name, size=upload.size or 0, who=who)
    if not importing.recognised(batch, cast("BinaryIO", upload.file)):
        batch.save()
        return batch
    upload.seek(0)
    batch.upload.save(name, upload, save=False)
    batch.save()
    transaction.on_commit(partial(scan_import.delay, batch.pk))
    return batch


@transaction.atomic
def go_ahead(*, batch: ImportBatch, source: str, licence: str, model_name: str, mask: bool) -> None:
    """Start the import of a scanned file. Raises NotNow when it was started, cancelled or refused before."""
    batch = _locked(batch, ImportBatch.Status.WAITING)
    batch.source, batch.licence, batch.model_name, batch.masked = source, licence or "unknown", model_name, mask
    batch.status, batch.finished, batch.heartbeat = ImportBatch.Status.RUNNING, None, None
    batch.bytes_done = batch.read = batch.known = batch.skipped = 0
    batch.save()
    transaction.on_commit(partial(run_import.delay, batch.pk))


@transaction.atomic
def cancel(*, batch: ImportBatch) -> None:
    """Stop a scan or an import, or discard a file that waits. Nothing of it stays."""
    batch = _locked(batch, *ImportBatch.UNFINISHED)
    if batch.status == ImportBatch.Status.WAITING:
        batch.status, batch.finished = ImportBatch.Status.CANCELLED, timezone.now()
        transaction.on_commit(partial(batch.upload.delete, save=True))
    batch.cancel_asked = True
    batch.save(update_fields=["status", "finished", "cancel_asked"])


def import_now(path: Path, *, on_progress: importing.Progress, format: str = AUTO, **said: Any) -> ImportBatch:
    """Import a file in this process. `said`: source, licence, model_name, masked, who. The batch tells what became of it.

    `format` is one of `core.formats.reading.FORMATS`. Raises OSError where the file cannot be opened.
    """
    batch = ImportBatch(file_name=path.name[:255], size=path.stat().st_size, status=ImportBatch.Status.RUNNING, **said)
    with path.open("rb") as stream:
        readable = importing.recognised(batch, stream, format)
        batch.save()
        if readable:
            importing.carry_out(batch, stream, on_progress)
    return batch


def _locked(batch: ImportBatch, *states: str) -> ImportBatch:
    batch = ImportBatch.objects.select_for_update().get(pk=batch.pk)
    if batch.status not in states:
        raise NotNow(f"This import is {batch.status} already.")
    return batch
