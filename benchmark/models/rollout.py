"""Rollouts, their steps, their judgments, and what researchers wrote about them."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.utils import timezone

from benchmark.core.taxonomy import Condition, End, ModelKind, ResultLabel, State
from benchmark.models.fields import ForeignJson, ForeignText
from benchmark.models.imports import ImportBatch
from benchmark.models.unit import Unit


def _choices(words: type[StrEnum]) -> list[tuple[str, str]]:
    return [(word.value, word.value) for word in words]


class AgentModel(models.Model):
    """Who makes trajectories: a language model, a scripted policy (never shown as a model), a recording."""

    name = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=16, choices=_choices(ModelKind), default=ModelKind.LLM.value)

    def __str__(self) -> str:
        return self.name


class RolloutQuerySet(models.QuerySet["Rollout"]):
    """Rollouts in the benchmark's words."""

    def retained(self) -> "RolloutQuerySet":
        """Drop rollouts spoiled by the environment and those without a valid record."""
        return self.filter(status=Rollout.Status.FINISHED, excluded="")

    def arrived(self) -> "RolloutQuerySet":
        """Leave out those of a file that is still being imported: it may yet be withdrawn."""
        return self.exclude(status=Rollout.Status.RUNNING, origin=Rollout.Origin.IMPORT)

    def without_bodies(self) -> "RolloutQuerySet":
        """For lists: leave the long columns in the database."""
        return self.defer(
            "task", "goal", "inputs", "reference", "final_answer", "final_result", "labels", "reading", "extra"
        )


class Rollout(models.Model):
    """An agent's steps and what came of them. `origin` says whether a run made it or a file brought it."""

    class Origin(models.TextChoices):
        RUN = "run"
        IMPORT = "import"

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        FINISHED = "finished"
        FAILED = "failed"
        CANCELLED = "cancelled"

    origin = models.CharField(max_length=8, choices=Origin.choices)
    batch = models.ForeignKey(ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="rollouts")
    record_sha256 = models.CharField(max_length=64, blank=True, help_text="Identity of the imported record.")
    locator = models.CharField(max_length=64, blank=True, help_text="Where in its file the record stands.")
    record_id = ForeignText(blank=True, help_text="The record's own id.")

    model = models.ForeignKey(AgentModel, null=True, blank=True, on_delete=models.PROTECT, related_name="rollouts")
    condition = models.CharField(max_length=8, blank=True, choices=_choices(Condition))
    intervention = models.CharField(max_length=64, blank=True)
    epoch = models.BigIntegerField(default=0)
    unit = models.ForeignKey(Unit, null=True, blank=True, on_delete=models.PROTECT, related_name="rollouts")
    matched_group = models.CharField(
        max_length=80, db_index=True, help_text="What its siblings share: the unit, or without one the task."
    )

    task = ForeignText(blank=True, help_text="The user's task in words.")
    goal = ForeignText(blank=True, help_text="The goal hidden from the agent, where a record says one.")
    inputs = ForeignJson(null=True, blank=True)
    reference = ForeignJson(null=True, blank=True, help_text="Reference evidence: list of {heading, value} or steps.")
    prefix_count = models.IntegerField(default=0, help_text="How many steps were inherited (P1…Pm).")
    step_count = models.IntegerField(default=0, help_text="How many steps the agent made (R1…Rn).")
    final_answer = ForeignText(null=True, blank=True)
    final_result = ForeignJson(null=True, blank=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.FINISHED)
    end = models.CharField(max_length=24, blank=True, choices=_choices(End))
    usage = ForeignJson(null=True, blank=True)

    noticed = models.BooleanField(null=True)
    producer_refetch = models.BooleanField(null=True)
    refetch_valid = models.BooleanField(null=True)
    state = models.CharField(max_length=16, blank=True, choices=_choices(State))
    excluded = models.CharField(max_length=200, blank=True, help_text="Why it leaves every rate; empty: it does not.")
    noticed_rule = models.CharField(max_length=32, blank=True, help_text="Version of the rule that set `noticed`.")
    labels = ForeignJson(blank=True, default="{}", help_text="All automatic labels as in `rite.rollout/1`.")
    reading = ForeignJson(
        blank=True, default="{}", help_text="Marks, diagnoses, chips by rule; computed with the labels."
    )
    warnings = models.JSONField(default=list, blank=True)
    extra = ForeignJson(blank=True, default="{}", help_text="Unknown keys of the record, kept for export.")
    created = models.DateTimeField(default=timezone.now)

    objects = RolloutQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(origin="run", batch__isnull=True)
                | (models.Q(origin="import", batch__isnull=False) & ~models.Q(record_sha256="")),
                name="rollout_from_run_or_import",
            ),
            models.UniqueConstraint(
                fields=["record_sha256"], condition=models.Q(origin="import"), name="imported_record_once"
            ),
        ]

    def __str__(self) -> str:
        return f"rollout {self.pk}"


