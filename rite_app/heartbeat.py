"""Says every few seconds that this worker process is alive, whatever broker and pool it uses."""

import logging
import threading
from datetime import timedelta
from typing import Any

from celery import signals
from django.db import DatabaseError, connection
from django.utils import timezone

EVERY_SECONDS = 15.0
FORGOTTEN_AFTER = timedelta(days=1)

log = logging.getLogger(__name__)


class Heartbeat(threading.Thread):
    """Touches one row until it is told to end, and then takes the row away: a stopped worker is told at once."""

    def __init__(self, worker: str) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.worker = worker
        self.ending = threading.Event()

    def run(self) -> None:
        """Beat, wait, and so on."""
        self._try(beat)
        while not self.ending.wait(EVERY_SECONDS):
            self._try(beat)
        self._try(forget)

    def _try(self, write: Any) -> None:
        try:
            write(self.worker)
        except DatabaseError as problem:  # the database may come back; the health page tells a silent worker
            log.warning("no heartbeat: %s", type(problem).__name__)
        finally:
            connection.close()


_beating: list[Heartbeat] = []


@signals.worker_ready.connect
def start(sender: Any, **kwargs: object) -> None:
    """Begin when the worker takes jobs; `sender` is its consumer, which knows the worker's name."""
    _beating.append(Heartbeat(sender.hostname))
    _beating[-1].start()


@signals.worker_shutdown.connect
def stop(**kwargs: object) -> None:
    """End with the worker."""
    while _beating:
        heartbeat = _beating.pop()
        heartbeat.ending.set()
        heartbeat.join(timeout=5)


def beat(worker: str) -> None:
    """Touch the worker's row; forget workers that have been silent for a day."""
    from benchmark.models import WorkerBeat

    now = timezone.now()
    WorkerBeat.objects.update_or_create(name=worker, defaults={"seen": now})
    WorkerBeat.objects.filter(seen__lt=now - FORGOTTEN_AFTER).delete()


def forget(worker: str) -> None:
    """Take the worker's row away."""
    from benchmark.models import WorkerBeat

    WorkerBeat.objects.filter(name=worker).delete()
