"""The result constraint of a unit: its grammar, what each clause means in words, and whether a value satisfies it.

    {"required": [{key, op, value, norm}], "forbidden": [{key, op, value, norm}],
     "evidence": [{tool, pointer, op, value, norm}], "answer_keys": {key: type}}

A required clause must hold for the value that the answer asserts under its key, a forbidden clause must not; an evidence
clause must hold at a pointer into an observation of the named tool, in the reference evidence or in a new observation.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.core.labelling import quantities
from benchmark.core.labelling.values import NORMS, Names, any_same, number_under, same
from benchmark.core.text import norm, plain
from benchmark.core.trajectory import ABSENT

TOLERANCE = {"money": 0.005, "ratio": 0.0005, "percent": 0.05, "duration": 0.5}

_LISTING = re.compile(r"\s*[,;、，；\n|]\s*")
_LONGEST_PATTERN = 200
_LONGEST_SUBJECT = 2_000
_NESTED_REPEAT = re.compile(r"\([^()]*[+*}][^()]*\)\s*[+*{]")
_PARTS = ("required", "forbidden", "evidence")


class BadConstraint(ValueError):
    """A constraint that cannot be judged: an unknown op or norm, a missing member, or a value of the wrong kind."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause. `part` is required, forbidden or evidence; `options` holds n, t, lo, hi, abs, tool and pointer."""

    part: str
    key: str
    op: str
    value: Any
    norm: str | None
    options: Mapping[str, Any]

    @property
    def wanted(self) -> list[Any]:
        """The clause's value as a list."""
        if self.value is ABSENT:
            return []
        return self.value if isinstance(self.value, list) else [self.value]


def clauses(constraint: Mapping[str, Any]) -> list[Clause]:
    """Every clause of a constraint, required first; raise BadConstraint with the clause named where one is not well formed."""
    found = []
    for part in _PARTS:
        listed = constraint.get(part, [])
        if not isinstance(listed, list):
            raise BadConstraint(f"{part} must be a list of clauses")
        found += [_clause(part, at, item) for at, item in enumerate(listed, start=1)]
    return found


def keys_of(constraint: Mapping[str, Any]) -> list[str]:
    """The keys that an answer is asked for, in order: the declared answer keys, then keys only clauses name."""
    declared = constraint.get("answer_keys")
    named = list(declared) if isinstance(declared, dict) else []
    for part in ("required", "forbidden"):
        listed = constraint.get(part)
        for item in listed if isinstance(listed, list) else []:
            if isinstance(item, dict) and isinstance(item.get("key"), str) and item["key"] not in named:
                named.append(item["key"])
    return named


def holds(clause: Clause, asserted: Any, names: Names | None = None) -> bool:
    """Whether a value satisfies a clause's operation. ABSENT (the key is not given) satisfies `absent` alone.

    For a forbidden clause a list asserts each of its members.
    """
    if clause.op == "absent":
        return asserted is ABSENT or asserted in (None, "", [], {})
    if asserted is ABSENT:
        return False
    return _OPS[clause.op](clause, asserted, names or Names())


def in_words(constraint: Mapping[str, Any]) -> list[str]:
    """A constraint as plain sentences, one a clause, in the order of `clauses`; raise BadConstraint like it."""
    return [sentence(clause) for clause in clauses(constraint)]


def sentence(clause: Clause) -> str:
    """One clause as a sentence."""
    must = _WORDS[clause.op](clause) + _NORM_WORDS.get(clause.norm or "", "")
    if clause.part == "evidence":
        where = clause.options["pointer"] or "as a whole"
        return f"The evidence of {clause.options['tool']} at {where} must {must}."
    return f"The answer's {clause.key} must {'not ' if clause.part == 'forbidden' else ''}{must}."


def listed(value: Any) -> list[Any]:
    """An asserted value as a list: a text is split at commas, semicolons and lines; nothing is dropped but empty parts."""
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [part for part in _LISTING.split(value.strip()) if part]
    return [] if value is None or value is ABSENT else [value]


def _clause(part: str, at: int, item: Any) -> Clause:
    where = f"{part} clause {at}"
    if not isinstance(item, dict):
        raise BadConstraint(f"{where} is not an object")
    op, rule = item.get("op"), item.get("norm")
    if op not in _OPS and op != "absent":
        raise BadConstraint(f"{where}: {op!r} is not an operation")
    if rule is not None and rule not in NORMS:
        raise BadConstraint(f"{where}: {rule!r} is not a norm")
    key = item.get("key", "")
    if part != "evidence" and not (isinstance(key, str) and key):
        raise BadConstraint(f"{where} names no key")
    if part == "evidence" and not (isinstance(item.get("tool"), str) and isinstance(item.get("pointer"), str)):
        raise BadConstraint(f"{where} names no tool or no pointer")
    clause = Clause(part, key, op, item.get("value", ABSENT), rule, item)
    _check(clause, where)
    return clause


