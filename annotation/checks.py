"""System checks that keep the study's promises in sight."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections

from annotation import locks

SET_AGAIN = (
    "python manage.py shell -c "
    "'from annotation.locks import create_locks; from django.db import connection; create_locks(connection)'"
)


@register(Tags.database)
def label_locks_stand(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Fail when a database that holds blind labels lacks a lock. Runs with `check --database default` and `migrate`."""
    found: list[CheckMessage] = []
    for alias in databases or []:
        connection = connections[alias]
        if locks.TABLE not in connection.introspection.table_names():
            continue
        if missing := locks.missing_locks(connection):
            found.append(
                Error(
                    f"Blind labels are not locked: {', '.join(missing)} missing.",
                    hint=f"Somebody lifted them; compare the labels with a backup, then set them again: {SET_AGAIN}",
                    id="annotation.E001",
                )
            )
    return found
