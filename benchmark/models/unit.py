"""Units as rows: columns for what is filtered, the whole record beside them; their slots, instances and gates."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce
from django.utils import timezone

from benchmark.core.taxonomy import Condition, Leaf, Locus, Position
from benchmark.models.fields import ForeignJson, ForeignText
from benchmark.models.release import Release, ReleaseNote
from benchmark.models.trace import Trace

GOOD = "good"


def _choices(words: type[StrEnum]) -> list[tuple[str, str]]:
    return [(word.value, word.value) for word in words]


class Slot(models.Model):
    """One value of a trace that a unit changes: who produced it, where it stands, who consumes it."""

    trace = models.ForeignKey(Trace, on_delete=models.PROTECT, related_name="slots")
    name = models.CharField(max_length=64, help_text="The slot's name in its workflow, such as wf06.s2.")
    producers = models.JSONField(help_text="Names of the tools whose recorded call gives the value.")
    pointers = models.JSONField(help_text="RFC 6901; the first addresses the slot, all together are its bundle.")
    consumer = models.CharField(max_length=128, blank=True)
    downstream = models.JSONField(default=list)
    locus = models.CharField(max_length=16, choices=_choices(Locus))
    position = models.CharField(max_length=8, choices=_choices(Position))
    f = models.FloatField(help_text="Place in the workflow's order of nodes, 0 to 1.")
    gold = ForeignJson()
    digest = models.CharField(max_length=64, unique=True, help_text="sha256 of trace, name, locus, pointers and gold.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(f__gte=0) & models.Q(f__lte=1), name="slot_stands_in_its_workflow"
            )
        ]

    def __str__(self) -> str:
        return self.name


class UnitQuerySet(models.QuerySet["Unit"]):
    """Units in the benchmark's words."""

    def released(self) -> "UnitQuerySet":
        """Those of a release."""
        return self.filter(status=Unit.Status.RELEASED)

    def with_standing(self) -> "UnitQuerySet":
        """Each with `standing`: disputed or retired by its newest note, else good."""
        newest = UnitNote.objects.filter(unit=models.OuterRef("pk")).order_by("-pk").values("standing")[:1]
        said = Coalesce(models.Subquery(newest), models.Value(ReleaseNote.Standing.CLEARED.value))
        good = models.When(said=ReleaseNote.Standing.CLEARED, then=models.Value(GOOD))
        return self.annotate(said=said).annotate(standing=models.Case(good, default=models.F("said")))


class Unit(models.Model):
    """One slot–locus pair with its query, constraint and reference evidence. The same record is one row."""

    class Status(models.TextChoices):
        IMPORTED = "imported"
        DRAFT = "draft"
        IN_VETTING = "in_vetting", "in vetting"
        SENT_BACK = "sent_back", "sent back"
        APPROVED = "approved"
        REJECTED = "rejected"
        RELEASED = "released"

    class Split(models.TextChoices):
        MAIN = "main"
        EXTENSION = "extension"

    class Vetting(models.TextChoices):
        GATES = "gates"
        PEOPLE = "people"

    name = models.CharField(max_length=200, db_index=True, help_text="The record's own id.")
    digest = models.CharField(max_length=64, unique=True, help_text="sha256 of the canonical `rite.unit/1` record.")
    record = ForeignJson(help_text="The `rite.unit/1` record as JSON source text.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.IMPORTED)
    workflow = models.CharField(max_length=64, blank=True)
    trace = models.CharField(max_length=128, blank=True)
    leaf = models.CharField(max_length=48, blank=True, choices=_choices(Leaf))
    locus = models.CharField(max_length=16, blank=True, choices=_choices(Locus))
    position = models.CharField(max_length=8, blank=True, choices=_choices(Position))
    release = models.ForeignKey(Release, null=True, blank=True, on_delete=models.PROTECT, related_name="units")
    slot = models.ForeignKey(Slot, null=True, blank=True, on_delete=models.PROTECT, related_name="units")
    split = models.CharField(max_length=16, blank=True, choices=Split.choices)
    cue = models.CharField(max_length=8, blank=True)
    output_changing = models.BooleanField(null=True)
    gold_in_inputs = models.BooleanField(null=True)
    vetting = models.CharField(max_length=8, blank=True, choices=Vetting.choices, help_text="Who let it pass.")
    counterfactual = ForeignJson(
        null=True, blank=True, help_text="The answers that follow from gold and from polluted."
    )

    objects = UnitQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "name"], condition=models.Q(release__isnull=False), name="unit_once_in_a_release"
            ),
            models.CheckConstraint(
                condition=~models.Q(status="released")
                | (models.Q(release__isnull=False, slot__isnull=False) & ~models.Q(split="") & ~models.Q(vetting="")),
                name="released_unit_is_whole",
            ),
        ]
        indexes = [models.Index(fields=["workflow", "leaf"])]

    def __str__(self) -> str:
        return self.name


class Instance(models.Model):
    """One unit under one condition: the prefix an agent inherits."""

    unit = models.ForeignKey(Unit, on_delete=models.PROTECT, related_name="instances")
    condition = models.CharField(max_length=8, choices=_choices(Condition))
    prefix = ForeignJson(help_text="The steps, each with thought, tool, arguments and observation.")
    digest = models.CharField(max_length=64, help_text="sha256 of the prefix as an agent reads it.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["unit", "condition"], name="one_instance_per_condition"),
            models.CheckConstraint(
                condition=models.Q(condition__in=[condition.value for condition in Condition]),
                name="instance_condition_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.condition} prefix of unit {self.unit_id}"


class GateResult(models.Model):
    """One gate's verdict on a unit, with what it found and where. Verdicts are kept for ever."""

    unit = models.ForeignKey(Unit, on_delete=models.PROTECT, related_name="gate_results")
    gate = models.CharField(max_length=48)
    passed = models.BooleanField()
    what = ForeignText(blank=True)
    where = ForeignText(blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.gate}: {'passed' if self.passed else 'failed'}"


class UnitNote(models.Model):
    """A released unit flagged disputed or retired, or cleared again. The newest stands; older ones stay."""

    Standing = ReleaseNote.Standing

    unit = models.ForeignKey(Unit, on_delete=models.PROTECT, related_name="notes")
    standing = models.CharField(max_length=8, choices=Standing.choices)
    reason = models.TextField()
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [models.CheckConstraint(condition=~models.Q(reason=""), name="unit_note_has_a_reason")]

    def __str__(self) -> str:
        return f"{self.standing}: unit {self.unit_id}"
