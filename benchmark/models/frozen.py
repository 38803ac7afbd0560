"""The SQL that keeps what a release rests on as it is, on both databases: such rows can be added, never changed.

Whoever may alter tables may lift a trigger; that is outside the promise.
"""

from django.db.backends.base.base import BaseDatabaseWrapper

_ALWAYS = ""
FROZEN = {
    "benchmark_release": _ALWAYS,
    "benchmark_releasefile": _ALWAYS,
    "benchmark_releasenote": _ALWAYS,
    "benchmark_unitnote": _ALWAYS,
    "benchmark_instance": _ALWAYS,
    "benchmark_gateresult": _ALWAYS,
    "benchmark_slot": _ALWAYS,
    "benchmark_trace": _ALWAYS,
    "benchmark_snapshot": _ALWAYS,
    "benchmark_unit": "OLD.status = 'released'",
    "benchmark_workflowversion": "EXISTS (SELECT 1 FROM benchmark_trace WHERE version_id = OLD.id)",
}
"""Tables, and the condition under which a row of theirs is frozen."""


def freeze(connection: BaseDatabaseWrapper) -> None:
    """Set the triggers, replacing any that stand. Every migration that touches one of the tables ends with this."""
    thaw(connection)
    with connection.cursor() as cursor:
        for statement in _statements(connection.vendor):
            cursor.execute(statement)


def thaw(connection: BaseDatabaseWrapper) -> None:
    """Lift the triggers: for migrations that remake a table."""
    with connection.cursor() as cursor:
        for table in FROZEN:
            on = f" ON {table}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER IF EXISTS {_name(table)}{on}")


def _name(table: str) -> str:
    return f"{table}_frozen"


def _statements(vendor: str) -> list[str]:
    if vendor != "postgresql":
        return [
            f"CREATE TRIGGER {_name(table)} BEFORE UPDATE ON {table}{f' WHEN {when}' if when else ''} "
            f"BEGIN SELECT RAISE(ABORT, '{_refusal(table)}'); END"
            for table, when in FROZEN.items()
        ]
    statements = []
    for table, when in FROZEN.items():
        check = f"IF {when} THEN {_raise(table)} END IF; RETURN NEW;" if when else _raise(table)
        statements += [
            f"CREATE OR REPLACE FUNCTION {_name(table)}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {check} END $$",
            f"CREATE TRIGGER {_name(table)} BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION {_name(table)}()",
        ]
    return statements


def _raise(table: str) -> str:
    return f"RAISE EXCEPTION '{_refusal(table)}' USING ERRCODE = 'integrity_constraint_violation';"


def _refusal(table: str) -> str:
    return f"what a release rests on never changes ({table})"
