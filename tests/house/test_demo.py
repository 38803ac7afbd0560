"""`manage.py demo` as a person runs it: started, used, stopped with Ctrl-C, started again."""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.house.program import Program, get

pytestmark = pytest.mark.sqlite

COUNTS = """
from annotation.models import BlindLabel
from benchmark.models import Account, Rollout
print([model.objects.count() for model in (Account, Rollout, BlindLabel)])
"""


class FirstRun(NamedTuple):
    """What a first start left and showed."""

    program: Program
    said: str
    address: str
    login: str
    probe: str
    second: subprocess.CompletedProcess[str]
    code: int


def processes_on(var: object) -> list[str]:
    """Command lines of the processes that were given this data folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ, open(f"/proc/{pid}/cmdline", "rb") as command:
                if f"RITE_VAR={var}\0".encode() in environ.read():
                    found.append(command.read().decode(errors="replace"))
        except OSError:
            continue  # it ended while we looked
    return found


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> FirstRun:
    """A data folder after its first start and a clean stop, with what was printed and seen."""
    program = Program(tmp_path_factory.mktemp("demo") / "var")
    with program.demo() as (process, address, lines):
        login = get(f"{address}accounts/login/")
        deadline = time.monotonic() + 30
        while '"worker": true' not in (probe := get(f"{address}health.json")) and time.monotonic() < deadline:
            time.sleep(0.2)
        second = program.run("demo")
    return FirstRun(program, "".join(lines), address, login, probe, second, process.returncode)


@pytest.fixture
def kept(first_run: FirstRun, tmp_path: Path) -> Program:
    """A copy of the folder that the first run left."""
    shutil.copytree(first_run.program.var, tmp_path / "var")
    return Program(tmp_path / "var")


def test_the_first_start_serves_pages_and_has_a_live_worker(first_run: FirstRun) -> None:
    assert "<form" in first_run.login
    assert '"ok": true' in first_run.probe


def test_ctrl_c_ends_every_process(first_run: FirstRun) -> None:
    assert first_run.code == 0
    assert processes_on(first_run.program.var) == []


def test_a_second_demo_on_the_same_folder_is_told_where_the_first_one_is(first_run: FirstRun) -> None:
    assert first_run.second.returncode == 1
    assert f"already runs on {first_run.program.var}, at {first_run.address}" in first_run.second.stderr


def test_passwords_are_shown_at_the_first_start_and_never_again(first_run: FirstRun, kept: Program) -> None:
    accounts = re.findall(r"^  (\w+) +(\S+) +(annotator|author|researcher|admin)$", first_run.said, re.MULTILINE)
    assert {role for _, _, role in accounts} == {"annotator", "author", "researcher", "admin"}
    name, password, _ = accounts[0]
    check = f"print(Account.objects.get(username={name!r}).check_password({password!r}))"
    assert "True" in kept.python("from benchmark.models import Account\n" + check)
    with kept.demo() as (_, _, lines):
        assert password not in "".join(lines)
        assert name in "".join(lines)


def test_a_second_start_loses_nothing_and_loads_nothing_twice(first_run: FirstRun, kept: Program) -> None:
    before = kept.python(COUNTS)
    with kept.demo():
        assert kept.python(COUNTS) == before
    assert "[0" not in before


def test_the_secret_key_is_kept_and_only_its_owner_reads_it(first_run: FirstRun) -> None:
    assert (first_run.program.var / "secret-key").stat().st_mode & 0o777 == 0o600


def test_the_next_port_is_taken_when_its_own_is_taken(kept: Program) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        with kept.demo("--port", str(port)) as (_, address, _):
            assert port < int(address.rsplit(":", 1)[1].strip("/")) < port + 100


def test_a_process_that_ends_by_itself_is_named_and_the_other_stopped(kept: Program) -> None:
    process = kept.start("demo")
    for line in process.stdout:
        if "changepassword" in line:
            break
    noted = json.loads((kept.var / "demo.lock").read_text())
    os.kill(noted["pids"][1], signal.SIGKILL)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "The worker process ended" in said
    assert processes_on(kept.var) == []


def test_a_database_of_a_newer_version_is_left_alone(kept: Program) -> None:
    with closing(sqlite3.connect(kept.var / "rite.sqlite3")) as database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('benchmark', '9999_next', '2030-01-01')"
        )
        database.commit()
    refused = kept.run("demo")
    assert refused.returncode == 1
    assert "newer version of RITE (unknown here: benchmark.9999_next)" in refused.stderr
