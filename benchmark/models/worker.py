"""When each background worker was last alive."""

from datetime import timedelta

from django.db import models
from django.utils import timezone

SILENT_AFTER = timedelta(seconds=60)


class WorkerBeatQuerySet(models.QuerySet["WorkerBeat"]):
    """Heartbeats by age."""

    def alive(self) -> "WorkerBeatQuerySet":
        """Workers heard of within the last 60 seconds."""
        return self.filter(seen__gt=timezone.now() - SILENT_AFTER)


class WorkerBeat(models.Model):
    """One row a worker process; the row is touched, never added to."""

    name = models.CharField(max_length=200, unique=True)
    seen = models.DateTimeField()

    objects = WorkerBeatQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name
