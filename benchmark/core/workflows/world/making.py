"""Making the world: every table from one seed, each record from its own stream, hand-written rows over drawn ones."""

import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from benchmark.core.workflows.world.draws import Stream
from benchmark.core.workflows.world.reading import Row, World, written
from benchmark.core.workflows.world.sources import anchors, source

WORLD_SEED = 20_260_817
PACKED_FROM = 2_000_000
"""Files of more bytes than this are stored gzipped; digests are always of the plain bytes."""


class Making:
    """What a table's function may use while the world is made: chance, sources, and the tables it said it needs."""

    def __init__(self, seed: int = WORLD_SEED) -> None:
        self.seed = seed
        self.world = World()
        self._made: dict[str, list[Row]] = {}

    def stream(self, table: str, key: object) -> Stream:
        """The stream of one record."""
        return Stream(self.seed, table, key)

    def rows(self, table: str) -> list[Row]:
        """The rows of a table made before, in the order of their keys, hand-written rows among them."""
        return self._made[table]

    def source(self, name: str) -> Any:
        """A file that people wrote."""
        return source(name)

    def add(self, table: str, rows: list[Row]) -> None:
        """Take a finished table in."""
        self._made[table] = rows
        self.world = World(tables=self._made)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the world: its primary key (one or more fields), the tables it is made from, and how.

    A `hidden` table holds latent values that tools never see; it is not written.
    """

    name: str
    key: tuple[str, ...]
    after: tuple[str, ...]
    make: Callable[[Making], Iterable[Row]]
    schema: int
    hidden: bool


TABLES: dict[str, Table] = {}


def table(
    name: str, *, key: str | tuple[str, ...], after: tuple[str, ...] = (), schema: int = 1, hidden: bool = False
) -> Callable[[Callable[[Making], Iterable[Row]]], Callable[[Making], Iterable[Row]]]:
    """Make a function the maker of a table. Raises ValueError for a second table of the same name."""

    def known(make: Callable[[Making], Iterable[Row]]) -> Callable[[Making], Iterable[Row]]:
        if name in TABLES:
            raise ValueError(f"Two makers for the table {name}.")
        TABLES[name] = Table(name, (key,) if isinstance(key, str) else key, after, make, schema, hidden)
        return make

    return known


def make(names: Iterable[str] | None = None, seed: int = WORLD_SEED) -> Iterator[tuple[Table, list[Row]]]:
    """Make tables (all, or the named ones with what they need) in an order in which they can be made."""
    from benchmark.core.workflows.world import tables  # noqa: F401 — makes the tables known

    wanted = _closure(TABLES if names is None else names)
    making = Making(seed)
    for name in TopologicalSorter({name: sorted(TABLES[name].after) for name in sorted(wanted)}).static_order():
        rows = _finished(TABLES[name], making)
        making.add(name, rows)
        yield TABLES[name], rows


def made(names: Iterable[str] | None = None, seed: int = WORLD_SEED) -> World:
    """A world in memory, without its hidden tables: all of it, or some tables and what they need."""
    return World(tables={table.name: rows for table, rows in make(names, seed) if not table.hidden})


def write_world(folder: Path, names: Iterable[str] | None = None, seed: int = WORLD_SEED) -> dict[str, Any]:
    """Make the world into a folder and give its manifest: rows, bytes, sha256 (of plain bytes) and schema of each file.

    Tables whose name has a folder (`production_logs/wf06`) stand beside the world, not in it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, Any] = {}
    for table, rows in make(names, seed):
        if not table.hidden:
            content = b"".join(map(written, rows))
            _store(folder.parent if "/" in table.name else folder, table.name, content)
            digest = hashlib.sha256(content).hexdigest()
            files[f"{table.name}.jsonl"] = {
                "rows": len(rows),
                "bytes": len(content),
                "sha256": digest,
                "schema": table.schema,
            }
    manifest = {"seed": seed, "files": dict(sorted(files.items()))}
    (folder / "MANIFEST.json").write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    return manifest


def _closure(names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(TABLES[name].after)
    return found


def _finished(table: Table, making: Making) -> list[Row]:
    """A table's rows with the hand-written ones laid over them by key, sorted by key; two rows of one key are an error."""
    rows: dict[tuple[Any, ...], Row] = {}
    for row in table.make(making):
        key = tuple(row[field] for field in table.key)
        if key in rows:
            raise ValueError(f"Two rows of {table.name} have the key {key}.")
        rows[key] = row
    for written_row in anchors().get(table.name, ()):
        key = tuple(written_row[field] for field in table.key)
        rows[key] = {**rows.get(key, {}), **written_row}
    return [rows[key] for key in sorted(rows)]


def _store(folder: Path, name: str, content: bytes) -> None:
    plain, packed = folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz"
    plain.parent.mkdir(parents=True, exist_ok=True)
    for old in (plain, packed):
        old.unlink(missing_ok=True)
    if len(content) > PACKED_FROM:
        packed.write_bytes(gzip.compress(content, compresslevel=9, mtime=0))
    else:
        plain.write_bytes(content)
