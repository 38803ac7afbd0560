"""One function over many pieces of work in processes beside this one, where machine and process allow it."""

import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.connection import wait
from typing import TypeVar

WORTH_BYTES = 8 * 1024 * 1024
PROCESSES_AT_MOST = 4
# People's requests come first: they must not wait for somebody's long file.
NICENESS = 10

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def processes_for(size: int) -> int:
    """How many processes a file of `size` bytes is worth: one a core, up to four; 1 means this process alone.

    A small file is read sooner than other processes start, and a daemonic process may not have children.
    """
    if size < WORTH_BYTES or multiprocessing.current_process().daemon:
        return 1
    return min(
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, PROCESSES_AT_MOST
    )


def mapped(
    work: Callable[[Piece], Result], pieces: Iterable[Piece], *, processes: int
) -> Generator[Result, None, None]:
    """Yield `work(piece)` for every piece in order; with more than one process, `processes` + 1 pieces at most are held.

    `work` and its results must pickle. Raises what `work` raises, and BrokenProcessPool where a process was killed. Closing
    the iterator ends the processes.
    """
    if processes == 1:
        yield from map(work, pieces)
        return
    # "spawn", because this process may have threads, whose locks a fork would copy as they happen to be.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), initializer=_begin)
    try:
        yield from _in_order(pool, work, pieces, processes + 1)
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(
    pool: ProcessPoolExecutor, work: Callable[[Piece], Result], pieces: Iterable[Piece], held: int
) -> Iterator[Result]:
    waiting: deque[Future[Result]] = deque()
    for piece in pieces:
        waiting.append(_handed(pool, work, piece))
        if len(waiting) == held:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _handed(pool: ProcessPoolExecutor, work: Callable[[Piece], Result], piece: Piece) -> Future[Result]:
    try:
        packed = pickle.dumps(piece)
    except RecursionError:  # nested deeper than pickle goes, though JSON does: done here
        done: Future[Result] = Future()
        done.set_result(work(piece))
        return done
    return pool.submit(_unpacked, work, packed)


def _unpacked(work: Callable[[Piece], Result], packed: bytes) -> Result:
    return work(pickle.loads(packed))


def _begin() -> None:
    """What each process does first. Ctrl-C reaches it too, but its parent is the one who stops it."""
    os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that is killed cannot end its pool, and the pool's own pipe would stay open in the siblings."""
    parent = multiprocessing.parent_process()
    if parent:
        wait([parent.sentinel])
        os._exit(1)
