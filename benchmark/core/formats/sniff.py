"""Which format a file is, told by its content and never by its name. Looks at no more than its first four megabytes."""

import codecs
import io
import re
import struct
import zipfile
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from benchmark.core import text
from benchmark.core.formats import known
from benchmark.core.formats.known import Known, Support, View
from benchmark.core.formats.messages import are_messages, is_message
from benchmark.core.formats.stream import Found, Layout, values
from benchmark.core.text import BadJson

_HEAD = 4 * 1024 * 1024
_LOOKED_AT = 20
_KEYS_SHOWN = 12
_MAGIC = {
    b"\x1f\x8b": "gzip-compressed: unpack it and bring what is inside",
    b"\x28\xb5\x2f\xfd": "zstd-compressed: unpack it and bring what is inside",
    b"BZh": "bzip2-compressed: unpack it and bring what is inside",
    b"\xfd7zXZ": "xz-compressed: unpack it and bring what is inside",
    b"7z\xbc\xaf": "a 7z archive: unpack it and bring what is inside",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"SQLite format 3": "an SQLite database",
    b"PAR1": "a Parquet table: write its rows as JSON Lines",
}
_KEY_OR_BRACKET = re.compile(r'"((?:[^"\\]++|\\.)*+)(?:"\s*+(:)?|\\?\Z)|[{}\[\]]', re.DOTALL)
_TEXT_VALUE = re.compile(r'\s*"([^"\\]{0,100})"')
_DIFY_EVENT = re.compile(r'^data: ?\{.*"event": ?"(workflow_started|node_started|node_finished)"', re.MULTILINE)
_DIFY_APP = (
    re.compile(r"^app:", re.MULTILINE),
    re.compile(r"^workflow:", re.MULTILINE),
    re.compile(r"^\s+graph:", re.M),
)
# How the decoder lets through a byte that is no UTF-8.
_NO_UTF8 = re.compile("[\udc80-\udcff]")
_BAD_ZIP = (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, struct.error)


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is: short name ("" for none known), name in words, the rule that told, and why it is not read ("" if it is).

    `layout` says how JSON records lie in it; None where it is no JSON.
    """

    format: str
    title: str
    told_by: str
    why: str = ""
    layout: Layout | None = None

    @property
    def readable(self) -> bool:
        """Whether `reading.open_records` reads it."""
        return not self.why


def recognise(stream: BinaryIO) -> Recognised:
    """Tell a file's format from a stream that can seek; leaves it at its beginning. Never raises for any content."""
    stream.seek(0)
    try:
        return _recognise(stream)
    finally:
        stream.seek(0)


def _recognise(stream: BinaryIO) -> Recognised:
    head = stream.read(_HEAD)
    if not head.removeprefix(codecs.BOM_UTF8).strip():
        return _unknown("an empty file", "there is nothing in it")
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        return _archive(stream)
    if problem := _not_text(head):
        return _unknown("not a text file", problem)
    words = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode(head)
    if problem := _wrong_encoding(words):
        return _unknown("text in another encoding", problem)
    if words.lstrip().startswith(("{", "[")):
        return _json(head, words)
    return _other_text(words.strip())


def _not_text(head: bytes) -> str:
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return f"the file is {kind}"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _looks_like_utf16(head):
        return "the file is UTF-16 text: save it as UTF-8 and bring it again"
    if head.lstrip()[0] < 0x20:
        return f"the file is binary: it begins with the bytes {head[:8].hex(' ')}"
    return ""


def _looks_like_utf16(head: bytes) -> bool:
    """Latin text in UTF-16 without a byte order mark: every other byte is NUL."""
    sample = head[:200]
    fewer, more = sorted((sample[::2].count(0), sample[1::2].count(0)))
    return len(sample) >= 4 and more > len(sample) // 2 * 0.8 and fewer < len(sample) // 2 * 0.2


def _wrong_encoding(words: str) -> str:
    """A file whose bytes beyond ASCII are mostly no UTF-8 is in another encoding; a few bad bytes spoil only their records."""
    if words.isascii():
        return ""
    bad = [found.start() for found in _NO_UTF8.finditer(words)]
    if not bad or len(bad) <= sum(character > "\x7f" for character in words) - len(bad):
        return ""
    line = words.count("\n", 0, bad[0]) + 1
    return f"line {line} is not UTF-8 (Latin-1, Windows-1252, GB18030 …?): save the file as UTF-8 and bring it again"


def _archive(stream: BinaryIO) -> Recognised:
    try:
        names = zipfile.ZipFile(stream).namelist()
    except _BAD_ZIP as error:
        return _unknown("a zip archive", f"the archive cannot be opened (cut off?): {error}")
    for name in names:
        if name == "header.json" or name.startswith("_journal/"):
            return _named(known.INSPECT, f"zip with {'header.json' if 'header.json' in names else '_journal/'}", None)
    folders = Counter(name.rpartition("/")[0].rpartition("/")[2] for name in names)
    if folders["simulations"] and any(name.rpartition("/")[2] == "results.json" for name in names):
        return _named(known.TAU2, "zip with results.json and simulations/", None)
    return _unknown("a zip archive", f"unpack it and bring the files inside. Seen in it: {_some(names) or 'nothing'}")


