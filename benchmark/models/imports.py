"""What was brought in: one batch a file."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ImportBatch(models.Model):
    """One imported file: where it came from, under which licence, and what became of each record."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        REFUSED = "refused"
        FAILED = "failed"
        CANCELLED = "cancelled"

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
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.WAITING)
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

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.file_name