def _check(clause: Clause, where: str) -> None:
    if clause.op == "range":
        if None in _bounds(clause):
            raise BadConstraint(f"{where}: a range needs lo and hi")
        return
    if clause.op != "absent" and clause.value is ABSENT:
        raise BadConstraint(f"{where} has no value")
    if clause.op in _LIST_OPS and not isinstance(clause.value, list):
        raise BadConstraint(f"{where}: {clause.op} needs a list of values")
    if clause.op == "overlap_ge" and not _is_count(clause.options.get("n")):
        raise BadConstraint(f"{where}: overlap_ge needs a whole number n")
    if clause.op == "jaccard_ge" and quantities.read(clause.options.get("t")) is None:
        raise BadConstraint(f"{where}: jaccard_ge needs a number t")
    if clause.op == "regex":
        _pattern(clause, where)


def _pattern(clause: Clause, where: str = "a regex clause") -> re.Pattern[str]:
    source = clause.value
    if not isinstance(source, str) or len(source) > _LONGEST_PATTERN or _NESTED_REPEAT.search(source):
        raise BadConstraint(f"{where}: the pattern is too long, or repeats a repetition")
    try:
        return re.compile(source)
    except re.error as error:
        raise BadConstraint(f"{where}: the pattern is broken ({error})") from None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _bounds(clause: Clause) -> tuple[float | None, float | None]:
    pair = clause.value if isinstance(clause.value, list) and len(clause.value) == 2 else [None, None]
    low, high = (clause.options.get(name, pair[at]) for at, name in enumerate(("lo", "hi")))
    return number_under(clause.norm, low, clause.key, high), number_under(clause.norm, high, clause.key, high)


def _members(clause: Clause, asserted: Any) -> list[Any]:
    return asserted if clause.part == "forbidden" and isinstance(asserted, list) else [asserted]


def _equals(clause: Clause, asserted: Any, names: Names) -> bool:
    if isinstance(clause.value, list) and isinstance(asserted, list):
        return len(asserted) == len(clause.value) and _starts_with(clause, asserted, names)
    return any(same(one, clause.value, clause.norm, key=clause.key, names=names) for one in _members(clause, asserted))


def _is_in(clause: Clause, asserted: Any, names: Names) -> bool:
    return any(any_same(one, clause.wanted, clause.norm, clause.key, names) for one in _members(clause, asserted))


def _shared(clause: Clause, asserted: Any, names: Names) -> tuple[int, int, int]:
    """How many wanted values are asserted, how many asserted ones are wanted, and how many distinct ones are asserted."""
    given = _distinct(listed(asserted), clause, names)
    found = [value for value in clause.wanted if any_same(value, given, clause.norm, clause.key, names)]
    found += [
        v
        for v in clause.wanted
        if v not in found and any(same(g, v, clause.norm, key=clause.key, names=names) for g in given)
    ]
    hits = [one for one in given if any_same(one, clause.wanted, clause.norm, clause.key, names)]
    return len(found), len(hits), len(given)


def _distinct(values: Sequence[Any], clause: Clause, names: Names) -> list[Any]:
    kept: list[Any] = []
    for value in values:
        if not any_same(value, kept, clause.norm, clause.key, names):
            kept.append(value)
    return kept


def _set_equals(clause: Clause, asserted: Any, names: Names) -> bool:
    found, hits, given = _shared(clause, asserted, names)
    return found == len(clause.wanted) and hits == given


def _superset(clause: Clause, asserted: Any, names: Names) -> bool:
    return _shared(clause, asserted, names)[0] == len(clause.wanted)


def _subset(clause: Clause, asserted: Any, names: Names) -> bool:
    _, hits, given = _shared(clause, asserted, names)
    return given > 0 and hits == given


def _overlaps(clause: Clause, asserted: Any, names: Names) -> bool:
    return _shared(clause, asserted, names)[1] >= clause.options["n"]


def _jaccard(clause: Clause, asserted: Any, names: Names) -> bool:
    found, hits, given = _shared(clause, asserted, names)
    union = given + len(clause.wanted) - found
    return union > 0 and hits / union >= float(clause.options["t"])


def _in_range(clause: Clause, asserted: Any, names: Names) -> bool:
    low, high = _bounds(clause)
    number = number_under(clause.norm, asserted, clause.key, clause.options.get("hi", clause.wanted[-1:] or None))
    return number is not None and low is not None and high is not None and low <= number <= high


