"""Rollouts as `rite.rollout/1` lines: streamed, a few rollouts in memory at a time."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from django.db.models import QuerySet

from benchmark.core.formats import rite
from benchmark.models import Rollout, Step, Unit
from benchmark.models.records import record_of

CHUNK = 50


def rollout_lines(rollouts: QuerySet[Rollout]) -> Iterator[str]:
    """One line a rollout, in the order of their ids. Importing the lines elsewhere and exporting again gives the same."""
    rows = rollouts.select_related("model", "unit").order_by("pk")
    last = 0
    while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
        last = chunk[-1].pk
        steps = Step.objects.filter(rollout__in=[rollout.pk for rollout in chunk]).order_by("rollout_id", "index")
        by_rollout = {key: list(group) for key, group in groupby(steps, attrgetter("rollout_id"))}
        for rollout in chunk:
            yield rite.write_line(record_of(rollout, by_rollout.get(rollout.pk, [])))


def unit_lines() -> Iterator[str]:
    """One `rite.unit/1` line a unit, in the order of their ids, as it was read."""
    for record in Unit.objects.order_by("pk").values_list("record", flat=True).iterator(chunk_size=CHUNK):
        yield record + "\n"
