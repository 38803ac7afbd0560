"""Traces as rows: what a workflow's runs left behind, the calls to replay, and what became of each log record."""

from django.db import models

from benchmark.models.fields import ForeignJson
from benchmark.models.workflow import WorkflowVersion


class Trace(models.Model):
    """One recorded execution that was kept. The same record is one row, and the row never changes."""

    name = models.CharField(max_length=128, db_index=True, help_text="The trace's own id, such as wf06-c03.")
    digest = models.CharField(max_length=64, unique=True, help_text="sha256 of the canonical record without its times.")
    version = models.ForeignKey(WorkflowVersion, on_delete=models.PROTECT, related_name="traces")
    clock = models.BigIntegerField(help_text="The case's time in epoch seconds.")
    step_count = models.IntegerField()
    call_count = models.IntegerField()
    licence = models.CharField(max_length=200)
    source = models.TextField(blank=True)
    record = ForeignJson(help_text="The `rite.trace/1` record.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(call_count__lte=models.F("step_count")), name="trace_calls_are_steps"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Snapshot(models.Model):
    """The recorded calls of one trace in order: the environment of every unit cut from it."""

    trace = models.OneToOneField(Trace, on_delete=models.PROTECT, related_name="snapshot")
    digest = models.CharField(max_length=64, help_text="sha256 of the calls' canonical text.")
    calls = ForeignJson(help_text="A list of {tool, arguments, observation}.")

    def __str__(self) -> str:
        return f"snapshot of {self.trace_id}"


class LogRecord(models.Model):
    """One record of a production log, and why it became a trace or did not."""

    workflow = models.CharField(max_length=64, db_index=True)
    name = models.CharField(max_length=64, help_text="The record's own id.")
    digest = models.CharField(max_length=64, unique=True, help_text="sha256 of workflow, record and outcome.")
    record = ForeignJson(help_text="The record as the platform wrote it.")
    is_kept = models.BooleanField()
    reason = models.TextField(blank=True, help_text="Why it was refused; empty: it was kept.")
    trace = models.ForeignKey(Trace, null=True, blank=True, on_delete=models.PROTECT, related_name="logs")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(is_kept=True, reason="", trace__isnull=False)
                | (models.Q(is_kept=False, trace__isnull=True) & ~models.Q(reason="")),
                name="log_record_kept_or_refused_with_a_reason",
            )
        ]

    def __str__(self) -> str:
        return self.name