def _approximates(clause: Clause, asserted: Any, names: Names) -> bool:
    wanted = number_under(clause.norm, clause.value, clause.key, clause.value)
    number = number_under(clause.norm, asserted, clause.key, clause.value)
    return wanted is not None and number is not None and quantities.close(wanted, number, tolerance(clause))


def tolerance(clause: Clause) -> float | None:
    """The absolute tolerance of an `approx` clause: its own, else its norm's; percentage points on the value's scale."""
    own = quantities.read(clause.options.get("abs"))
    if own is not None:
        return own.number
    given = TOLERANCE.get(clause.norm or "")
    value = quantities.read(clause.value)
    if (
        clause.norm == "percent"
        and value
        and value.kind == quantities.BARE
        and abs(value.number) <= 1.5
        and "pct" not in clause.key
    ):
        return 0.0005
    return given


def _starts_with(clause: Clause, asserted: Any, names: Names) -> bool:
    given = listed(asserted)
    if len(given) < len(clause.wanted):
        return False
    pairs = zip(given, clause.wanted, strict=False)
    return all(same(one, wanted, clause.norm, key=clause.key, names=names) for one, wanted in pairs)


def _matches(clause: Clause, asserted: Any, names: Names) -> bool:
    return bool(_pattern(clause).search(plain(asserted)[:_LONGEST_SUBJECT]))


def _contains_any(clause: Clause, asserted: Any, names: Names) -> bool:
    given = listed(asserted)
    if any(any_same(one, clause.wanted, clause.norm, clause.key, names) for one in given):
        return True
    whole = norm(asserted) if isinstance(asserted, str) else ""
    return bool(whole) and any(isinstance(value, str) and norm(value) in whole for value in clause.wanted)


_OPS: dict[str, Callable[[Clause, Any, Names], bool]] = {
    "eq": _equals,
    "ne": lambda clause, asserted, names: not _equals(clause, asserted, names),
    "in": _is_in,
    "not_in": lambda clause, asserted, names: not _is_in(clause, asserted, names),
    "set_eq": _set_equals,
    "superset": _superset,
    "subset": _subset,
    "overlap_ge": _overlaps,
    "jaccard_ge": _jaccard,
    "range": _in_range,
    "approx": _approximates,
    "prefix_order": _starts_with,
    "regex": _matches,
    "contains_any": _contains_any,
}
_LIST_OPS = frozenset(
    {"in", "not_in", "set_eq", "superset", "subset", "overlap_ge", "jaccard_ge", "prefix_order", "contains_any"}
)
OPS = frozenset(_OPS) | {"absent"}

_NORM_WORDS = {
    "category": ", by id, name or path",
    "entity": ", by id, title or alias",
    "money": ", as an amount of money",
    "percent": ", as a percentage",
    "duration": ", as a duration",
    "ts": ", as a point in time",
    "bool": ", as yes or no",
}


def _told(value: Any) -> str:
    return f"“{value}”" if isinstance(value, str) else plain(value)


def _all_told(clause: Clause) -> str:
    return ", ".join(_told(value) for value in clause.wanted) or "nothing"


_WORDS: dict[str, Callable[[Clause], str]] = {
    "eq": lambda clause: f"equal {_told(clause.value)}",
    "ne": lambda clause: f"differ from {_told(clause.value)}",
    "in": lambda clause: f"be one of {_all_told(clause)}" if len(clause.wanted) > 1 else f"be {_all_told(clause)}",
    "not_in": lambda clause: f"be none of {_all_told(clause)}",
    "set_eq": lambda clause: f"list exactly {_all_told(clause)}",
    "superset": lambda clause: f"list at least {_all_told(clause)}",
    "subset": lambda clause: f"list one or more of {_all_told(clause)} and nothing else",
    "overlap_ge": lambda clause: f"list at least {clause.options['n']} of {_all_told(clause)}",
    "jaccard_ge": lambda clause: (
        f"overlap {_all_told(clause)} by a Jaccard index of at least {plain(clause.options['t'])}"
    ),
    "range": lambda clause: "lie between {} and {}".format(
        *(f"{bound:g}" for bound in _bounds(clause) if bound is not None)
    ),
    "approx": lambda clause: f"be within {tolerance(clause) or 1e-6:g} of {_told(clause.value)}",
    "prefix_order": lambda clause: f"begin with {_all_told(clause)} in this order",
    "regex": lambda clause: f"match the pattern {_told(clause.value)}",
    "absent": lambda clause: "be left out",
    "contains_any": lambda clause: f"contain any of {_all_told(clause)}",
}
