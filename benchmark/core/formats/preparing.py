"""What an import does with each record of a file before anything is stored: read, search, mask, label, lay out in columns."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from benchmark.core.formats import parallel, personal, reading
from benchmark.core.formats.columns import Columns, columns_of
from benchmark.core.formats.personal import Finding
from benchmark.core.formats.reading import Record
from benchmark.core.formats.stream import Found
from benchmark.core.labelling import diagnoses, measures
from benchmark.core.trajectory import Rollout

PIECE_RECORDS = 40
PIECE_BYTES = 2 * 1024 * 1024

Pieces = Generator[list["Prepared"], None, None]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person asks of an import: keys and personal data masked; the model's name where a record says none."""

    masked: bool = False
    model_name: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """One record of a file: what is told of it, and its columns unless it was skipped or only looked at."""

    locator: str
    sha256: str
    skipped: str | None
    warnings: tuple[str, ...]
    has_model: bool = True
    findings: tuple[Finding, ...] = ()
    columns: Columns | None = None


def looked_at(stream: BinaryIO, name: str, format: str, *, size: int) -> Pieces:
    """Read every record and search it, in pieces of at most 40 records and about 2 MB. Close it when you stop early.

    `size` in bytes decides whether other processes help. Raises Refused as `reading.open_records` does.
    """
    return _pieces_of(stream, name, format, size, _look_at)


def prepared(stream: BinaryIO, name: str, format: str, *, size: int, wish: Wish) -> Pieces:
    """Make every record ready to be stored, in the same pieces. Raises Refused as `reading.open_records` does."""
    return _pieces_of(stream, name, format, size, partial(_prepare, wish))


def _pieces_of(
    stream: BinaryIO, name: str, format: str, size: int, work: Callable[[Record, Rollout], Prepared]
) -> Pieces:
    seen, found = reading.open_values(stream, name, format)
    return parallel.mapped(partial(_each, seen.format, work), _pieces(found), processes=parallel.processes_for(size))


def _pieces(found: Iterator[Found]) -> Iterator[list[Found]]:
    piece: list[Found] = []
    for one in found:
        if piece and (len(piece) == PIECE_RECORDS or one.offset - piece[0].offset >= PIECE_BYTES):
            yield piece
            piece = []
        piece.append(one)
    if piece:
        yield piece


def _each(format: str, work: Callable[[Record, Rollout], Prepared], piece: list[Found]) -> list[Prepared]:
    records = (reading.read(found, format) for found in piece)
    return [work(record, record.rollout) if record.rollout else _told(record) for record in records]


def _told(record: Record) -> Prepared:
    return Prepared(record.locator, record.sha256, record.skipped, record.warnings)


def _look_at(record: Record, rollout: Rollout) -> Prepared:
    return replace(_told(record), has_model=rollout.model is not None, findings=tuple(personal.scan(rollout)))


def _prepare(wish: Wish, record: Record, rollout: Rollout) -> Prepared:
    looked = _look_at(record, rollout)
    if wish.masked and looked.findings:
        rollout = personal.mask(rollout)
    rollout = reading.with_model(rollout, wish.model_name)
    labels, told = diagnoses.label_and_read(rollout)
    is_new = diagnoses.new_observations((*rollout.prefix, *rollout.steps), first=len(rollout.prefix))
    columns = columns_of(replace(rollout, labels=labels), is_new=is_new, reading=told.to_json())
    columns.rollout.update(
        record_sha256=record.sha256,
        locator=record.locator,
        warnings=list(record.warnings),
        noticed_rule=measures.NOTICED_RULE,
    )
    return replace(looked, columns=columns)
