"""Numbers with their units, read out of what people and models write: `1,299.00 元`, `9.4 %`, `2 min`, `１２９９`."""

import math
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

CURRENCY = "money"
PERCENT = "percent"
SECONDS = "seconds"
BARE = ""

_CNY = frozenset({"¥", "元", "cny", "rmb", "yuan", "块", "块钱", "人民币"})
_SIGNS = {
    "¥": "CNY",
    "cny": "CNY",
    "rmb": "CNY",
    "$": "USD",
    "us$": "USD",
    "usd": "USD",
    "€": "EUR",
    "eur": "EUR",
    "£": "GBP",
}
_FOREIGN = {"$": "USD", "usd": "USD", "us$": "USD", "美元": "USD", "€": "EUR", "eur": "EUR", "欧元": "EUR", "£": "GBP"}
_DURATIONS = {
    0.001: ("ms", "msec", "millisecond", "milliseconds", "毫秒"),
    1.0: ("s", "sec", "secs", "second", "seconds", "秒", "秒钟"),
    60.0: ("m", "min", "mins", "minute", "minutes", "分", "分钟"),
    3600.0: ("h", "hr", "hrs", "hour", "hours", "小时", "时"),
    86400.0: ("d", "day", "days", "天", "日"),
}
_SECONDS_IN = {word: size for size, words in _DURATIONS.items() for word in words}
SECONDS_BY_SUFFIX = {
    "ms": 0.001,
    "sec": 1.0,
    "seconds": 1.0,
    "min": 60.0,
    "minutes": 60.0,
    "hours": 3600.0,
    "days": 86400.0,
}
_LONGEST = 60
_NUMBER = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?"
_ONE = re.compile(
    rf"\s*(us\$|cny|rmb|usd|eur|[¥$€£])?\s*({_NUMBER})\s*([%‰]|[a-z¥$€£元块钱美欧人民币毫秒分钟小时天日]*)\s*"
)
_SHANGHAI = timezone(timedelta(hours=8))


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what is known of its unit. Durations are in seconds, percentages in points; `unit` may be empty."""

    number: float
    kind: str = BARE
    unit: str = ""


def read(value: Any) -> Quantity | None:
    """The one quantity a value states, or None. A boolean is no number; a text that says anything else besides is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | Decimal):
        return Quantity(_float(value))
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    text = unicodedata.normalize("NFKC", value).casefold().replace("−", "-").strip().rstrip(".。")
    parts: list[Quantity | None] = []
    position = 0
    while position < len(text):
        found = _ONE.match(text, position)
        if not found or (position and not parts[-1]):
            return None
        parts.append(_part(*found.groups()))
        position = found.end()
    return _together(parts)


def moment(value: Any) -> float | None:
    """A point in time as epoch seconds: a number as it is, an ISO 8601 text; without a zone it is Asia/Shanghai time."""
    quantity = read(value)
    if quantity and quantity.kind == BARE:
        return quantity.number
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    try:
        when = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=_SHANGHAI)).timestamp()


def close(first: float, second: float, tolerance: float | None = None) -> bool:
    """Equal within an absolute tolerance, or without one within 1e-6 of the larger (at least 1e-6)."""
    if tolerance is None:
        tolerance = 1e-6 * max(1.0, abs(first))
    return abs(first - second) <= tolerance + 1e-12 * max(1.0, abs(first))


def _float(value: int | float | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _part(sign: str | None, number: str, unit: str) -> Quantity | None:
    amount = float(number.replace(",", ""))
    unit = unit.strip()
    if sign or unit in _CNY or unit in _FOREIGN:
        named = {_SIGNS[sign]} if sign else set()
        if unit:
            named.add("CNY" if unit in _CNY else _FOREIGN.get(unit, "?"))
        return Quantity(amount, CURRENCY, named.pop()) if len(named) == 1 and "?" not in named else None
    if unit == "%":
        return Quantity(amount, PERCENT)
    if unit == "‰":
        return Quantity(amount / 10, PERCENT)
    if unit in _SECONDS_IN:
        return Quantity(amount * _SECONDS_IN[unit], SECONDS)
    return None if unit else Quantity(amount)


def _together(parts: list[Quantity | None]) -> Quantity | None:
    known = [part for part in parts if part]
    if len(known) != len(parts) or not known:
        return None
    if len(known) == 1:
        return known[0]
    if all(part.kind == SECONDS for part in known):
        return Quantity(sum(part.number for part in known), SECONDS)
    return None
