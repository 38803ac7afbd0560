"""JSON and Unicode as RITE keeps them: parsed, written, compared by identity, shown, normalised."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NoReturn

_LONGEST_PLAIN_INTEGER = 4000
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
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
        return float(self) == float(other) if isinstance(other, int | float | Decimal) else NotImplemented

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


def write(value: Any) -> str:
    """Write a parsed value as JSON source text: keys in their order, no spaces, numbers as written, no ASCII escapes.

    Control characters and lone surrogates come out escaped, so that every database and file can hold the text.
    Raises BadJson for a value nested too deeply to be read again.
    """
    return _written(value, _ENCODER, keys=list)


def canonical(value: Any) -> str:
    """Write a value with sorted keys; two values with the same canonical text are the same record."""
    return _written(value, _SORTING_ENCODER, keys=sorted)


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
    return number if repr(number) == source else Written(source)


def _integer(source: str) -> int | Written:
    if len(source) > _LONGEST_PLAIN_INTEGER or source == "-0":
        return Written(source)
    return int(source)


def _constant(name: str) -> NoReturn:
    raise BadJson(f"{name} is not a JSON number")


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"{type(value).__name__} is not written by the plain encoder")


def _written(value: Any, encoder: json.JSONEncoder, keys: Callable[[dict[str, Any]], list[str]]) -> str:
    try:
        try:
            text = encoder.encode(value)
        except TypeError:
            text = _exactly(value, keys)
    except RecursionError:
        raise BadJson("nested too deeply") from None
    return _LONE_SURROGATE.sub(_escape, text)


def _exactly(value: Any, keys: Callable[[dict[str, Any]], list[str]]) -> str:
    if isinstance(value, Written):
        return value.source
    if isinstance(value, dict):
        return "{" + ",".join(f"{_ENCODER.encode(key)}:{_exactly(value[key], keys)}" for key in keys(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_exactly(item, keys) for item in value) + "]"
    return _ENCODER.encode(value)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else f"⟨U+{code:04X}⟩"


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_float, parse_int=_integer, parse_constant=_constant, strict=False
)
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False, default=_refuse
)
_SORTING_ENCODER = json.JSONEncoder(
    ensure_ascii=False,
    separators=(",", ":"),
    allow_nan=False,
    check_circular=False,
    default=_refuse,
    sort_keys=True,
)
