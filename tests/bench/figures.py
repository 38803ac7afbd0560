"""What was measured: printed at once, each with its goal and the machine's load at that moment."""

import math
import os
import sys
import time
from collections.abc import Callable, Sequence


def say(what: str, value: str, goal: str = "", beside: str = "") -> None:
    """Print one figure; `beside` is what it is a multiple of, or other facts about it."""
    wanted = f"goal {goal}" if goal else ""
    _print(f"{what:<62} {value:>22}   {wanted:<22} load {os.getloadavg()[0]:4.1f}   {beside}")


def title(words: str) -> None:
    """Print a heading."""
    _print(f"\n{words}")


def _print(line: str) -> None:
    sys.stdout.write(line.rstrip() + "\n")
    sys.stdout.flush()


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def p50_p95(seconds: Sequence[float]) -> str:
    """Median and 95th percentile in ms."""
    return f"{1000 * percentile(seconds, 0.5):.0f} / {1000 * percentile(seconds, 0.95):.0f} ms"


def timed(action: Callable[[], object], times: int) -> list[float]:
    """Seconds of each of several runs."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        found.append(time.perf_counter() - start)
    return found
