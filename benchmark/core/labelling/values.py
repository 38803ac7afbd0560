"""Typed equality: when an observed or asserted value is the recorded one.

Ids are equal exactly after NFKC and trimming; text and enumerations after folding (text.norm); numbers within 1e-6 of
the larger, money within 0.005, points in time exactly; percentages and durations by what their stated unit makes of
them; categories and entities also by a name that the records themselves give for the id. Nothing is transliterated or
translated: a name in another language is the same only where a record lists it beside the id.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any

from benchmark.core.labelling import quantities
from benchmark.core.labelling.pointers import member_names, objects, tokens
from benchmark.core.text import norm
from benchmark.core.trajectory import ABSENT

MONEY_TOLERANCE = 0.005

_ID_LIKE = re.compile(
    r"[A-Za-z]{1,4}_[A-Za-z0-9_]*\d[A-Za-z0-9_]*|[A-Z]{1,3}\d{2,}|#?[A-Z]{0,3}\d{5,}|[0-9a-f]{8}-[0-9a-f-]{27}"
)
_ID_NAME = re.compile(r"(?:^|_)ids?$|[a-z]Ids?$")
_MONEY_NAME = re.compile(r"price|cny|amount|refund|fee|payable|deposit|threshold|spend|cost|balance|discount|gmv")
_TIME_NAME = re.compile(r"(?:^|_)(?:ts|at|timestamp|epoch)$|^(?:start|end)_sec$")
_NAME_OF_ID = re.compile(r"(?:^|_)(?:path|name|title|level|label|alias(?:es)?|names|parent\w*)$")
_PATH_SIGN = re.compile(r"[/>›»→|]")
_PATH = re.compile(r"\s*(?:/|>|›|»|→|\|)\s*")
_FIRST_EPOCH = 1_000_000_000
_YES = frozenset({"true", "yes", "y", "1", "是", "对", "真"})
_NO = frozenset({"false", "no", "n", "0", "否", "不", "不是", "假"})


class Names:
    """What the records call an id: from every object that holds an id and beside it a title, name, path or label.

    `sources` are read only when a name is first asked for. A name that stands for two ids stands for none.
    """

    def __init__(self, sources: Callable[[], Iterable[Any]] = tuple) -> None:
        self._sources = sources
        self._pairs: dict[tuple[str, str], None] = {}

    def harvest(self, value: Any) -> None:
        """Learn every id–name pair that a value shows."""
        for found in objects(value):
            identified = _identified(tuple(found))
            if not identified:
                continue
            identifier = found[identified[0]]
            if isinstance(identifier, str):
                for key in identified[1]:
                    names = found[key]
                    for name in names if isinstance(names, list) else (names,):
                        if isinstance(name, str):
                            self._pairs[identifier, name] = None

    def id_of(self, text: str) -> str | None:
        """The id that a text names, or None."""
        return self._id_of.get(norm(text)) or self._id_of.get(_joined(text)) or None

    def of(self, identifier: Any) -> set[str]:
        """The folded names known for an id."""
        if not isinstance(identifier, str):
            return set()
        wanted = exact(identifier)
        return {norm(name) for known, name in self._known if exact(known) == wanted}

    @cached_property
    def _known(self) -> list[tuple[str, str]]:
        for source in self._sources():
            self.harvest(source)
        return list(self._pairs)

    @cached_property
    def _id_of(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for identifier, name in self._known:
            key, folded = exact(identifier), norm(name)
            for spelling in (folded, _joined(folded)) if _PATH_SIGN.search(folded) else (folded,):
                found[spelling] = key if found.get(spelling, key) == key else ""
        return found


@lru_cache(maxsize=4096)
def _identified(keys: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    """Of an object's keys the one that identifies it and those that name it; None where either cannot be told."""
    named = tuple(key for key in keys if _names_id(key))
    ids = [key for key in keys if _is_id_name(key)]
    if not named or not ids or (len(ids) > 1 and ids[0] not in ("id", keys[0])):
        return None
    return ids[0], named


@lru_cache(maxsize=4096)
def _is_id_name(key: str) -> bool:
    return bool(_ID_NAME.search(key))


@lru_cache(maxsize=4096)
def _names_id(key: str) -> bool:
    return bool(_NAME_OF_ID.search(key))


