"""The SQL that keeps a submitted blind label as it is, on both databases.

SQLite needs a third trigger: INSERT OR REPLACE removes the old row without firing the DELETE trigger. Whoever may alter
tables may lift a trigger; that is outside the promise.
"""

from django.db.backends.base.base import BaseDatabaseWrapper

TABLE = "annotation_blindlabel"
REFUSAL = "a submitted blind label never changes"

_SQLITE = {
    "blindlabel_no_update": f"BEFORE UPDATE ON {TABLE}",
    "blindlabel_no_delete": f"BEFORE DELETE ON {TABLE}",
    "blindlabel_no_replace": (
        f"BEFORE INSERT ON {TABLE} WHEN EXISTS "
        f"(SELECT 1 FROM {TABLE} WHERE id = NEW.id OR assignment_id = NEW.assignment_id)"
    ),
}
_POSTGRESQL = "blindlabel_locked"


def create_locks(connection: BaseDatabaseWrapper) -> None:
    """Set the triggers, replacing any that stand. Every migration that touches the table ends with this."""
    drop_locks(connection)
    with connection.cursor() as cursor:
        for statement in _create_statements(connection.vendor):
            cursor.execute(statement)


def drop_locks(connection: BaseDatabaseWrapper) -> None:
    """Lift the triggers: for migrations that remake the table, and for emptying a test database."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"DROP TRIGGER IF EXISTS {_POSTGRESQL} ON {TABLE}")
        else:
            for name in _SQLITE:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")


def missing_locks(connection: BaseDatabaseWrapper) -> list[str]:
    """Names of the triggers that should stand and do not (or are disabled); empty when the promise is kept."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            wanted = [_POSTGRESQL]
            cursor.execute(
                "SELECT tgname FROM pg_trigger WHERE tgrelid = to_regclass(%s) AND tgenabled IN ('O', 'A')", [TABLE]
            )
        else:
            wanted = list(_SQLITE)
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [TABLE])
        standing = {name for (name,) in cursor.fetchall()}
    return [name for name in wanted if name not in standing]


def _create_statements(vendor: str) -> list[str]:
    if vendor == "postgresql":
        return [
            "CREATE OR REPLACE FUNCTION refuse_blindlabel_change() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation'; END $$",
            f"CREATE TRIGGER {_POSTGRESQL} BEFORE UPDATE OR DELETE ON {TABLE} "
            "FOR EACH ROW EXECUTE FUNCTION refuse_blindlabel_change()",
        ]
    return [
        f"CREATE TRIGGER {name} {event} BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END" for name, event in _SQLITE.items()
    ]
