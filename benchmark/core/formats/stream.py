"""JSON values out of a stream, one at a time: a list, JSON Lines, or values one after another. No file is held whole."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, BinaryIO

from benchmark.core import text
from benchmark.core.text import BadJson
from benchmark.core.trajectory import ABSENT

LONGEST_RECORD = 32 * 1024 * 1024

_PIECE = 1024 * 1024
_BETWEEN = re.compile(r"[\s,\ufeff]*")
_SIGN = re.compile(r'["{}\[\]]')
_IN_TEXT = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_OPENING = '{["'
_LONGEST_SCALAR = 5_000
_DEEPEST = 10_000
_TOO_LONG = f"longer than {LONGEST_RECORD // 1024 // 1024} MB, the most one record may have"
_CUT_OFF = "the file ends inside this record: it was cut off"


class Layout(Enum):
    """How records lie in a file: elements of one list, one a line, or one after another (a bare record is one)."""

    LIST = "a JSON list"
    LINES = "JSON Lines"
    VALUES = "a JSON document"


@dataclass(frozen=True, slots=True)
class Found:
    """One record's value, or ABSENT and why it could not be read. Index and line count from 1, the offset in bytes from 0."""

    index: int
    offset: int
    line: int | None = None
    value: Any = ABSENT
    why: str | None = None

    @property
    def locator(self) -> str:
        """Where it stands, in words."""
        return f"line {self.line}" if self.line else f"record {self.index} (byte {self.offset})"


def values(stream: BinaryIO, layout: Layout) -> Iterator[Found]:
    """Yield every record of a stream that stands at its beginning; one that cannot be read is told, and the next follows.

    Holds about one megabyte and one record. A record is at most 32 MB.
    """
    if layout is Layout.LINES:
        return _lines(stream)
    return _records(_Window(stream), in_list=layout is Layout.LIST)


def _lines(stream: BinaryIO) -> Iterator[Found]:
    offset = number = index = 0
    while line := stream.readline(LONGEST_RECORD + 1):
        number += 1
        length = len(line)
        if length > LONGEST_RECORD and not line.endswith(b"\n"):
            while more := stream.readline(_PIECE):
                length += len(more)
                if more.endswith(b"\n"):
                    break
            index += 1
            yield Found(index, offset, number, why=_TOO_LONG)
        elif not line.isspace():
            index += 1
            yield _line(line, Found(index, offset, number))
        offset += length


def _line(line: bytes, place: Found) -> Found:
    try:
        return replace(place, value=text.parse(line.rstrip()))
    except BadJson as error:
        reason = str(error).replace("line 1, ", "")  # the line inside the record, which is one line of the file
        cut = "" if line.endswith((b"\n", b"}", b"]")) else "; it is the last line, so the file was cut off"
        return replace(place, why=f"not JSON that can be read: {reason}{cut}")


def _records(window: "_Window", *, in_list: bool) -> Iterator[Found]:
    if in_list and window.next_begins():
        window.step()
    index = 0
    while window.next_begins():
        if in_list and window.here == "]":
            return
        index += 1
        found = window.take(index)
        yield found
        if not window.goes_on or found.why == _CUT_OFF:
            return
    if in_list:
        yield Found(index + 1, window.offset, why="the file ends before its list does: it was cut off here")


