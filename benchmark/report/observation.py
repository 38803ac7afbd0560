"""One long value opened piece by piece: as a tree, as a table, as text, or searched. No answer grows with the value."""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from benchmark.core import text
from benchmark.core.labelling.pointers import resolve
from benchmark.core.trajectory import ABSENT

CHUNK = 20_000
CHILDREN = 100
OPENED, DEPTH = 160, 8
LEAF = 400
ROWS, COLUMNS, CELL = 50, 24, 160
MATCHES, CONTEXT, LONGEST_SEARCH = 50, 60, 200
TABLE_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Node:
    """One place of a tree. `children` are those from `start` to `upto`, None where they are still to be fetched; `more` follow."""

    key: str
    pointer: str
    kind: str
    count: int = 0
    value: str = ""
    left: int = 0
    children: tuple["Node", ...] | None = ()
    start: int = 0
    upto: int = 0
    more: int = 0
    is_table: bool = False

    @property
    def is_branch(self) -> bool:
        """Whether it holds other places."""
        return self.kind in ("object", "list") and self.count > 0


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a list of flat objects from `start` on: each cell a shown value, empty where the row lacks the column."""

    pointer: str
    columns: tuple[str, ...]
    columns_left: int
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    upto: int
    total: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """Characters of a text from `start` to `upto` of `total`."""

    words: str
    start: int
    upto: int
    total: int


@dataclass(frozen=True, slots=True)
class Match:
    """One place found: its offset in the text, and the words around it."""

    start: int
    before: str
    found: str
    after: str


@dataclass(frozen=True, slots=True)
class Found:
    """The first matches of a search and how many there are."""

    matches: tuple[Match, ...]
    count: int


class Opened:
    """A stored value (JSON source text), parsed once. A text that itself is a JSON object or list is read as one."""

    def __init__(self, source: str) -> None:
        value = text.parse(source)
        self.plain = value if isinstance(value, str) else source
        self.value = _read_within(value) if isinstance(value, str) else value

    @property
    def is_tree(self) -> bool:
        """Whether there is anything to unfold."""
        return isinstance(self.value, dict | list) and bool(self.value)

    def table_pointer(self) -> str | None:
        """Where the first list of flat objects stands, within three levels; None where there is none."""
        waiting: deque[tuple[str, Any, int]] = deque([("", self.value, 0)])
        while waiting:
            pointer, value, depth = waiting.popleft()
            if is_table(value):
                return pointer
            if isinstance(value, dict) and depth < TABLE_DEPTH:
                waiting.extend((f"{pointer}/{_token(key)}", member, depth + 1) for key, member in value.items())
        return None

    def at(self, pointer: str) -> Any:
        """The value a pointer addresses; ABSENT where nothing stands there."""
        return resolve(self.value, pointer)


def node(value: Any, pointer: str = "", start: int = 0) -> Node:
    """The place a value stands at, its children from `start` on, and below them as many as fit: about 160 in all."""
    return _node("", pointer, value, _to_open(value, pointer, start), start)


def table(value: Any, pointer: str = "", start: int = 0) -> Table | None:
    """Up to 50 rows of a list of flat objects from `start` on; None where the value is no such list."""
    if not is_table(value):
        return None
    columns = list(dict.fromkeys(key for row in value[: 2 * ROWS] for key in row))
    rows = tuple(
        (number, _cells(row, columns[:COLUMNS])) for number, row in enumerate(value[start : start + ROWS], start)
    )
    return Table(
        pointer,
        tuple(text.shown(column) for column in columns[:COLUMNS]),
        max(0, len(columns) - COLUMNS),
        rows,
        start + len(rows),
        len(value),
    )


def chunk(plain: str, start: int = 0) -> Chunk:
    """20,000 characters of a text from `start` on."""
    start = max(0, min(start, len(plain)))
    words = plain[start : start + CHUNK]
    return Chunk(text.shown(words), start, start + len(words), len(plain))


def find(plain: str, wanted: str) -> Found:
    """The places at which words stand in a text, upper and lower case alike; the first 50 with what is around them."""
    pattern = re.compile(re.escape(wanted[:LONGEST_SEARCH]), re.IGNORECASE)
    matches, count = [], 0
    for count, place in enumerate(pattern.finditer(plain), start=1):
        if count <= MATCHES:
            matches.append(_match(plain, *place.span()))
    return Found(tuple(matches), count)


def is_table(value: Any) -> bool:
    """Whether a value is a list of at least two objects that hold no further objects or lists; judged by its first 100."""
    if not isinstance(value, list) or len(value) < 2:
        return False
    first = value[: 2 * ROWS]
    if not all(isinstance(row, dict) and row for row in first):
        return False
    return not any(isinstance(member, dict | list) and member for row in first for member in row.values())


def _read_within(plain: str) -> Any:
    if not plain.lstrip().startswith(("{", "[")):
        return plain
    try:
        return text.parse(plain)
    except text.BadJson:
        return plain


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from ((str(index), member) for index, member in enumerate(value))


def _to_open(value: Any, pointer: str, start: int) -> frozenset[str]:
    """The pointers of the branches whose children are shown at once: level by level, while they fit."""
    opened, left = {pointer}, OPENED
    waiting: deque[tuple[str, Any, int, int]] = deque([(pointer, value, start, 0)])
    while waiting:
        at, branch, first, depth = waiting.popleft()
        size = min(len(branch) - first, CHILDREN) if isinstance(branch, dict | list) else 0
        if depth and (depth > DEPTH or not 0 < size <= left):
            continue
        opened.add(at)
        left -= size
        for key, member in _page(branch, first):
            if isinstance(member, dict | list):
                waiting.append((f"{at}/{_token(key)}", member, 0, depth + 1))
    return frozenset(opened)


def _page(value: Any, start: int) -> list[tuple[str, Any]]:
    members = _members(value)
    return [member for index, member in zip(range(start + CHILDREN), members, strict=False) if index >= start]


def _node(key: str, pointer: str, value: Any, opened: frozenset[str], start: int = 0) -> Node:
    shown_key = text.shown(key)
    if not isinstance(value, dict | list):
        whole = text.plain(value)
        kind = "text" if isinstance(value, str) else "number"
        return Node(shown_key, pointer, kind, value=text.shown(whole[:LEAF]), left=max(0, len(whole) - LEAF))
    kind = "object" if isinstance(value, dict) else "list"
    if pointer not in opened:
        return Node(shown_key, pointer, kind, len(value), children=None if value else (), is_table=is_table(value))
    page = _page(value, start)
    children = tuple(_node(name, f"{pointer}/{_token(name)}", member, opened) for name, member in page)
    upto = start + len(page)
    more = len(value) - upto
    return Node(shown_key, pointer, kind, len(value), "", 0, children, start, upto, more, is_table(value))


def _token(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _cells(row: Any, columns: list[str]) -> tuple[str, ...]:
    if isinstance(row, dict):
        return tuple(_cell(row.get(column, ABSENT)) for column in columns)
    return (_cell(row), *([""] * (len(columns) - 1)))


def _cell(value: Any) -> str:
    if value is ABSENT:
        return ""
    whole = text.plain(value)
    return text.shown(whole[:CELL]) + ("…" if len(whole) > CELL else "")


def _match(plain: str, start: int, end: int) -> Match:
    before = plain[max(0, start - CONTEXT) : start]
    after = plain[end : end + CONTEXT]
    return Match(start, *(text.shown(part) for part in (before, plain[start:end], after)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look into a long value: the view asked for, the others there are, and what the view shows."""

    view: str
    views: tuple[str, ...]
    characters: int
    pointer: str = ""
    wanted: str = ""
    node: Node | None = None
    table: Table | None = None
    chunk: Chunk | None = None
    found: Found | None = None
    goes_on: bool = False

    def context(self, here: str, part: str) -> dict[str, object]:
        """What its templates need: itself, what it shows, its address, the name of the value (`observation-R4`), a title."""
        noun, _, number = part.partition("-")
        title = f"{noun.capitalize()} of {number}" if number else noun.capitalize()
        shown = {"node": self.node, "table": self.table, "chunk": self.chunk, "found": self.found}
        return {"look": self, "here": here, "part": part, "title": title, **shown}

    def template(self, fragment: bool, target: str | None) -> str:
        """What shows it: the page, the viewer that stands on a page, or only what the viewer fetches on.

        `goes_on` says that the address asks for more children, rows or characters; a viewer has an id to be swapped by,
        its inner places have none.
        """
        if not fragment:
            return "benchmark/observation.html"
        if target or not self.goes_on:
            return "benchmark/_observation.html"
        return f"benchmark/_observation_{'found' if self.view == 'find' else self.view}.html"


