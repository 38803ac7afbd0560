"""A real worker process: heard of while it lives, and takes jobs, on each queue."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.house.program import Program

ALIVE = "from benchmark.models import WorkerBeat; print(list(WorkerBeat.objects.values_list('name', flat=True)))\n"
SEND = """
from django.core.management import call_command; call_command('migrate', verbosity=0)
from datetime import timedelta
from django.contrib.sessions.models import Session
from django.utils import timezone
Session.objects.create(session_key='old', session_data='', expire_date=timezone.now() - timedelta(days=1))
from benchmark.tasks import forget_old_sessions; forget_old_sessions.delay()
"""
LEFT = "from django.contrib.sessions.models import Session; print('left', Session.objects.count())\n"


def until(look: Callable[[], bool], seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not (seen := look()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return seen


@pytest.mark.parametrize(
    "queue",
    [pytest.param("filesystem", marks=pytest.mark.sqlite), pytest.param("redis", marks=pytest.mark.services("redis"))],
)
def test_a_worker_takes_a_waiting_job_and_is_heard_of_until_it_ends(
    sqlite_program: Program, settings: Any, queue: str
) -> None:
    if queue == "redis":
        sqlite_program.environment["CELERY_BROKER_URL"] = settings.CELERY_BROKER_URL
    sqlite_program.python(SEND)
    worker = sqlite_program.start("-A", "rite_app", "worker", "--hostname", "w1@here", module="celery")
    try:
        assert until(lambda: "left 0" in sqlite_program.python(LEFT))
        assert until(lambda: "['w1@here']" in sqlite_program.python(ALIVE))
    finally:
        worker.terminate()
        said, _ = worker.communicate(timeout=30)
    assert worker.returncode == 0, said
    assert "[]" in sqlite_program.python(ALIVE)
