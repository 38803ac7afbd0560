"""Whether a database fits this version of the program."""

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Applied = list[tuple[str, str]]


class NewerSchema(Exception):
    """A database was made by a newer version than this one; the message says what to do."""


def applied_migrations(using: str = DEFAULT_DB_ALIAS) -> Applied:
    """(app, name) of every migration that a database has seen, sorted."""
    return sorted(MigrationRecorder(connections[using]).applied_migrations())


def known_migrations() -> Applied:
    """(app, name) of every migration that this version has, sorted."""
    return sorted(MigrationLoader(None).disk_migrations)


def refuse_newer_schema(applied: Applied) -> None:
    """Raise NewerSchema if any migration is unknown here, as then this version cannot know what the tables hold."""
    known = set(known_migrations())
    ours = {app for app, _ in known}
    unknown = [f"{app}.{name}" for app, name in applied if app in ours and (app, name) not in known]
    if unknown:
        raise NewerSchema(
            f"The database was made by a newer version of RITE (unknown here: {', '.join(unknown)}). "
            "Use that version, or a database that this one made."
        )
