"""Backups and the way back, on both databases, in the real commands."""

import itertools
import json
import sqlite3
import subprocess
import threading
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from benchmark.actions import database_copy
from benchmark.models import Account
from tests.house.program import Program

MIGRATE = "from django.core.management import call_command as call; call('migrate', verbosity=0)\n"
ADD = "from benchmark.models import Account; Account.objects.create_user('{}', 'some long password')\n"
BACKUP = "call('backup', {!r})\n"
NAMES = "from benchmark.models import Account; print(sorted(Account.objects.values_list('username', flat=True)))\n"
LIFT = "from django.db import connection; from annotation.locks import drop_locks; drop_locks(connection)\n"


def rewritten(backup: Path, target: Path, change: Any) -> Path:
    """A copy of a backup in which `change` was applied to {name: bytes}."""
    with zipfile.ZipFile(backup) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target


@pytest.fixture
def backed_up(program: Program, tmp_path: Path) -> Path:
    """A backup made when there was one account, `before`, and one upload."""
    upload = program.var / "uploads" / "imports" / "traces.json"
    upload.parent.mkdir(parents=True)
    upload.write_text("[1]")
    target = tmp_path / "backup.zip"
    program.python(MIGRATE + ADD.format("before") + BACKUP.format(str(target)))
    return target


def test_what_was_backed_up_comes_back_and_nothing_else(program: Program, backed_up: Path) -> None:
    program.python(ADD.format("after"))
    uploads = program.var / "uploads" / "imports"
    (uploads / "traces.json").unlink()
    (uploads / "later.json").write_text("[2]")

    answer = json.loads(program.must("restore", str(backed_up), "--replace", "--json"))

    assert answer["files"] == 2
    assert "['before']" in program.python(NAMES)
    assert [path.name for path in uploads.iterdir()] == ["traces.json"]
    assert (uploads / "traces.json").read_text() == "[1]"
    program.must("check", "--database", "default")


def test_a_database_that_holds_data_is_not_replaced_unasked(program: Program, backed_up: Path) -> None:
    program.python(ADD.format("after"))
    refused = program.run("restore", str(backed_up))
    assert refused.returncode == 1
    assert "--replace" in refused.stderr
    assert "['after', 'before']" in program.python(NAMES)


def test_one_flipped_bit_stops_the_restore_before_anything_changes(program: Program, backed_up: Path) -> None:
    def flip(files: dict[str, bytes]) -> None:
        name = next(name for name in files if name.startswith("database."))
        files["uploads/imports/traces.json"] = b"[2]"
        files[name] = files[name][:5000] + bytes([files[name][5000] ^ 1]) + files[name][5001:]

    damaged = rewritten(backed_up, backed_up.with_name("damaged.zip"), flip)
    refused = program.run("restore", str(damaged), "--replace")
    assert refused.returncode == 1
    assert "damaged" in refused.stderr
    assert (program.var / "uploads" / "imports" / "traces.json").read_text() == "[1]"


def test_a_backup_of_a_newer_version_is_refused(program: Program, backed_up: Path) -> None:
    def from_the_future(files: dict[str, bytes]) -> None:
        manifest = json.loads(files["manifest.json"])
        manifest["migrations"].append(["benchmark", "9999_from_the_future"])
        files["manifest.json"] = json.dumps(manifest).encode()

    newer = rewritten(backed_up, backed_up.with_name("newer.zip"), from_the_future)
    refused = program.run("restore", str(newer), "--replace")
    assert refused.returncode == 1
    assert "benchmark.9999_from_the_future" in refused.stderr


def test_a_backup_never_overwrites_a_file(program: Program, backed_up: Path) -> None:
    before = backed_up.read_bytes()
    refused = program.run("backup", str(backed_up))
    assert refused.returncode == 1
    assert backed_up.read_bytes() == before


@pytest.mark.sqlite
def test_something_else_is_refused_as_a_backup(sqlite_program: Program, tmp_path: Path) -> None:
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("letter.txt", "dear all")
    (tmp_path / "cut.zip").write_bytes(other.read_bytes()[:40])
    assert "no manifest" in sqlite_program.run("restore", str(other)).stderr
    assert "cannot be read" in sqlite_program.run("restore", str(tmp_path / "cut.zip")).stderr
    assert "cannot be read" in sqlite_program.run("restore", str(tmp_path / "missing.zip")).stderr


@pytest.mark.sqlite
def test_a_backup_without_label_locks_is_refused(sqlite_program: Program, tmp_path: Path) -> None:
    backup = tmp_path / "unlocked.zip"
    sqlite_program.python(MIGRATE + LIFT + BACKUP.format(str(backup)))
    refused = sqlite_program.run("restore", str(backup), RITE_VAR=str(tmp_path / "elsewhere"))
    assert refused.returncode == 1
    assert "not locked" in refused.stderr


@pytest.mark.sqlite
def test_a_database_in_use_is_not_swapped_under_its_users(sqlite_program: Program, tmp_path: Path) -> None:
    sqlite_program.python(MIGRATE + BACKUP.format(str(tmp_path / "backup.zip")))
    with closing(sqlite3.connect(sqlite_program.var / "rite.sqlite3")) as other:
        other.execute("SELECT count(*) FROM benchmark_account").fetchone()
        refused = sqlite_program.run("restore", str(tmp_path / "backup.zip"))
    assert refused.returncode == 1
    assert "Stop web process and worker" in refused.stderr


@pytest.mark.sqlite
def test_a_damaged_database_can_be_replaced(sqlite_program: Program, tmp_path: Path) -> None:
    backup = tmp_path / "backup.zip"
    sqlite_program.python(MIGRATE + ADD.format("before") + BACKUP.format(str(backup)))
    (sqlite_program.var / "rite.sqlite3").write_bytes(b"not a database" * 1000)
    assert "--replace" in sqlite_program.run("restore", str(backup)).stderr
    sqlite_program.must("restore", str(backup), "--replace")
    assert "['before']" in sqlite_program.python(NAMES)


@pytest.mark.django_db(transaction=True)
def test_a_backup_made_while_others_write_is_of_one_moment(tmp_path: Path) -> None:
    """Each writer's transaction adds two accounts, so that a copy of one moment holds an even number."""
    stop = threading.Event()

    def write() -> None:
        for number in itertools.takewhile(lambda _: not stop.is_set(), itertools.count()):
            with transaction.atomic():
                for half in "ab":
                    Account.objects.create(username=f"writer-{number}{half}")
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        counts = [writers_in_a_copy(tmp_path / f"copy-{number}") for number in range(5)]
    finally:
        stop.set()
        writer.join()
    assert [count % 2 for count in counts] == [0] * 5
    assert counts[-1] > 0


def writers_in_a_copy(copy: Path) -> int:
    """How many of the writers' accounts a fresh copy of the test database holds."""
    database_copy.write_copy(copy)
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(copy)) as opened:
            return int(opened.execute("SELECT count(*) FROM benchmark_account").fetchone()[0])
    command = ["pg_restore", "--data-only", "--table=benchmark_account", "--file=-", str(copy)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.count("\twriter-")
