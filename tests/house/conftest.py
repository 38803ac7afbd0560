"""The real program in processes of its own, on a data folder and a database of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60


class Program:
    """`manage.py` on one data folder and one database."""

    def __init__(self, var: Path, **environment: str) -> None:
        dropped = {"DJANGO_SETTINGS_MODULE", "DATABASE_URL", "CELERY_BROKER_URL", "RITE_VAR"}
        kept = {name: value for name, value in os.environ.items() if name not in dropped}
        self.var = var
        self.environment = {**kept, "RITE_VAR": str(var), "PYTHONUNBUFFERED": "1", **environment}

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run one command to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def must(self, *arguments: str) -> str:
        """Run one command that has to work, and give what it printed."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def python(self, script: str) -> str:
        """Run lines of Python inside the program."""
        return self.must("shell", "--verbosity=0", "--command", script)

    def start(self, *arguments: str, module: str = "") -> subprocess.Popen[str]:
        """Start a command that goes on: `manage.py …`, or a module such as celery."""
        program = ["-m", module] if module else ["manage.py"]
        return subprocess.Popen(
            [sys.executable, *program, *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


@pytest.fixture
def sqlite_program(tmp_path: Path) -> Program:
    """The embedded default: SQLite and the filesystem queue."""
    return Program(tmp_path / "var")


@pytest.fixture
def postgresql_url(django_db_setup: None, django_db_blocker: Any, worker_id: str) -> Iterator[str]:
    """The URL of a fresh, empty PostgreSQL database beside the test database."""
    name = f"rite_house_{worker_id}"
    with django_db_blocker.unblock():
        place = connection.settings_dict
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            cursor.execute(f"CREATE DATABASE {name}")
        login = ":".join(quote(place[key], safe="") for key in ("USER", "PASSWORD") if place[key])
        yield f"postgres://{login}@{place['HOST']}:{place['PORT'] or 5432}/{name}"
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgresql_program(tmp_path: Path, postgresql_url: str) -> Program:
    """PostgreSQL with the filesystem queue."""
    return Program(tmp_path / "var", DATABASE_URL=postgresql_url)


@pytest.fixture(
    params=[
        pytest.param("sqlite", marks=pytest.mark.sqlite),
        pytest.param("postgresql", marks=pytest.mark.services("postgresql")),
    ]
)
def program(request: pytest.FixtureRequest) -> Program:
    """Each kind of database in turn."""
    made: Program = request.getfixturevalue(f"{request.param}_program")
    return made