def exact(text: str) -> str:
    """An id as it is compared: NFKC, trimmed, case kept."""
    return text.strip() if text.isascii() else unicodedata.normalize("NFKC", text).strip()


def is_id(value: Any, name: str = "") -> bool:
    """Whether a value is an identifier, by its field's name or by its shape."""
    return isinstance(value, str) and bool(_is_id_name(name) or _ID_LIKE.fullmatch(exact(value)))


def equal(observed: Any, recorded: Any, name: str = "") -> bool:
    """Whether an observed value is the recorded one at a slot. `name` is the field's name and helps to tell its type."""
    if observed is ABSENT or recorded is ABSENT:
        return observed is recorded
    if isinstance(recorded, dict) or isinstance(observed, dict):
        return _equal_objects(observed, recorded)
    if isinstance(recorded, list) or isinstance(observed, list):
        return _equal_lists(observed, recorded, name)
    if recorded is None or observed is None or isinstance(recorded, bool) or isinstance(observed, bool):
        return observed is recorded
    if isinstance(recorded, str) and isinstance(observed, str):
        return _equal_texts(observed, recorded, name)
    return _equal_numbers(observed, recorded, name)


def equal_bundle(observed: Sequence[Any], recorded: Sequence[Any], pointers: Sequence[str]) -> bool:
    """Whether a slot's bundle is the recorded one.

    Where the bundle is an id with what it is called (path, name, title, level), the id decides and the names stand in
    only where no id is shown. Any other bundle must agree in every member.
    """
    names = [(tokens(pointer) or ("",))[-1] for pointer in pointers]
    ids = [at for at, name in enumerate(names) if _is_id_name(name)]
    if ids and all(_names_id(name) for at, name in enumerate(names) if at not in ids):
        shown = [at for at in ids if observed[at] is not ABSENT and observed[at] is not None]
        deciding = shown or [at for at in range(len(names)) if at not in ids and observed[at] is not ABSENT]
        return bool(deciding) and all(equal(observed[at], recorded[at], names[at]) for at in deciding)
    return all(equal(*member) for member in zip(observed, recorded, names, strict=True))


def same(asserted: Any, value: Any, rule: str | None, *, key: str = "", names: Names | None = None) -> bool:
    """Whether an asserted value is the wanted one under a norm of the constraint grammar; without a norm by its type."""
    if asserted is ABSENT or (asserted is None) != (value is None):
        return False
    compare = _NORMS.get(rule or "")
    if compare is None or asserted is None:
        return equal(asserted, value, key)
    return compare(asserted, value, key, names or _NO_NAMES)


def member_name(pointers: Sequence[str], at: int = 0) -> str:
    """The name of one member of a bundle, for a reader."""
    return member_names(pointers)[at] if pointers else ""


def number_under(rule: str | None, value: Any, key: str, scale: Any = None) -> float | None:
    """A value as a number under a norm: percentages on the scale of `scale`, durations in the key's unit; else None."""
    if rule == "ts":
        return quantities.moment(value)
    quantity = quantities.read(value)
    if quantity is None:
        return None
    if quantity.kind == quantities.PERCENT:
        return (
            (quantity.number / 100 if not _in_points(scale, key) else quantity.number)
            if rule in ("percent", "ratio")
            else None
        )
    if quantity.kind == quantities.SECONDS:
        return quantity.number / _unit_seconds(key) if rule == "duration" else None
    if quantity.kind == quantities.CURRENCY:
        return quantity.number if rule in ("money", None) and quantity.unit == "CNY" else None
    return quantity.number


def truth(value: Any) -> bool | None:
    """A value as yes or no, or None."""
    if isinstance(value, bool):
        return value
    folded = norm(str(value))
    return True if folded in _YES else False if folded in _NO else None


def _equal_objects(observed: Any, recorded: Any) -> bool:
    if not isinstance(observed, dict) or not isinstance(recorded, dict) or observed.keys() != recorded.keys():
        return False
    return all(equal(observed[key], recorded[key], key) for key in recorded)


def _equal_lists(observed: Any, recorded: Any, name: str) -> bool:
    if not isinstance(observed, list) or not isinstance(recorded, list) or len(observed) != len(recorded):
        return False
    return all(equal(*pair, name) for pair in zip(observed, recorded, strict=True))


def _equal_texts(observed: str, recorded: str, name: str) -> bool:
    if is_id(recorded, name):
        return exact(observed) == exact(recorded)
    return norm(observed) == norm(recorded) or _equal_numbers(observed, recorded, name)


