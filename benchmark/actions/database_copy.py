"""One consistent copy of the whole database in a file, and the way back: all of it or nothing."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.apps import apps
from django.core import checks
from django.db import connection, connections
from django.db.utils import DatabaseError

from benchmark.models import WorkerBeat

ASIDE = "restored"
FILE_NAMES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
# Rows that are there before anybody did anything, or that nobody would miss.
NOT_DATA = {"admin", "auth", "axes", "contenttypes", "sessions"}

# Not DROP SCHEMA: the program's database user need not own the schema.
EMPTY_SCHEMA = """
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT format('%I', tablename) FROM pg_tables WHERE schemaname = current_schema() LOOP
    EXECUTE 'DROP TABLE ' || name || ' CASCADE';
  END LOOP;
  FOR name IN SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e') LOOP
    EXECUTE 'DROP FUNCTION ' || name || ' CASCADE';
  END LOOP;
END $$;
"""


class CopyFailed(Exception):
    """A copy could not be made or put back; nothing was changed. The message says why and what to do."""


def file_name() -> str:
    """What the copy is called inside a backup, by kind of database."""
    return FILE_NAMES[connection.vendor]


def write_copy(target: Path) -> None:
    """Copy the database as it is at one moment, while others read and write it."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(target)])
        return
    _run_postgresql("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={target}")


def holds_data() -> bool:
    """Whether anything would be lost by replacing the database: any row that people or jobs made."""
    tables = set(connection.introspection.table_names())
    models = [model for model in apps.get_models() if model._meta.app_label not in NOT_DATA and model is not WorkerBeat]
    return any(model._meta.db_table in tables and model._default_manager.exists() for model in models)


def read_copy(source: Path) -> None:
    """Replace the whole database by a copy, in one step. `source` may be used up. Raises CopyFailed, nothing changed."""
    connections.close_all()
    if connection.vendor == "sqlite":
        _replace_sqlite(source, Path(connection.settings_dict["NAME"]))
    else:
        _replace_postgresql(source)


def wrong_with(alias: str) -> list[str]:
    """What the database's system checks find wrong, label locks among it; empty when all stands."""
    found = checks.run_checks(tags=[checks.Tags.database], databases=[alias])
    return [message.msg for message in found if message.is_serious()]


def _replace_sqlite(source: Path, target: Path) -> None:
    _require_sound(source)
    aside = target.with_name(f"{target.name}.restored")
    shutil.move(source, aside)
    try:
        _require_unused(target)
        os.replace(aside, target)
    finally:
        aside.unlink(missing_ok=True)


def _require_sound(path: Path) -> None:
    connections.databases[ASIDE] = {**connection.settings_dict, "NAME": str(path)}
    try:
        with connections[ASIDE].cursor() as cursor:
            cursor.execute("PRAGMA integrity_check")
            verdict = cursor.fetchone()[0]
        wrong = wrong_with(ASIDE) if verdict == "ok" else [verdict]
        with connections[ASIDE].cursor() as cursor:
            cursor.execute("PRAGMA journal_mode = DELETE")
    except DatabaseError as problem:
        wrong = [str(problem)]
    finally:
        connections[ASIDE].close()
        del connections[ASIDE], connections.databases[ASIDE]
    if wrong:
        raise CopyFailed(f"The database in this backup is not sound: {' '.join(wrong)} Nothing was changed.")


def _require_unused(path: Path) -> None:
    """Fold the write-ahead log into the old file, which SQLite does only when nobody else has it open."""
    if not path.exists():
        return
    with closing(sqlite3.connect(path, timeout=1)) as old:
        try:
            old.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as problem:
            raise CopyFailed(
                f"Others use {path} ({problem}). Stop web process and worker, then try again."
            ) from problem
        except sqlite3.DatabaseError:
            pass  # the old file is damaged: that may be why it is being replaced
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _replace_postgresql(source: Path) -> None:
    emptying, script = source.with_suffix(".empty.sql"), source.with_suffix(".sql")
    emptying.write_text(EMPTY_SCHEMA)
    # First to a file: psql would commit what came before a dump that breaks off in the middle of a pipe.
    _run_postgresql("pg_restore", "--no-owner", "--no-privileges", f"--file={script}", str(source))
    quiet = ["--no-psqlrc", "--quiet", "--output=/dev/null", "--set=ON_ERROR_STOP=1"]
    _run_postgresql("psql", *quiet, "--single-transaction", f"--file={emptying}", f"--file={script}")
    if wrong := wrong_with("default"):
        raise CopyFailed(f"The database was restored, but: {' '.join(wrong)} Restore an older backup.")


def _run_postgresql(program: str, *arguments: str) -> None:
    if shutil.which(program) is None:
        raise CopyFailed(
            f"{program} was not found. Install PostgreSQL's client programs, of the server's version or newer "
            "(Debian: apt-get install postgresql-client)."
        )
    place = connection.settings_dict
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    environment = {variable: str(place[key]) for variable, key in names.items() if place[key]}
    done = subprocess.run(
        [program, *arguments], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CopyFailed(f"{program} failed: {done.stderr.strip()}")