def _json(head: bytes, words: str) -> Recognised:
    layout = _layout(words)
    looked_at = list(islice(values(io.BytesIO(head), layout), _LOOKED_AT))
    first = next((found.value for found in looked_at if isinstance(found.value, dict | list)), None)
    if isinstance(first, dict):
        return _by_record(first, layout)
    if isinstance(first, list):
        return _by_list(first, layout)
    return _by_keys(words, layout, looked_at, is_whole=len(head) < _HEAD)


def _layout(words: str) -> Layout:
    start = len(words) - len(words.lstrip())
    is_list = words[start] == "["
    try:
        _, end = text.parse_at(words, start)
    except BadJson:
        first_line, more, _ = words[start:].partition("\n")
        if is_list:
            return Layout.LIST
        return Layout.LINES if not more or first_line.rstrip().endswith("}") else Layout.VALUES
    behind = words[end:].lstrip(" \t\r")
    if "\n" in words[start:end] or (behind and not behind.startswith("\n")):
        return Layout.LIST if is_list else Layout.VALUES
    if is_list and not behind.strip():
        return Layout.LIST
    return Layout.LINES


def _by_record(record: dict[str, Any], layout: Layout) -> Recognised:
    format = record.get("format")
    if told := known.told(View(frozenset(record), format if isinstance(format, str) else "", record)):
        return _named(*told, layout)
    if is_message(record):
        if layout is Layout.LIST:
            return _named(known.CHAT, "a list of messages, each with a role", Layout.VALUES)
        return _unknown(
            "one message a record",
            'a record must hold all messages of a trajectory: {"messages": [...]}, one record a line',
            layout,
        )
    return _unknown(layout.value, f"a record has the keys {_some(record) or '(none)'}", layout, formats=True)


def _by_list(record: list[Any], layout: Layout) -> Recognised:
    if are_messages(record):
        return _named(known.CHAT, "lists of messages, each with a role", layout)
    return _unknown("a JSON list", f"it holds {len(record)} values that are no records", layout, formats=True)


def _by_keys(words: str, layout: Layout, looked_at: list[Found], *, is_whole: bool) -> Recognised:
    """The first record is long, broken or cut off: its keys may still tell what it is."""
    reason = next((found.why for found in looked_at if found.why), None)
    if reason is None:
        return _unknown(layout.value, "there are no records in it", formats=bool(looked_at))
    if not is_whole:
        reason = "its beginning does not tell what it is"
    keys = _keys(words, depth=2 if layout is Layout.LIST else 1)
    if told := known.told(View(frozenset(keys), keys.get("format", ""))):
        return _named(*told, layout)
    seen = f"its first record cannot be read: {reason}. Keys seen: {_some(keys) or 'none'}"
    return _unknown(layout.value, seen, layout)


def _keys(words: str, depth: int) -> dict[str, str]:
    """The keys at one depth of a JSON text that need not be whole, each with the text under it, if it is a text."""
    keys: dict[str, str] = {}
    now = 0
    for found in _KEY_OR_BRACKET.finditer(words):
        if found[0] in ("{", "["):
            now += 1
        elif found[0] in ("}", "]"):
            now -= 1
        elif found[2] and now == depth:
            value = _TEXT_VALUE.match(words, found.end())
            keys[found[1]] = value[1] if value else ""
            if len(keys) > 10 * _KEYS_SHOWN:
                break
    return keys


def _other_text(start: str) -> Recognised:
    first_line = start.partition("\n")[0].strip()
    if _DIFY_EVENT.search(start):
        return _named(known.DIFY_RUN, "a saved event stream with node events", None)
    if all(mark.search(start) for mark in _DIFY_APP):
        return _named(known.DIFY_DSL, "YAML with app and workflow.graph", None)
    if "," in first_line and {"traceId", "parentObservationId"} & set(re.split(r'[,"]+', first_line)):
        return _named(known.LANGFUSE, "a table with the column parentObservationId or traceId", None)
    return _unknown("text that is not JSON", f"its first line is: {text.shown(first_line[:120])}", formats=True)


def _named(what: Known, told_by: str, layout: Layout | None) -> Recognised:
    if what.support is Support.READ:
        return Recognised(what.format, what.title, told_by, "", layout)
    return Recognised(what.format, what.title, told_by, f"{what.title} ({told_by}): {what.support.value}.", layout)


def _unknown(kind: str, seen: str, layout: Layout | None = None, *, formats: bool = False) -> Recognised:
    why = f"{kind[0].upper()}{kind[1:]}: {seen}."
    if formats:
        why += f" RITE reads {known.READ_IN_WORDS}; it knows {known.TOLD_IN_WORDS} by name."
    return Recognised("", "", kind, why, layout)


def _some(names: Any) -> str:
    shown = [text.shown(str(name))[:40] for name in islice(names, _KEYS_SHOWN)]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
