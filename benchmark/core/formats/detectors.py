"""Keys, e-mail addresses, phone and card numbers in running text.

Cheap signs are looked for first, at the speed of a substring search, and the exact pattern is tried only where there is
one. Meant for logs full of ids: an order number, an item id, a time stamp or a digest is none of these.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_SIGNS_OF_KEYS = (
    *(
        b"sk-",
        b"_live_",
        b"ghp_",
        b"gho_",
        b"ghs_",
        b"github_pat_",
        b"glpat-",
        b"akia",
        b"xox",
        b"aiza",
        b"hf_",
        b"eyj",
    ),
    b"-----begin",
)
_SIGNS_OF_LABELS = (
    *(b"bearer ", b"api_key", b"api-key", b"apikey", b"authorization", b"secret", b"password", b"access_token"),
)
_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[A-Za-z0-9_-]{16,}|[sr]k_live_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}"
    r"|glpat-[A-Za-z0-9_-]{16,}|AKIA[A-Z0-9]{16}|xox[abeoprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{35}"
    r"|hf_[A-Za-z0-9]{30,}|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"
)
_PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s]*+(?:-----END [A-Z ]*PRIVATE KEY-----)?")
_LABELS = (
    r"(?:x[_-])?(?:api[ _-]?key|authorization|(?:client[_-]?)?secret(?:[_-]?key)?|(?:access|auth)[_-]?token|password)"
)
_LABEL = re.compile(_LABELS, re.IGNORECASE)
_LABELLED = re.compile(
    rf"(?:\bbearer\s+|{_LABELS}[\"']?\s*[:=]\s*[\"']?(?:(?:basic|bearer|token)\s+)?)([^\s\"',;&<>{{}}()]{{8,}})",
    re.IGNORECASE,
)
_STAND_IN = re.compile(r"[*xX.…]{3,}|\$|\{\{|^<|^your|⟨masked", re.IGNORECASE)
_SHORTEST_SECRET = 8

_DOMAIN = re.compile(r"@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++")
_LOCAL = re.compile(r"[A-Za-z0-9_+%-](?:[A-Za-z0-9._%+'-]*[A-Za-z0-9_+%-])?\Z")
_LONGEST_LOCAL = 64
_NO_PERSON = frozenset({"git", "noreply", "no-reply"})

_SHAPE = bytes(
    ord("1") if chr(code) in "0123456789" else ord("-") if chr(code) in " .()-" else 0 for code in range(256)
)
_MARKS_OF_NUMBERS = (b"1" * 11, b"1-1111")
_NUMBER_RUN = re.compile(r"[0-9 .()-]*+")
_LOOKED_BACK = 40
_ABROAD = re.compile(r"\+[0-9][0-9 ().-]{6,20}[0-9]")
_PHONE = re.compile(
    r"\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}|[0-9]{3}([.-])[0-9]{3}\1[0-9]{4}"
    r"|1[3-9][0-9]([ -]?)[0-9]{4}\2[0-9]{4}|0[1-9][0-9]{1,2}-[0-9]{7,8}"
)
_CARD = re.compile(
    r"[2-6][0-9]{3}([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?![0-9])|62[0-9]{15,17}(?![0-9])"
    r"|3[47][0-9]{2}([ -]?)[0-9]{6}\2[0-9]{5}(?![0-9])|3[068][0-9]{2}([ -]?)[0-9]{6}\3[0-9]{4}(?![0-9])"
)
_NETWORKS = re.compile(
    r"4[0-9]{15}\Z|5[1-5][0-9]{14}\Z|2(?:2[2-9]|[3-6][0-9]|7[01])[0-9]{13}\Z|3[47][0-9]{13}\Z|3[068][0-9]{12}\Z"
    r"|35[0-9]{14}\Z|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}\Z|62[0-9]{14,17}\Z"
)
_PIECE_BEFORE = re.compile(r"[A-Za-z0-9_#/+]\Z|[0-9][.-]\Z")
_PIECE_AFTER = re.compile(r"[A-Za-z0-9_]|[.-][0-9]")


@dataclass(frozen=True, slots=True)
class Span:
    """Where in a text something was found: a key, email, phone or card."""

    kind: str
    start: int
    end: int


def spans(words: str, *, has_labels: bool) -> list[Span]:
    """Everything found in a text, in order and without overlaps. `has_labels`: what `has_labels` says of the text."""
    ascii_words = words.encode("ascii", "replace")
    found = [*_emails(words), *_abroad(words), *_numbers(words, ascii_words.translate(_SHAPE))]
    if _has(_SIGNS_OF_KEYS, ascii_words):
        found += _keys(words)
    if has_labels:
        found += (Span("key", *one.span(1)) for one in _LABELLED.finditer(words) if _is_secret(one[1]))
    return apart(found)


def has_labels(words: str) -> bool:
    """Whether a text names a secret anywhere, as in `api_key` or `Authorization`."""
    return _has(_SIGNS_OF_LABELS, words.encode("ascii", "replace"))


def apart(found: Iterable[Span]) -> list[Span]:
    """Spans in order, of overlapping ones the first and longest."""
    kept: list[Span] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def labelled_secret(key: str, value: str) -> str:
    """The secret under a key such as `api_key` or `Authorization`, without its scheme; empty for a stand-in or prose."""
    if not _LABEL.fullmatch(key):
        return ""
    scheme, space, rest = value.partition(" ")
    if space and scheme.casefold() in {"basic", "bearer", "token"}:
        value = rest.strip()
    return value if _is_secret(value) else ""


def _has(signs: Iterable[bytes], ascii_words: bytes) -> bool:
    low = ascii_words.lower()
    return any(sign in low for sign in signs)


def _keys(words: str) -> Iterator[Span]:
    yield from (Span("key", *found.span()) for found in _PEM.finditer(words))
    yield from (Span("key", *found.span()) for found in _KEY.finditer(words) if _is_random(found[0]))


def _is_secret(value: str) -> bool:
    return len(value) >= _SHORTEST_SECRET and " " not in value and not _STAND_IN.search(value) and _is_random(value)


def _is_random(value: str) -> bool:
    """Whether a value is no word of a language: digits stand in it, or capitals inside a long one."""
    has_digit = any(character.isdigit() for character in value)
    return (
        has_digit
        or (len(value) >= 16 and value != value.lower() and value != value.upper())
        or value.startswith("AKIA")
    )


def _emails(words: str) -> Iterator[Span]:
    for domain in _DOMAIN.finditer(words):
        last = domain[0].rpartition(".")[2]
        local = _LOCAL.search(words, max(0, domain.start() - _LONGEST_LOCAL), domain.start())
        if local and len(last) >= 2 and last.isalpha() and local[0].casefold() not in _NO_PERSON:
            yield Span("email", local.start(), domain.end())


def _abroad(words: str) -> Iterator[Span]:
    for number in _ABROAD.finditer(words):
        before = words[number.start() - 1 : number.start()]
        if 8 <= sum(map(str.isdigit, number[0])) <= 15 and not (before.isdigit() or before in {")", "."}):
            yield Span("phone", *number.span())


def _numbers(words: str, shape: bytes) -> Iterator[Span]:
    """Numbers near a mark in the text's shape: eleven digits on end, or a separator between a digit and four more."""
    for mark in _MARKS_OF_NUMBERS:
        at = shape.find(mark)
        while at >= 0:
            before = _NUMBER_RUN.match(words[max(0, at - _LOOKED_BACK) : at][::-1])
            behind = _NUMBER_RUN.match(words, at)
            start, end = at - (before.end() if before else 0), behind.end() if behind else at
            yield from _numbers_in(words, start, end, "card", _CARD)
            yield from _numbers_in(words, start, end, "phone", _PHONE)
            at = shape.find(mark, max(end, at + 1))


def _numbers_in(words: str, start: int, end: int, kind: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    found = pattern.search(words, start, end)
    while found:
        is_one = _stands_alone(words, *found.span()) and (kind == "phone" or _is_card(found[0]))
        if is_one:
            yield Span(kind, *found.span())
        found = pattern.search(words, found.end() if is_one else found.start() + 1, end)


def _stands_alone(words: str, start: int, end: int) -> bool:
    """Whether a number is no piece of a longer name, path or number."""
    return not (_PIECE_BEFORE.search(words, max(0, start - 2), start) or _PIECE_AFTER.match(words, end))


def _is_card(written: str) -> bool:
    digits = re.sub("[ -]", "", written)
    return bool(_NETWORKS.match(digits)) and _luhn(digits)


def _luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, Annex B: from the right every second digit is doubled; the digit sum must be divisible by ten."""
    doubled = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0