class StepQuerySet(models.QuerySet["Step"]):
    """Steps, with or without what may be megabytes long."""

    def without_bodies(self) -> "StepQuerySet":
        """For pages: the head of each observation, the rest on demand."""
        return self.defer("observation", "arguments_raw", "usage", "extra")


class Step(models.Model):
    """One call or message. `index` counts from 0 over prefix and continuation together."""

    # The unique pair (rollout, index) is the index for it; a second one would only slow imports down.
    rollout = models.ForeignKey(Rollout, on_delete=models.CASCADE, related_name="steps", db_index=False)
    index = models.IntegerField()
    kind = models.CharField(max_length=8)
    actor = models.CharField(max_length=8)
    thought = ForeignText(null=True, blank=True)
    text = ForeignText(null=True, blank=True)
    tool = ForeignText(blank=True)
    arguments = ForeignJson(null=True, blank=True, help_text="NULL: a message, or arguments that could not be parsed.")
    arguments_raw = ForeignText(null=True, blank=True)
    observation = ForeignJson(null=True, blank=True, help_text="NULL: the call has none.")
    head = ForeignText(blank=True, help_text="The first 1,000 characters of the observation as the agent saw it.")
    characters = models.IntegerField(default=0, help_text="Length of the observation as the agent saw it.")
    is_new = models.BooleanField(default=False, help_text="Its canonical content is in no earlier step.")
    error_type = ForeignText(blank=True)
    error_message = ForeignText(blank=True)
    error_rule = models.CharField(max_length=16, blank=True, help_text="Which rule told; empty: no error.")
    group = models.BigIntegerField(null=True, blank=True)
    call_id = ForeignText(null=True, blank=True)
    source = models.CharField(max_length=16, blank=True)
    match = models.CharField(max_length=16, blank=True)
    aliased = models.BooleanField(default=False)
    started_at = models.CharField(max_length=64, blank=True)
    ms = models.FloatField(null=True, blank=True)
    usage = ForeignJson(null=True, blank=True)
    extra = ForeignJson(blank=True, default="{}")

    objects = StepQuerySet.as_manager()

    class Meta:
        ordering = ["rollout_id", "index"]
        constraints = [models.UniqueConstraint(fields=["rollout", "index"], name="one_step_per_index")]

    def __str__(self) -> str:
        return f"step {self.index} of rollout {self.rollout_id}"


class Judgment(models.Model):
    """One judge's label of one rollout. Judging again adds a row and overwrites nothing."""

    rollout = models.ForeignKey(Rollout, on_delete=models.CASCADE, related_name="judgments")
    judge = models.CharField(max_length=64, help_text="Name and version, e.g. rule/1.")
    label = models.CharField(max_length=16, choices=_choices(ResultLabel))
    rationale = ForeignText(blank=True)
    raw_reply = ForeignText(blank=True)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["judge", "rollout"])]

    def __str__(self) -> str:
        return f"{self.judge}: {self.label}"


class DiagnosisEdit(models.Model):
    """A researcher's wording for one step's diagnosis. The newest stands; older ones stay."""

    rollout = models.ForeignKey(Rollout, on_delete=models.PROTECT, related_name="diagnosis_edits")
    step_index = models.IntegerField()
    text = models.TextField(blank=True, help_text="Empty: back to the rule's own words.")
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"diagnosis of step {self.step_index} of rollout {self.rollout_id}"


class MechanismNote(models.Model):
    """A researcher's account of why a rollout failed. The newest stands; older ones stay."""

    rollout = models.ForeignKey(Rollout, on_delete=models.PROTECT, related_name="mechanism_notes")
    text = models.TextField(blank=True)
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"note on rollout {self.rollout_id}"
