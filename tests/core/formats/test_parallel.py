"""Pieces of work done by other processes come back whole, in order, and leave no process behind."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from benchmark.core.formats import parallel

ROOT = Path(__file__).parents[3]
PARENT = """
import time
from benchmark.core.formats import parallel
if __name__ == "__main__":
    for _ in parallel.mapped(time.sleep, [0, 0, 600, 600], processes=2):
        print("started", flush=True)
"""


def test_results_come_in_the_order_of_their_pieces() -> None:
    pieces = [[number] * (number % 7) for number in range(40)]
    assert list(parallel.mapped(len, pieces, processes=2)) == list(map(len, pieces))


def test_a_value_nested_deeper_than_pickle_goes_is_worked_on_all_the_same() -> None:
    deep: list = []
    for _ in range(900):
        deep = [deep]
    assert list(parallel.mapped(len, [[1, 2], deep, [1]], processes=2)) == [2, 1, 1]


def test_a_process_that_is_killed_is_told_and_not_waited_for() -> None:
    with pytest.raises(BrokenProcessPool):
        list(parallel.mapped(os._exit, [1, 1, 1], processes=2))


def test_an_error_of_the_work_reaches_the_caller() -> None:
    with pytest.raises(ValueError, match="no number"):
        list(parallel.mapped(int, ["1", "no number"], processes=2))


def test_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen(
        [sys.executable, str(script)], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE
    )
    assert parent.stdout
    assert parent.stdout.readline() == b"started\n"
    children = _children(parent.pid)
    assert len(children) >= 2
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


@pytest.mark.parametrize("size", [0, parallel.WORTH_BYTES - 1])
def test_a_small_file_is_not_worth_other_processes(size: int) -> None:
    assert parallel.processes_for(size) == 1


def test_a_process_that_may_not_have_children_works_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(parallel.multiprocessing.current_process()._config, "daemon", True)
    assert parallel.processes_for(parallel.WORTH_BYTES * 10) == 1


def _children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(status.parent.name))
    return found
