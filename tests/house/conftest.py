"""The real program on each kind of database."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection

from tests.house.program import Program


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
