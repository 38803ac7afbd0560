"""A throw-away deployment: a folder, a database of its own, gunicorn with two workers of four threads."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).parents[2]
POSTGRESQL = os.environ.get("RITE_BENCH_POSTGRESQL", "postgres://postgres@127.0.0.1:5432/postgres")
START_SECONDS = 60


class Deployment:
    """Where the measured program runs. `vendor` is sqlite or postgresql."""

    def __init__(self, vendor: str, folder: Path, database_url: str) -> None:
        self.vendor = vendor
        self.folder = folder
        self.environment = {
            **os.environ,
            "RITE_VAR": str(folder / "var"),
            "DJANGO_SETTINGS_MODULE": "rite_app.settings",
        }
        self.environment |= {"DATABASE_URL": database_url} if database_url else {}
        self.address = ("127.0.0.1", _free_port())
        self.web: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return "http://{}:{}".format(*self.address)

    def manage(self, *arguments: str) -> str:
        """Run a management command; what it prints."""
        return self._run("manage.py", *arguments)

    def stage(self, step: str, **said: Any) -> Any:
        """Run one step of `tests.bench.stage` inside the deployment; what it answers."""
        return json.loads(self._run("-m", "tests.bench.stage", step, json.dumps(said)))

    def watched(self, *arguments: str) -> tuple[float, float]:
        """Run a management command: seconds, and the most memory it and its children held (MB, PSS)."""
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL
        )
        most = 0.0
        while process.poll() is None:
            most = max(most, memory(process.pid))
            time.sleep(0.25)
        if process.returncode:
            raise RuntimeError(f"{arguments} ended with code {process.returncode}")
        return time.perf_counter() - start, most

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Web processes while the block runs."""
        command = [sys.executable, "-m", "gunicorn", "rite_app.wsgi", "--bind", "{}:{}".format(*self.address)]
        command += ["--workers", "2", "--threads", "4", "--no-control-socket"]
        with (self.folder / "web.log").open("wb") as log:
            self.web = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        try:
            self._wait()
            yield
        finally:
            self.web.terminate()
            self.web.wait()

    def web_memory(self) -> list[float]:
        """Resident memory of each web worker in MB."""
        assert self.web
        return [resident(child) for child in children(self.web.pid)]

    def web_seconds(self) -> float:
        """Processor time of all web workers so far: it says what work costs, however busy the machine is."""
        assert self.web
        return sum(_processor_seconds(child) for child in children(self.web.pid))

    def all_memory(self) -> float:
        """What all web processes hold, shared pages counted once (MB, PSS)."""
        assert self.web
        return memory(self.web.pid)

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.url}/health.json", timeout=5).close()
            except urllib.error.HTTPError:
                return
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError((self.folder / "web.log").read_text())

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{arguments[:3]} ended with code {done.returncode}:\n{done.stderr[-3000:]}")
        return done.stdout


@contextmanager
def deployed(vendor: str) -> Iterator[Deployment]:
    """A migrated deployment with static files; nothing of it stays."""
    folder = Path(tempfile.mkdtemp(prefix="rite-bench-"))
    with _database(vendor) as url:
        try:
            deployment = Deployment(vendor, folder, url)
            deployment.manage("migrate", "--verbosity", "0")
            deployment.manage("collectstatic", "--noinput", "--verbosity", "0")
            yield deployment
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def has_postgresql() -> bool:
    """Whether a PostgreSQL server answers at RITE_BENCH_POSTGRESQL."""
    try:
        psycopg.connect(POSTGRESQL, connect_timeout=3).close()
    except psycopg.OperationalError:
        return False
    return True


def memory(pid: int) -> float:
    """What a process and its children hold, shared pages divided among their users (MB, PSS)."""
    return sum(_megabytes(one, "smaps_rollup", "Pss:") for one in (pid, *children(pid)))


def resident(pid: int) -> float:
    """Resident memory of one process in MB."""
    return _megabytes(pid, "status", "VmRSS:")


def children(pid: int) -> list[int]:
    """Processes whose parent is `pid`."""
    try:
        return [
            int(one) for task in Path(f"/proc/{pid}/task").iterdir() for one in (task / "children").read_text().split()
        ]
    except OSError:
        return []


@contextmanager
def _database(vendor: str) -> Iterator[str]:
    if vendor == "sqlite":
        yield ""
        return
    name = f"rite_bench_{os.getpid()}_{threading.get_ident()}"
    with psycopg.connect(POSTGRESQL, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"{POSTGRESQL.rpartition('/')[0]}/{name}"
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _processor_seconds(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _megabytes(pid: int, file: str, field: str) -> float:
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port
