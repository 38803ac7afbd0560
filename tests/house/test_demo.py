"""`manage.py demo` as a person runs it: started, used, stopped with Ctrl-C, started again."""

import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

READY = re.compile(r"RITE runs at (http://127\.0\.0\.1:(\d+)/)")


@contextmanager
def running(program: Any, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """A started demo: its process, its address, and the lines it has printed so far."""
    process, lines = program.start("demo", *arguments), []
    try:
        for line in process.stdout:
            lines.append(line)
            if "changepassword" in line:
                break
        ready = READY.search("".join(lines))
        assert ready, "".join(lines)
        yield process, ready[1], lines
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


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


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())


def test_demo_serves_with_a_live_worker_stops_cleanly_and_starts_again(sqlite_program: Any) -> None:
    with running(sqlite_program) as (process, address, _):
        assert "<form" in get(f"{address}accounts/login/")
        deadline = time.monotonic() + 20
        while '"worker": true' not in (probe := get(f"{address}health.json")) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert '"ok": true' in probe
        second = sqlite_program.run("demo")
        assert second.returncode == 1
        assert f"already runs on {sqlite_program.var}, at {address}" in second.stderr
    assert process.returncode == 0
    assert processes_on(sqlite_program.var) == []
    key = (sqlite_program.var / "secret-key").read_text()

    before = time.monotonic()
    with running(sqlite_program) as (_, _, lines):
        assert time.monotonic() - before < 15
        assert "shown this once" not in "".join(lines)
    assert (sqlite_program.var / "secret-key").read_text() == key
    assert (sqlite_program.var / "secret-key").stat().st_mode & 0o777 == 0o600


def test_demo_takes_the_next_port_when_its_own_is_taken(sqlite_program: Any) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        with running(sqlite_program, "--port", str(port)) as (_, address, _):
            assert port < int(address.rsplit(":", 1)[1].strip("/")) < port + 100


def test_demo_says_which_process_ended_and_stops_the_other(sqlite_program: Any) -> None:
    process = sqlite_program.start("demo")
    for line in process.stdout:
        if "changepassword" in line:
            break
    subprocess.run(["pkill", "-KILL", "-P", str(process.pid), "-f", "celery"], check=True)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "The worker process ended" in said
    assert processes_on(sqlite_program.var) == []


@pytest.mark.services("postgresql")
def test_demo_runs_on_postgresql_too(postgresql_program: Any) -> None:
    with running(postgresql_program) as (_, address, _):
        assert '"database": true' in get(f"{address}health.json")
