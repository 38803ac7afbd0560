"""System checks of the benchmark."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections


@register(Tags.database)
def sqlite_can_search(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Name a Python whose SQLite came without FTS5, which searching thoughts and answers needs."""
    return [
        Error(
            "This Python's SQLite has no full-text search (FTS5).",
            hint="Use another Python build (python.org's and Debian's have it), or PostgreSQL by DATABASE_URL.",
            id="benchmark.E001",
        )
        for alias in databases or []
        if connections[alias].vendor == "sqlite" and not _has_fts5(alias)
    ]


def _has_fts5(alias: str) -> bool:
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pragma_module_list WHERE name = 'fts5'")
        return bool(cursor.fetchone()[0])