def _equal_numbers(observed: Any, recorded: Any, name: str) -> bool:
    first, second = quantities.read(observed), quantities.read(recorded)
    if first is None or second is None:
        return False
    kinds = {first.kind, second.kind} - {quantities.BARE}
    if kinds and kinds != {quantities.CURRENCY} and first.kind != second.kind:
        return False
    if {first.unit, second.unit} - {"", "CNY"} and first.unit != second.unit:
        return False
    if _TIME_NAME.search(name) or abs(second.number) >= _FIRST_EPOCH:
        return first.number == second.number
    is_money = quantities.CURRENCY in kinds or _MONEY_NAME.search(name)
    return quantities.close(second.number, first.number, MONEY_TOLERANCE if is_money else None)


def _same_text(asserted: Any, value: Any, key: str, names: Names) -> bool:
    if isinstance(asserted, str) and isinstance(value, str):
        return norm(asserted) == norm(value)
    return equal(asserted, value, key)


def _same_named(asserted: Any, value: Any, key: str, names: Names) -> bool:
    if not isinstance(asserted, str) or not isinstance(value, str):
        return equal(asserted, value, key)
    if exact(asserted) == exact(value) or norm(asserted) == norm(value):
        return True
    wanted = names.id_of(value) or exact(value)
    return wanted in (names.id_of(asserted), _only_id(asserted))


def _same_category(asserted: Any, value: Any, key: str, names: Names) -> bool:
    if _same_named(asserted, value, key, names):
        return True
    if not isinstance(asserted, str) or not isinstance(value, str):
        return False
    given, wanted = _PATH.split(norm(asserted)), _PATH.split(norm(value))
    if len(given) > 1 and len(wanted) > 1:
        return given == wanted
    if len(given) > 1 and any(_joined(asserted) == _joined(name) for name in names.of(value)):
        return True
    return (
        len(given) > 1
        and (given[-1] == wanted[0] or given[-1] in names.of(value))
        and _unclaimed(asserted, value, names)
    )


def _unclaimed(path: str, value: str, names: Names) -> bool:
    """A path names the wanted id unless the records know the very path under another id."""
    return names.id_of(path) in (None, exact(value))


def _same_number(rule: str, tolerance: float | None, asserted: Any, value: Any, key: str) -> bool:
    first, second = number_under(rule, asserted, key, value), number_under(rule, value, key, value)
    if first is None or second is None:
        return False
    return first == second if rule == "ts" else quantities.close(second, first, tolerance)


def _same_truth(asserted: Any, value: Any, key: str, names: Names) -> bool:
    first = truth(asserted)
    return first is not None and first == truth(value)


def _in_points(scale: Any, key: str) -> bool:
    if isinstance(scale, str):
        return False
    quantity = quantities.read(scale)
    return "pct" in key or "percent" in key or (quantity is not None and abs(quantity.number) > 1.5)


def _unit_seconds(key: str) -> float:
    last = key.rsplit("_", 1)[-1].lower()
    return quantities.SECONDS_BY_SUFFIX.get(last, 1.0)


def _only_id(text: str) -> str | None:
    found = set(re.findall(rf"(?<![\w-])(?:{_ID_LIKE.pattern})(?![\w-])", exact(text)))
    return found.pop() if len(found) == 1 else None


def _joined(path: str) -> str:
    return "/".join(_PATH.split(norm(path)))


_NO_NAMES = Names()
_NORMS = {
    "text": _same_text,
    "entity": _same_named,
    "category": _same_category,
    "bool": _same_truth,
    "money": lambda a, v, k, n: _same_number("money", MONEY_TOLERANCE, a, v, k),
    "ratio": lambda a, v, k, n: _same_number("ratio", None, a, v, k),
    "percent": lambda a, v, k, n: _same_number("percent", None, a, v, k),
    "duration": lambda a, v, k, n: _same_number("duration", None, a, v, k),
    "ts": lambda a, v, k, n: _same_number("ts", None, a, v, k),
}
NORMS = frozenset(_NORMS)


def any_same(asserted: Any, wanted: Iterable[Any], rule: str | None, key: str, names: Names) -> bool:
    """Whether an asserted value is one of the wanted ones."""
    return any(same(asserted, value, rule, key=key, names=names) for value in wanted)
