"""What the environment may say, and the sentence that stops the start where it says something else."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from rite_app import environment
from tests.house.program import Program

pytestmark = pytest.mark.sqlite


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DEBUG", "perhaps", "DEBUG is 'perhaps'. Write 1 or 0."),
        ("SECRET_KEY", "short", "SECRET_KEY is shorter than 32 characters."),
        ("DATABASE_URL", "mysql://db/rite", "DATABASE_URL starts with 'mysql'."),
        ("DATABASE_URL", "postgres://db:notaport/rite", "DATABASE_URL cannot be read"),
        ("DATABASE_URL", "postgres://db/", "DATABASE_URL names no database."),
        ("CELERY_BROKER_URL", "kafka://queue", "CELERY_BROKER_URL starts with 'kafka'."),
        ("ALLOWED_HOSTS", "https://rite.example.org", "ALLOWED_HOSTS has 'https://rite.example.org'."),
        ("CSRF_TRUSTED_ORIGINS", "rite.example.org", "CSRF_TRUSTED_ORIGINS has 'rite.example.org'."),
        ("PROXY_COUNT", "-1", "PROXY_COUNT is '-1'."),
        ("RITE_VAR", "/proc/nowhere", "RITE_VAR: cannot make the folder"),
    ],
)
def test_a_bad_value_stops_the_start_with_a_sentence(
    sqlite_program: Program, name: str, value: str, sentence: str
) -> None:
    stopped = sqlite_program.run("check", **{name: value})
    assert stopped.returncode == 1
    assert stopped.stderr.startswith(f"Cannot start: {sentence}")
    assert "Traceback" not in stopped.stderr


def test_debug_is_off_unless_asked_for() -> None:
    assert environment.flag({}, "DEBUG") is False
    assert environment.flag({"DEBUG": "1"}, "DEBUG") is True


def test_an_empty_environment_gives_sqlite_that_waits_its_turn(tmp_path: Path) -> None:
    database = environment.database({}, "DATABASE_URL", tmp_path)
    assert database["NAME"] == str(tmp_path / "rite.sqlite3")
    assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode = WAL" in database["OPTIONS"]["init_command"]


def test_a_postgresql_url_keeps_its_own_options_beside_the_pool(tmp_path: Path) -> None:
    url = "postgresql://rite:p%40ss@db.example.org:5433/rite?sslmode=require"
    database = environment.database({"DATABASE_URL": url}, "DATABASE_URL", tmp_path)
    assert (database["USER"], database["PASSWORD"], database["HOST"], database["PORT"]) == (
        "rite",
        "p@ss",
        "db.example.org",
        5433,
    )
    assert database["OPTIONS"]["sslmode"] == "require"
    assert database["OPTIONS"]["pool"]["max_size"] > 1


def test_the_secret_key_is_written_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    first = environment.secret_key({}, "SECRET_KEY", tmp_path)
    assert environment.secret_key({}, "SECRET_KEY", tmp_path) == first
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    assert len(first) >= 48


def test_the_embedded_queue_receives_what_it_sends(tmp_path: Path) -> None:
    options = environment.queue_options("filesystem://", tmp_path)
    assert options["data_folder_in"] == options["data_folder_out"]
    assert Path(options["data_folder_in"]).is_dir()
    assert options["store_processed"] is False


def test_unreadable_secret_key_is_told(tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_text("")
    with pytest.raises(ImproperlyConfigured, match="secret-key is empty"):
        environment.secret_key({}, "SECRET_KEY", tmp_path)
