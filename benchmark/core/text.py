"""JSON and Unicode as RITE keeps them: parsed, written, compared by identity, shown, normalised."""

import hashlib
import json
import re
import secrets
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

_LONGEST_PLAIN_INTEGER = 4000
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_STAND_IN = secrets.token_hex(16)
_NUMBER_STAND_IN = re.compile(f'"{_STAND_IN}([^"]*)"')
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]|\r(?!\n)"
)


class BadJson(ValueError):
    """A text is not JSON that RITE can keep: broken, a duplicate key, NaN or infinity, or nested too deeply."""


class Written(Decimal):
    """A number whose source text differs from what Python would write (`321.10`, `1e5`); it compares by value."""

    source: str

    def __new__(cls, source: str) -> "Written":
        number = super().__new__(cls, source)
        number.source = source
        return number

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | float | Decimal):
            return NotImplemented
        try:
            return float(self) == float(other)
        except OverflowError:
            return super().__eq__(other)

    def __hash__(self) -> int:
        return hash(float(self))

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return (Written, (self.source,))

    def __copy__(self) -> "Written":
        return self

    def __deepcopy__(self, memo: object) -> "Written":
        return self


def parse(source: str | bytes) -> Any:
    """Read one JSON text, numbers kept as written; raise BadJson with a plain reason."""
    try:
        return _DECODER.decode(source.decode("utf-8-sig") if isinstance(source, bytes) else source)
    except RecursionError:
        raise BadJson("nested too deeply") from None
    except UnicodeDecodeError as error:
        raise BadJson(f"not UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise BadJson(f"{error.msg} (line {error.lineno}, column {error.colno})") from None


def parse_at(source: str, start: int) -> tuple[Any, int]:
    """Read the JSON value that begins at an index of a longer text, as `parse` does; also return the index behind it.

    Raises BadJson; a place in its reason is counted from the beginning of the longer text.
    """
    try:
        return _DECODER.raw_decode(source, start)
    except RecursionError:
        raise BadJson("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadJson(f"{error.msg} (character {error.pos})") from None


def write(value: Any) -> str:
    """Write a parsed value as JSON source text: keys in their order, no spaces, numbers as written, no ASCII escapes.

    Control characters and lone surrogates come out escaped, so that every database and file can hold the text.
    Raises BadJson for a value nested too deeply to be read again.
    """
    return _written(value, _ENCODER)


def literal(value: str | None) -> str | None:
    """How a column holds a foreign string: as a JSON literal; an empty string stays empty, so that defaults read as usual."""
    return write(value) if value else value


def canonical(value: Any) -> str:
    """Write a value with sorted keys; two values with the same canonical text are the same record."""
    return _written(value, _SORTING_ENCODER)


def sha256(value: Any) -> str:
    """Hex digest of a value's canonical JSON: the identity of an imported record (64 characters)."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def plain(value: Any) -> str:
    """The text an agent saw for an observation: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else write(value)


def shown(text: str) -> str:
    """Make what a reader cannot see visible: control characters, zero-width and direction marks, lone surrogates.

    Line ends and tabs stay. So do joiners and variation selectors: emoji, Persian and Indic scripts need them.
    """
    return _UNSEEN.sub(_visible, text)


def norm(text: str) -> str:
    """Fold a text for comparison: NFKC, casefold, white space collapsed, variation selectors and joiners dropped."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.sub("[\u200d\ufe00-\ufe0f]", "", folded).split())


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadJson(f"the key {shown(twice)[:80]!r} stands twice in one object")
    return found


def _float(source: str) -> float | Written:
    number = float(source)
    return number if repr(number) == source else _as_written(source)


def _integer(source: str) -> int | Written:
    if len(source) > _LONGEST_PLAIN_INTEGER or source == "-0":
        return _as_written(source)
    return int(source)


def _as_written(source: str) -> Written:
    try:
        return Written(source)
    except InvalidOperation:
        raise BadJson(f"the number {source[:40]} is out of any range") from None


def _constant(name: str) -> NoReturn:
    raise BadJson(f"{name} is not a JSON number")


def _stand_in(value: object) -> str:
    # The encoder can write a number only in Python's own form, so it is given a string that is taken off afterwards.
    # The mark is drawn anew in every process: no text that comes from outside can hold it.
    if isinstance(value, Written):
        return _STAND_IN + value.source
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _written(value: Any, encoder: json.JSONEncoder) -> str:
    try:
        text = encoder.encode(value)
    except RecursionError:
        raise BadJson("nested too deeply") from None
    if _STAND_IN in text:
        text = _NUMBER_STAND_IN.sub(r"\1", text)
    return text if _is_unicode(text) else _LONE_SURROGATE.sub(_escape, text)


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else f"⟨U+{code:04X}⟩"


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_float, parse_int=_integer, parse_constant=_constant, strict=False
)
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False, default=_stand_in
)
_SORTING_ENCODER = json.JSONEncoder(
    ensure_ascii=False,
    separators=(",", ":"),
    allow_nan=False,
    check_circular=False,
    default=_stand_in,
    sort_keys=True,
)