class _Window:
    """A sliding piece of a UTF-8 stream as text. A byte that is no UTF-8 stands in it as a lone surrogate."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._text = ""
        self._at = 0
        self._ended = False
        self.offset = 0
        self.goes_on = True

    @property
    def here(self) -> str:
        return self._text[self._at]

    def next_begins(self) -> bool:
        """Go to where the next value begins; False when the stream ends first."""
        while True:
            self._pass(_BETWEEN.match(self._text, self._at).end())  # type: ignore[union-attr]  # matches nothing too
            if self._at < len(self._text):
                return True
            if self._ended:
                return False
            self._grow()

    def step(self) -> None:
        """Go one character on."""
        self._pass(self._at + 1)

    def take(self, index: int) -> Found:
        """Read the value that begins here and go behind it."""
        try:
            value, end = text.parse_at(self._text, self._at)
        except BadJson:
            return self._take_slowly(index)
        if end == len(self._text) and not self._ended:
            return self._take_slowly(index)
        return self._left(index, end, value)

    def _take_slowly(self, index: int) -> Found:
        """For a value that is broken or goes on behind the window: find its end by its brackets first."""
        if self.here not in _OPENING:
            return self._take_scalar(index)
        offset, nesting = self.offset, _Nesting()
        end = nesting.end(self._text, self._at)
        while end is None and not (self._ended or nesting.is_hostile) and len(self._text) - self._at <= LONGEST_RECORD:
            seen = len(self._text) - self._at
            self._grow()
            end = nesting.end(self._text, seen)
        if nesting.is_hostile:
            self.goes_on = False
            return Found(index, offset, why="nested too deeply, so nothing from here on was read")
        if end is None:
            cut_off = self._ended
            self._run_past(nesting)
            return Found(index, offset, why=_CUT_OFF if cut_off else _TOO_LONG)
        if end - self._at > LONGEST_RECORD:
            self._pass(end)
            return Found(index, offset, why=_TOO_LONG)
        try:
            value = text.parse(self._text[self._at : end])
        except BadJson as error:
            self._pass(end)
            return Found(index, offset, why=f"not JSON that can be read: {error}")
        return self._left(index, end, value)

    def _take_scalar(self, index: int) -> Found:
        while not self._ended and len(self._text) - self._at < _LONGEST_SCALAR:
            self._grow()
        try:
            value, end = text.parse_at(self._text, self._at)
        except BadJson:
            self.goes_on = False
            return Found(index, self.offset, why="no JSON value begins here, so nothing from here on was read")
        return self._left(index, end, value)

    def _left(self, index: int, end: int, value: Any) -> Found:
        offset = self.offset
        is_utf8 = self._pass(end)
        return Found(index, offset, value=value) if is_utf8 else Found(index, offset, why="not UTF-8 text")

    def _run_past(self, nesting: "_Nesting") -> None:
        end = None
        while end is None and not (self._ended or nesting.is_hostile):
            self._pass(len(self._text))
            self._grow()
            end = nesting.end(self._text, 0)
        self.goes_on = not nesting.is_hostile
        self._pass(len(self._text) if end is None else end)

    def _pass(self, end: int) -> bool:
        """Go to an index of the window; say whether all that was passed is UTF-8."""
        passed = self._text[self._at : end]
        self._at = end
        try:
            self.offset += len(passed.encode())
        except UnicodeEncodeError:
            self.offset += len(passed.encode(errors="surrogateescape"))
            return False
        return True

    def _grow(self) -> None:
        piece = self._stream.read(_PIECE)
        self._ended = not piece
        self._text = self._text[self._at :] + self._decoder.decode(piece, final=self._ended)
        self._at = 0


class _Nesting:
    """Finds where a value ends by its brackets and quotes alone, over as many pieces of text as it takes."""

    def __init__(self) -> None:
        self._depth = 0
        self._in_text = False
        self._escaped = False

    @property
    def is_hostile(self) -> bool:
        """Nested deeper than any record that could be read, by so much that its end is not worth looking for."""
        return self._depth > _DEEPEST

    def end(self, source: str, start: int) -> int | None:
        """The index behind the value, if it ends in this piece."""
        at = start + self._escaped
        self._escaped = False
        while at < len(source) and not self.is_hostile:
            at = self._past_text(source, at) if self._in_text else self._past_sign(source, at)
            if self._depth <= 0 and not self._in_text and at <= len(source):
                return at
        return None

    def _past_text(self, source: str, at: int) -> int:
        quote = _IN_TEXT.match(source, at).end()  # type: ignore[union-attr]  # matches nothing too
        self._escaped = source.startswith("\\", quote)
        self._in_text = not source.startswith('"', quote)
        return quote + 1

    def _past_sign(self, source: str, at: int) -> int:
        sign = _SIGN.search(source, at)
        if sign is None:
            return len(source) + 1
        if sign[0] == '"':
            self._in_text = True
        else:
            self._depth += 1 if sign[0] in _OPENING else -1
        return sign.end()
