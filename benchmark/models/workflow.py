"""Workflows as rows: one a task, and every version of its file with what the screening said."""

from django.db import models

from benchmark.models.fields import ForeignJson, ForeignText


class Workflow(models.Model):
    """One workflow by its id; its versions hold everything else."""

    name = models.CharField(max_length=64, unique=True, help_text="The workflow's own id, such as wf06.")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class WorkflowVersion(models.Model):
    """One version of a workflow's file. Once a trace refers to it, the database refuses every change."""

    workflow = models.ForeignKey(Workflow, on_delete=models.PROTECT, related_name="versions")
    number = models.IntegerField()
    sha256 = models.CharField(max_length=64, help_text="Of the file's bytes.")
    document = ForeignText(help_text="The file as it was written.")
    title = models.CharField(max_length=200)
    family = models.CharField(max_length=200)
    stage = models.CharField(max_length=200)
    purpose = models.TextField(blank=True)
    nodes = models.IntegerField()
    interfaces = models.IntegerField(help_text="Nodes that face a tool or a model.")
    is_kept = models.BooleanField(help_text="The screening's verdict.")
    verdict = models.JSONField(help_text="Reasons, what is neutralised, notes and counts.")
    toolbox = ForeignJson(help_text="The tools with their schemas, as units carry them.")

    class Meta:
        ordering = ["workflow_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["workflow", "number", "sha256"], name="workflow_version_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="workflow_version_counts_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.title}, version {self.number}"
