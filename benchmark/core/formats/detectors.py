"""Keys, e-mail addresses, phone and card numbers in running text, found at the speed of a substring search.

A text is first brought to its *shape*: letters, digits and separators stand for their class. Whatever is looked for
leaves a short mark there that most text has not, and only around such a mark the exact pattern is tried. Meant for logs
full of ids: an order number, an item id, a time stamp or a digest is none of these.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS = frozenset(b"0123456789")
_SEPARATORS = frozenset(b" .()-")
_SHAPE = bytes(
    ord("a" if code in _LETTERS else "1" if code in _DIGITS else "-" if code in _SEPARATORS else ",")
    for code in range(256)
)
_MARK_OF_RANDOM = b"1a"
_MARKS_OF_NUMBERS = (b"1" * 11, b"1-1111")

_TOKEN = re.compile(r"[A-Za-z0-9_.~+/-]*+")
_SHORTEST_SECRET = 8
_LOOKED_BACK = 200
_LONGEST_LABEL = 60
_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[A-Za-z0-9_-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}"
    r"|glpat-[A-Za-z0-9_-]{16,}|AKIA[A-Z0-9]{16}|xox[abeoprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{35}"
    r"|hf_[A-Za-z0-9]{30,}|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"
)
_PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s]*+(?:-----END [A-Z ]*PRIVATE KEY-----)?")
_SIGNS_OF_KEYS = ("sk-", "k_live_", "k_test_", "gh", "glpat-", "AKIA", "xox", "AIza", "hf_", "eyJ")
_LABELS = ("bearer", "api", "authorization", "secret", "token", "password")
_LABEL_BEFORE = re.compile(
    r"(?:\bbearer\s+|(?:api[ _-]?key|authorization|client[_-]?secret|secret[_-]?key|access[_-]?token|auth[_-]?token"
    r"|password)[\"']?\s*[:=]\s*[\"']?(?:(?:basic|bearer|token)\s+)?)\Z"
)
_STAND_IN = re.compile(r"[*xX.…]{3,}|\$\{|\{\{|^<|^your|⟨masked", re.IGNORECASE)

_DOMAIN = re.compile(r"@[A-Za-z0-9](?:[A-Za-z0-9-]*+\.)++[A-Za-z]{2,}+(?![A-Za-z0-9-])")
_LOCAL = re.compile(r"[A-Za-z0-9_+%-](?:[A-Za-z0-9._%+'-]*[A-Za-z0-9_+%-])?$")
_LONGEST_LOCAL = 64
_NO_PERSON = frozenset({"git", "noreply", "no-reply"})

_ABROAD = re.compile(r"\+[0-9][0-9 ().-]{6,20}[0-9]")
_NUMBER_RUN = re.compile(r"[0-9 .()-]*+")
_PHONE = re.compile(
    r"\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}|[0-9]{3}([.-])[0-9]{3}\1[0-9]{4}"
    r"|1[3-9][0-9]([ -]?)[0-9]{4}\2[0-9]{4}|0[1-9][0-9]{1,2}-[0-9]{7,8}"
)
_CARD = re.compile(
    r"[2-6][0-9]{3}([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?![0-9])|62[0-9]{15,17}(?![0-9])"
    r"|3[47][0-9]{2}([ -]?)[0-9]{6}\2[0-9]{5}(?![0-9])|3[068][0-9]{2}([ -]?)[0-9]{6}\3[0-9]{4}(?![0-9])"
)
_NETWORKS = re.compile(
    r"4[0-9]{15}$|5[1-5][0-9]{14}$|2(?:2[2-9]|[3-6][0-9]|7[01])[0-9]{13}$|3[47][0-9]{13}$|3[068][0-9]{12}$"
    r"|35[0-9]{14}$|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}$|62[0-9]{14,17}$"
)
_PIECE_BEFORE = re.compile(r"[A-Za-z0-9_#/+]$|[0-9][.-]$")
_PIECE_AFTER = re.compile(r"[A-Za-z0-9_]|[.-][0-9]")


def _spellings(name: str) -> Iterator[str]:
    words = name.split()
    titles = [word.title() for word in words]
    for between in ("_", "-", "", " "):
        yield from (between.join(words), between.join(words).upper(), between.join(titles))
    yield words[0] + "".join(titles[1:])


SECRET_FIELDS = frozenset(
    chain.from_iterable(
        _spellings(name)
        for name in (
            *("api key", "x api key", "authorization", "client secret", "secret key", "secret", "access token"),
            *("auth token", "password", "private key"),
        )
    )
)


@dataclass(frozen=True, slots=True)
class Span:
    """Where in a text something was found: a key, email, phone or card."""

    kind: str
    start: int
    end: int


def spans(words: str) -> list[Span]:
    """Everything found in a text, in order and without overlaps."""
    shape = words.encode("ascii", "replace").translate(_SHAPE)
    found = chain(_secrets(words, shape), _emails(words), _abroad(words), _numbers(words, shape))
    return apart(found)


def apart(found: Iterable[Span]) -> list[Span]:
    """Spans in order, of overlapping ones the first and longest."""
    kept: list[Span] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def labelled_secret(value: str) -> str:
    """The secret under a key such as `api_key` or `Authorization`, without the scheme; empty for a stand-in or prose."""
    scheme, space, rest = value.partition(" ")
    if space and scheme.casefold() in {"basic", "bearer", "token"}:
        value = rest.strip()
    return value if _is_secret(value) else ""


def _is_secret(value: str) -> bool:
    return len(value) >= _SHORTEST_SECRET and " " not in value and not _STAND_IN.search(value) and _is_random(value)


def _is_random(value: str) -> bool:
    has_digit = any(character.isdigit() for character in value)
    return has_digit or (len(value) >= 16 and value != value.lower() and value != value.upper())


def _secrets(words: str, shape: bytes) -> Iterator[Span]:
    if "-----BEGIN" in words:
        yield from (Span("key", *found.span()) for found in _PEM.finditer(words))
    for start, end in _around(_MARK_OF_RANDOM, _TOKEN, words, shape):
        token = words[start:end].rstrip(".")
        if any(sign in token for sign in _SIGNS_OF_KEYS):
            yield from (
                Span("key", *found.span()) for found in _KEY.finditer(words, start, end) if _is_random(found[0])
            )
        before = words[max(0, start - _LONGEST_LABEL) : start].lower()
        if any(label in before for label in _LABELS) and _LABEL_BEFORE.search(before) and _is_secret(token):
            yield Span("key", start, start + len(token))


def _around(mark: bytes, run: re.Pattern[str], words: str, shape: bytes) -> Iterator[tuple[int, int]]:
    """The runs of characters of one sort in which a mark of the shape stands."""
    at = shape.find(mark)
    while at >= 0:
        before = run.match(words[max(0, at - _LOOKED_BACK) : at][::-1])
        behind = run.match(words, at)
        end = behind.end() if behind else at
        yield at - (before.end() if before else 0), end
        at = shape.find(mark, max(end, at + 1))


def _emails(words: str) -> Iterator[Span]:
    for domain in _DOMAIN.finditer(words):
        local = _LOCAL.search(words[max(0, domain.start() - _LONGEST_LOCAL) : domain.start()])
        if local and local[0].casefold() not in _NO_PERSON:
            yield Span("email", domain.start() - len(local[0]), domain.end())


def _abroad(words: str) -> Iterator[Span]:
    for number in _ABROAD.finditer(words):
        before = words[number.start() - 1 : number.start()]
        if 8 <= sum(map(str.isdigit, number[0])) <= 15 and not (before.isalnum() or before in {")", "."}):
            yield Span("phone", *number.span())


def _numbers(words: str, shape: bytes) -> Iterator[Span]:
    for mark in _MARKS_OF_NUMBERS:
        for start, end in _around(mark, _NUMBER_RUN, words, shape):
            for kind, pattern in (("card", _CARD), ("phone", _PHONE)):
                yield from _numbers_in(words, start, end, kind, pattern)


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
