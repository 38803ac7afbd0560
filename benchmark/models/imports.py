"""What was brought in: one batch a file."""

from datetime import timedelta
from typing import BinaryIO, cast

from django.conf import settings
from django.db import models
from django.utils import timezone

STALE_AFTER = timedelta(seconds=60)


class ImportBatchQuerySet(models.QuerySet["ImportBatch"]):
    """Imports by whether somebody works on them."""

    def abandoned(self) -> "ImportBatchQuerySet":
        """Being scanned or imported, but not heard of for a minute: never begun, or their worker died."""
        silent = models.Q(heartbeat__isnull=True) | models.Q(heartbeat__lt=timezone.now() - STALE_AFTER)
        return self.filter(silent, status__in=[ImportBatch.Status.SCANNING, ImportBatch.Status.RUNNING])

    def claim(self, pk: int, status: str) -> bool:
        """Take one import in hand, once, however many workers were told of it."""
        return self.abandoned().filter(pk=pk, status=status).update(heartbeat=timezone.now()) == 1


class ImportBatch(models.Model):
    """One imported file: where it came from, under which licence, and what became of each record.

    A file brought through the page is scanned first and then waits for the person's go-ahead; the command line does both
    at once. The upload is removed as soon as the file is imported, refused or discarded.
    """

    class Status(models.TextChoices):
        SCANNING = "scanning"
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        REFUSED = "refused"
        FAILED = "failed"
        CANCELLED = "cancelled"

    UNFINISHED = (Status.SCANNING, Status.WAITING, Status.RUNNING)

    file_name = models.CharField(max_length=255)
    upload = models.FileField(upload_to="imports/", blank=True, max_length=255)
    sha256 = models.CharField(max_length=64, blank=True)
    size = models.BigIntegerField(default=0)
    format = models.CharField(max_length=32, blank=True)
    told_by = models.TextField(blank=True, help_text="The rule that recognised the format.")
    model_name = models.CharField(max_length=200, blank=True, help_text="The model, where the file does not say.")
    source = models.TextField(blank=True)
    licence = models.CharField(max_length=200, default="unknown")
    masked = models.BooleanField(default=False, help_text="Keys and personal data were masked before saving.")
    findings = models.JSONField(default=dict, blank=True, help_text="Scan for keys and personal data: kind → count.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.SCANNING)
    read = models.IntegerField(default=0)
    known = models.IntegerField(default=0)
    skipped = models.IntegerField(default=0)
    bytes_done = models.BigIntegerField(default=0)
    report = models.JSONField(default=dict, blank=True, help_text="Skipped records and warnings, each with its place.")
    why = models.TextField(blank=True, help_text="Why the file was refused, or what stopped the import.")
    cancel_asked = models.BooleanField(default=False)
    who = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(default=timezone.now)
    heartbeat = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    objects = ImportBatchQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.file_name

    def opened(self) -> BinaryIO:
        """The kept file, to be read from its beginning; a context that closes it. Raises FileNotFoundError once it is gone."""
        return cast("BinaryIO", self.upload.open("rb"))
