"""The world as tools see it: read-only tables with indexes, loaded when first asked for."""

import gzip
import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmark.core import text

W_NOW = 1_788_192_000
"""The world's present, 2026-09-01 00:00 +08:00, in epoch seconds; nothing in the world is known later than this."""

DAY = 86_400
ZONE_OFFSET = 28_800
"""Seconds that the display zone (Asia/Shanghai) is ahead of UTC."""

Row = dict[str, Any]


class World:
    """Tables of rows in the order of their primary key. Rows are shared: whoever reads one must not change it.

    Generated tables come from the folder of files, tables people wrote (`tables`) from the sources.
    """

    def __init__(self, folder: Path | None = None, tables: Mapping[str, Iterable[Row]] | None = None) -> None:
        self._folder = folder
        self._tables: dict[str, tuple[Row, ...]] = {name: tuple(rows) for name, rows in (tables or {}).items()}
        self._indexes: dict[tuple[str, str], dict[Any, tuple[Row, ...]]] = {}
        self._starts: dict[tuple[str, str, Any], list[int]] = {}
        self._kept: dict[str, Any] = {}

    def table(self, name: str) -> tuple[Row, ...]:
        """All rows of a table; KeyError where the world has no such table."""
        if name not in self._tables:
            self._tables[name] = tuple(self._read(name))
        return self._tables[name]

    def by(self, table: str, field: str, value: Any) -> tuple[Row, ...]:
        """The rows of a table whose field has a value, in the table's order; none where there are none."""
        return self._index(table, field).get(value, ())

    def get(self, table: str, field: str, value: Any) -> Row | None:
        """The first row whose field has a value, or None."""
        found = self.by(table, field, value)
        return found[0] if found else None

    def at(self, table: str, field: str, value: Any, as_of: int) -> Row | None:
        """The version of a record valid at a time: `valid_from` ≤ as_of < `valid_to` (null: still valid); None if none."""
        versions = self.by(table, field, value)
        place = (table, field, value)
        if place not in self._starts:
            self._starts[place] = [version["valid_from"] for version in versions]
        at = bisect_right(self._starts[place], as_of) - 1
        if at < 0:
            return None
        until = versions[at]["valid_to"]
        return versions[at] if until is None or as_of < until else None

    def keep(self, name: str, value: Any) -> Any:
        """Keep what a tool derives from the whole world, such as an index of terms, under a name; `kept` gives it back."""
        self._kept[name] = value
        return value

    def kept(self, name: str) -> Any:
        """What was kept under a name, or None."""
        return self._kept.get(name)

    def _index(self, table: str, field: str) -> dict[Any, tuple[Row, ...]]:
        if (table, field) not in self._indexes:
            gathered: dict[Any, list[Row]] = {}
            for row in self.table(table):
                gathered.setdefault(row.get(field), []).append(row)
            versioned = all("valid_from" in row for row in self.table(table)[:1])
            for rows in gathered.values():
                if versioned and len(rows) > 1:
                    rows.sort(key=lambda row: row["valid_from"] or 0)
            self._indexes[(table, field)] = {key: tuple(rows) for key, rows in gathered.items()}
        return self._indexes[(table, field)]

    def _read(self, name: str) -> list[Row]:
        if self._folder is None:
            raise KeyError(name)
        plain, packed = self._folder / f"{name}.jsonl", self._folder / f"{name}.jsonl.gz"
        if not plain.exists() and not packed.exists():
            raise KeyError(name)
        content = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
        return [json.loads(line) for line in content.splitlines()]


def written(row: Row) -> bytes:
    """One row as it stands in a file: keys sorted, no spaces, no ASCII escapes, line feed at the end."""
    return (text.canonical(row) + "\n").encode()
