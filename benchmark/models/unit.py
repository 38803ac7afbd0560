"""Units as rows: columns for what is filtered, the whole record beside them."""

from django.db import models

from benchmark.core.taxonomy import Leaf, Locus, Position
from benchmark.models.fields import ForeignJson


class Unit(models.Model):
    """One slot–locus pair with its query, constraint and reference evidence. The same record is one row."""

    class Status(models.TextChoices):
        IMPORTED = "imported"

    name = models.CharField(max_length=200, db_index=True, help_text="The record's own id.")
    digest = models.CharField(max_length=64, unique=True, help_text="sha256 of the canonical `rite.unit/1` record.")
    record = ForeignJson(help_text="The `rite.unit/1` record as JSON source text.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.IMPORTED)
    workflow = models.CharField(max_length=64, blank=True)
    trace = models.CharField(max_length=128, blank=True)
    leaf = models.CharField(max_length=48, blank=True, choices=[(leaf.value, leaf.value) for leaf in Leaf])
    locus = models.CharField(max_length=16, blank=True, choices=[(locus.value, locus.value) for locus in Locus])
    position = models.CharField(max_length=8, blank=True, choices=[(place.value, place.value) for place in Position])

    def __str__(self) -> str:
        return self.name
