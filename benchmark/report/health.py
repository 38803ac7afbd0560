"""Whether this deployment can do its work: findings for the health page and for probes."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from celery import current_app
from django.core import checks
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from kombu.exceptions import OperationalError

from benchmark.models import WorkerBeat
from benchmark.models.worker import SILENT_AFTER

LOCKS_CHECK = "annotation.E001"
SEARCH_CHECK = "benchmark.E001"
ANSWER_SECONDS = 3


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `trouble` says what is wrong and what to do; empty when all is well.

    `stops_pages`: pages cannot be served rightly while this is wrong.
    """

    key: str
    name: str
    state: str
    trouble: str = ""
    stops_pages: bool = True

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.trouble


@dataclass(frozen=True)
class Worker:
    """One worker process and when it was last heard of; `ago` in words."""

    name: str
    seen: datetime
    alive: bool
    ago: str


def findings() -> list[Finding]:
    """Database, migrations, label locks, search, queue and worker; the database alone if it does not answer."""
    try:
        database = _database()
    except DatabaseError as problem:
        why = f"The database does not answer: {type(problem).__name__}. Check DATABASE_URL and that the server runs."
        return [Finding("database", "Database", "no answer", why)]
    messages = {
        message.id: message for message in checks.run_checks(tags=[checks.Tags.database], databases=["default"])
    }
    return [
        database,
        _migrations(),
        _checked("locks", "Label locks", messages.get(LOCKS_CHECK)),
        _checked("search", "Full-text search", messages.get(SEARCH_CHECK)),
        _queue(),
        _worker(),
    ]


def workers() -> list[Worker]:
    """Every worker that still has a heartbeat row, the latest first."""
    now = timezone.now()
    return [
        Worker(beat.name, beat.seen, now - beat.seen < SILENT_AFTER, _ago(now - beat.seen))
        for beat in WorkerBeat.objects.order_by("-seen")
    ]


def _ago(silence: timedelta) -> str:
    seconds = max(0, round(silence.total_seconds()))
    return f"{seconds} s ago" if seconds < 120 else f"{seconds // 60} min ago"


def _database() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return Finding("database", "Database", connection.display_name)


def _migrations() -> Finding:
    executor = MigrationExecutor(connection)
    waiting = [str(migration) for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]
    if not waiting:
        return Finding("migrations", "Migrations", "all applied")
    why = f"Not applied: {', '.join(waiting)}. Stop, back up, run python manage.py migrate, start."
    return Finding("migrations", "Migrations", f"{len(waiting)} waiting", why)


def _checked(key: str, name: str, message: checks.CheckMessage | None) -> Finding:
    if message is None:
        return Finding(key, name, "in place")
    return Finding(key, name, "missing", f"{message.msg} {message.hint or ''}".strip())


def _queue() -> Finding:
    broker = current_app.connection_for_write()
    try:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=ANSWER_SECONDS)
    except OperationalError as problem:
        why = f"The queue does not answer ({problem}): nothing new is handed to workers. Check CELERY_BROKER_URL."
        return Finding("queue", "Queue", "no answer", why, stops_pages=False)
    finally:
        broker.release()
    return Finding("queue", "Queue", broker.transport_cls, stops_pages=False)


def _worker() -> Finding:
    alive = WorkerBeat.objects.alive().count()
    if alive:
        return Finding("worker", "Worker", f"{alive} alive", stops_pages=False)
    why = "No worker seen for 60 s: imports and other jobs wait. Start one: celery -A rite_app worker"
    return Finding("worker", "Worker", "none", why, stops_pages=False)
