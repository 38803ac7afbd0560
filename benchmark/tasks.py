"""What workers do: ids in, a few lines each. The database is the queue of record; a second delivery does no harm."""

from axes.models import AccessAttempt
from celery import shared_task
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from benchmark import importing
from benchmark.models import ImportBatch, KeptAnswer


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


@shared_task
def forget_sign_in_attempts() -> None:
    """Drop failed sign-ins, and with them addresses, as soon as they no longer count towards a lock-out."""
    AccessAttempt.objects.filter(attempt_time__lte=timezone.now() - settings.AXES_COOLOFF_TIME).delete()


@shared_task
def forget_old_sessions() -> None:
    """Drop sessions that have run out, and answers of the API that nobody asks for again."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    KeptAnswer.objects.outdated().delete()
