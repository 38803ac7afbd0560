"""The entrance for every import: a stream of any known format becomes rollouts, one at a time, in bounded memory."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from benchmark.core import text
from benchmark.core.formats import agentcheck, chat, rite
from benchmark.core.formats.outcome import Read, Unreadable
from benchmark.core.formats.sniff import Recognised, recognise
from benchmark.core.formats.stream import Found, values
from benchmark.core.text import BadJson
from benchmark.core.trajectory import ABSENT, Model, Rollout

AUTO = "auto"

_READERS: dict[str, Callable[[Any, str], Read]] = {
    chat.FORMAT: chat.read,
    agentcheck.FORMAT: agentcheck.read,
    rite.FORMAT: rite.read,
}
FORMATS = (AUTO, *_READERS)


class Refused(Exception):
    """A whole file is not read; `format` is its short name, empty where nobody knows it, and `why` a sentence."""

    def __init__(self, name: str, format: str, why: str) -> None:
        self.name = name
        self.format = format
        self.why = why
        super().__init__(f"{name}: {why}" if name else why)


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a file: its rollout, or why it was skipped. Equal `sha256` means: seen before, whatever file brings it."""

    rollout: Rollout | None
    locator: str
    format: str
    sha256: str = ""
    skipped: str | None = None
    warnings: tuple[str, ...] = ()


def open_records(stream: BinaryIO, name: str, format: str = AUTO) -> Iterator[Record]:
    """Read a seekable stream from its beginning. Raises Refused for a file that is not read.

    `format` is one of FORMATS; `auto` tells it by content. Nothing is kept open and nothing half done: the caller may
    stop anywhere. A record that cannot be read is given back as skipped, and the next one follows.
    """
    seen, found = open_values(stream, name, format)
    return (read(one, seen.format) for one in found)


def open_values(stream: BinaryIO, name: str, format: str = AUTO) -> tuple[Recognised, Iterator[Found]]:
    """Tell a stream's format and give out its values unread, for `read`. Raises Refused as `open_records` does."""
    if format not in FORMATS:
        raise Refused(name, "", f"{format!r} is no format that can be asked for; ask for one of {', '.join(FORMATS)}.")
    seen = recognise(stream)
    if format not in (AUTO, seen.format) and seen.layout:
        seen = replace(seen, format=format, why="")
    if not seen.readable or seen.layout is None:
        raise Refused(name, seen.format, seen.why)
    return seen, values(stream, seen.layout)


def with_model(rollout: Rollout, name: str) -> Rollout:
    """Name the model of a rollout whose record does not say one."""
    return rollout if rollout.model or not name else replace(rollout, model=Model(name))


def read(found: Found, format: str) -> Record:
    """Read one value of a file of a readable format."""
    if found.value is ABSENT:
        return Record(None, found.locator, format, skipped=found.why)
    try:
        sha256 = text.sha256([format, found.value])
        outcome = _READERS[format](found.value, sha256)
    except Unreadable as reason:
        return Record(None, found.locator, format, skipped=str(reason))
    except (BadJson, RecursionError):
        return Record(None, found.locator, format, skipped="nested too deeply")
    return Record(outcome.rollout, found.locator, format, sha256, warnings=outcome.warnings)
