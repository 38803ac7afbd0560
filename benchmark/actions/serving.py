"""Web process and worker side by side on one machine: start both, watch both, leave nothing behind."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

HOST = "127.0.0.1"
PORTS_TRIED = 100
START_SECONDS = 60.0
STOP_SECONDS = 20.0
LOOK_EVERY_SECONDS = 0.2


class CannotServe(Exception):
    """Nothing could be started, or one of the processes ended by itself; the message says what to do."""


@dataclass
class Service:
    """One child process, the leader of a group of its own, so that Ctrl-C reaches it only through us."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path


@dataclass
class Server:
    """The running pair. `signals` grows by one for every Ctrl-C, SIGTERM or closed terminal."""

    address: str
    services: list[Service] = field(default_factory=list)
    signals: list[int] = field(default_factory=list)

    def answers(self) -> bool:
        """Wait for the web process; False when asked to stop meanwhile. Raises CannotServe after 60 s."""
        deadline = time.monotonic() + START_SECONDS
        while not self.signals:
            self.require_alive()
            if _answers(f"{self.address}health.json"):
                return True
            if time.monotonic() > deadline:
                raise CannotServe(
                    f"No answer from {self.address} in {START_SECONDS:.0f} s. Read the logs beside {self.services[0].log}."
                )
            time.sleep(LOOK_EVERY_SECONDS)
        return False

    def watch(self) -> None:
        """Return when asked to stop. Raises CannotServe when a process ends by itself."""
        while not self.signals:
            self.require_alive()
            time.sleep(LOOK_EVERY_SECONDS)

    def require_alive(self) -> None:
        """Raise CannotServe for a process that has ended, with the end of its log."""
        for service in self.services:
            if (code := service.process.poll()) is not None:
                end = "\n".join(service.log.read_text(errors="replace").splitlines()[-15:])
                raise CannotServe(f"The {service.name} process ended (code {code}). The end of {service.log}:\n{end}")

    def stop(self) -> None:
        """Ask both to finish what they are at; after 20 s, or at a second Ctrl-C, end whatever is left of them."""
        deadline = time.monotonic() + STOP_SECONDS
        for service in self.services:
            service.process.terminate()
        while any(service.process.poll() is None for service in self.services):
            # What is cut off here is taken up again after the next start.
            if time.monotonic() > deadline or len(self.signals) > 1:
                break
            time.sleep(LOOK_EVERY_SECONDS)
        for service in self.services:
            _end_group(service.process)


@contextmanager
def only_one(var: Path) -> Iterator[IO[str]]:
    """Hold a data folder. Raises CannotServe while another demo, or what is left of one, holds it.

    The children inherit the open lock file: it stands until the last of them has ended, even if we are killed.
    """
    with (var / "demo.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise CannotServe(_who_holds(lock, var)) from problem
        lock.truncate(0)
        yield lock


@contextmanager
def started(*, root: Path, var: Path, lock: IO[str], first_port: int) -> Iterator[Server]:
    """Start both processes on the first free port, and stop both on the way out, however it is taken."""
    with closing(_listen(first_port)) as listener, _noted_signals() as signals:
        server = Server(f"http://{HOST}:{listener.getsockname()[1]}/", signals=signals)
        (var / "log").mkdir(exist_ok=True)
        try:
            for name, arguments in _commands(listener.fileno()).items():
                log, kept_open = var / "log" / f"{name}.log", (lock.fileno(), listener.fileno())
                server.services.append(_start(name, arguments, root=root, log=log, kept_open=kept_open))
            json.dump({"address": server.address, "pids": [s.process.pid for s in server.services]}, lock)
            lock.flush()
            yield server
        finally:
            server.stop()


def _listen(first_port: int) -> socket.socket:
    # The socket itself is handed over, so that nobody can take the port between the look and the start.
    for port in range(first_port, min(first_port + PORTS_TRIED, 65_536)):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen()
        except OSError:
            listener.close()
        else:
            return listener
    raise CannotServe(f"No free port from {first_port} on. Choose another one with --port.")


@contextmanager
def _noted_signals() -> Iterator[list[int]]:
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _commands(socket_number: int) -> dict[str, list[str]]:
    web = ["gunicorn", "rite_app.wsgi", "--bind", f"fd://{socket_number}", "--no-control-socket"]
    web += ["--workers", "2", "--threads", "4", "--graceful-timeout", "5"]
    worker = ["celery", "-A", "rite_app", "worker", "--beat", "--hostname", "demo@%h"]
    return {"web": web, "worker": worker}


def _start(name: str, arguments: list[str], *, root: Path, log: Path, kept_open: tuple[int, ...]) -> Service:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=kept_open,
            start_new_session=True,
        )
    return Service(name, process, log)


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def _end_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


def _who_holds(lock: IO[str], var: Path) -> str:
    lock.seek(0)
    try:
        noted = json.load(lock)
    except ValueError:
        return f"Another demo is just starting on {var}. Wait for it, or choose another folder with RITE_VAR."
    pids = " ".join(map(str, noted["pids"]))
    return (
        f"Another demo already runs on {var}, at {noted['address']} . Stop it with Ctrl-C first "
        f"(`kill {pids}` if its terminal is gone), or choose another folder with RITE_VAR."
    )
