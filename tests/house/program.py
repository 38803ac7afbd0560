"""The real program in processes of its own, on a data folder and a database of its own."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
READY = re.compile(r"RITE runs at (http://127\.0\.0\.1:(\d+)/)")


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

    @contextmanager
    def demo(self, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
        """A started demo: its process, its address, and the lines it printed; stopped by Ctrl-C on the way out."""
        process, lines = self.start("demo", *arguments), []
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
                process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def get(url: str) -> str:
    """What an address answers."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())
