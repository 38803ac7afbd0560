"""What workers do: ids in, a few lines each. The database is the queue of record; a second delivery does no harm."""

from celery import shared_task

from benchmark import importing
from benchmark.models import ImportBatch


@shared_task
def scan_import(batch_id: int) -> None:
    """Scan an uploaded file."""
    importing.scan_upload(batch_id)


@shared_task
def run_import(batch_id: int) -> None:
    """Import a scanned file."""
    importing.import_upload(batch_id)


@shared_task
def sweep_imports() -> None:
    """Hand out again what a dead worker, or a broker that lost its queue, left lying. Beat sends this every 30 s."""
    for pk, status in ImportBatch.objects.abandoned().exclude(upload="").values_list("pk", "status"):
        (scan_import if status == ImportBatch.Status.SCANNING else run_import).delay(pk)