def plain_text(source: str) -> bytes:
    """A stored value as the agent saw it, in UTF-8; what that cannot hold (a lone surrogate) comes out as an escape."""
    return text.plain(text.parse(source)).encode("utf-8", "backslashreplace")


def look(source: str, asked: Mapping[str, str]) -> Look | None:
    """Answer one address: `view` tree, table or text (else the one that suits), `at` a pointer, `from` an offset, `q` words.

    `source` is JSON source text. None where the pointer addresses nothing.
    """
    opened = Opened(source)
    tabular = opened.table_pointer()
    views = ("tree",) * opened.is_tree + ("table",) * (tabular is not None) + ("text",)
    view = asked.get("view", "")
    view = view if view in views else "table" if tabular == "" else views[0]
    pointer, start, wanted = asked.get("at", ""), _count(asked.get("from", "")), asked.get("q", "").strip()
    goes_on = "at" in asked or "from" in asked
    known = Look(view=view, views=views, characters=len(opened.plain), pointer=pointer, wanted=wanted, goes_on=goes_on)
    if wanted:
        return replace(known, view="find", found=find(opened.plain, wanted))
    value = opened.at(pointer)
    if value is ABSENT:
        return None
    if view == "table":
        shown = table(value, pointer, start) or table(opened.at(tabular or ""), tabular or "", start)
        return replace(known, table=shown)
    if view == "tree":
        return replace(known, node=node(value, pointer, start))
    plain = opened.plain if not pointer else text.plain(value)
    return replace(known, chunk=chunk(plain, start))


def _count(given: str) -> int:
    return int(given) if given.isdecimal() and given.isascii() and len(given) < 10 else 0
