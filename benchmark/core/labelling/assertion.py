"""What a final answer asserts under each key: from its result object, else out of its text where that is unambiguous."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmark.core.labelling import quantities
from benchmark.core.labelling.constraint import Clause, listed
from benchmark.core.labelling.values import Names, equal, is_id
from benchmark.core.text import BadJson, norm, parse_at
from benchmark.core.trajectory import ABSENT, Final

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[。！？；\n]+")
_REJECTS = re.compile(
    r"\b(?:not|rather than|instead of|no longer|wrong(?:ly)?|incorrect(?:ly)?|mistaken(?:ly)?|prefix|earlier|previous(?:ly)?"
    r"|originally|initial(?:ly)?|first (?:copy|fetch|call|observation|result|value)|was|were|had|said|says|claimed|listed"
    r"|although|though|despite|against|conflict\w*|contradict\w*|reject\w*|exclud\w*|ignor\w*|unlike|versus|vs|stale|outdated"
    r"|but|however|polluted|corrected|replaced|discarded|suspicious|inconsistent)\b|n['’]t\b"
    r"|不是|而非|并非|而不是|原来|之前|原先|上一步|错误|有误|排除|不应|但|却|矛盾|不符|不一致",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|rather than|instead of|no longer|isn['’]t|wasn['’]t)\b|不是|并非|而非|而不是)\W*(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b|或者?|还是|/", re.IGNORECASE)
_VALUE_END = re.compile(r"(?<=[^\d])\.\s|;|；|。| — ")
_LIST_END = re.compile(r"\.\s(?=[A-Z])|。")
_SET_OPS = frozenset({"set_eq", "subset", "superset", "overlap_ge", "jaccard_ge", "prefix_order", "contains_any"})
_OPEN_SETS = frozenset({"superset", "overlap_ge"})
_MOST_OBJECTS = 20
_SHORTEST = 2
_LONGEST_ANSWER = 20_000


@dataclass(frozen=True, slots=True)
class Asserted:
    """The asserted value of each key (ABSENT where none could be read) and, where it was not simply given, how it was read."""

    values: Mapping[str, Any]
    notes: Mapping[str, str] = field(default_factory=dict)

    def get(self, key: str) -> Any:
        """The value asserted under a key, or ABSENT."""
        return self.values.get(key, ABSENT)


def read(final: Final, keys: Iterable[str], clauses: Sequence[Clause], names: Names) -> Asserted:
    """What an answer asserts. A key in the result object counts as given there, be it null; the text fills only gaps.

    From the text a value is taken where a JSON object or a `key: value` line gives it, or where exactly one of the
    values that the constraint knows for the key is stated. Two stated values (“either A or B”) are none.
    """
    values: dict[str, Any] = dict(final.result or {})
    notes: dict[str, str] = {}
    text = final.answer[:_LONGEST_ANSWER]
    embedded: Mapping[str, Any] | None = None
    for key in keys:
        if key in values:
            continue
        embedded = _embedded(text, keys) if embedded is None else embedded
        value, how = _from_text(text, key, embedded, [clause for clause in clauses if clause.key == key], names)
        notes[key] = how
        if value is not ABSENT:
            values[key] = value
    return Asserted(values, notes)


def contradiction(text: str, clauses: Sequence[Clause], names: Names) -> tuple[str, Any] | None:
    """The key and the forbidden value that an answer's text asserts against its own result object, or None.

    A value that is mentioned only to be rejected, or beside the right value as what an earlier step said, is not
    asserted; both values joined by “or” are a hedge, which is no commitment.
    """
    text = text[:_LONGEST_ANSWER]
    for clause in clauses:
        if clause.part != "forbidden" or clause.op not in ("eq", "in", "contains_any"):
            continue
        wanted = [
            value for other in clauses if other.part == "required" and other.key == clause.key for value in other.wanted
        ]
        for value in clause.wanted:
            if not _is_telling(value):
                continue
            if _is_hedged(text, value, wanted, names):
                return clause.key, value
            if _is_asserted(text, value, names) and not any(_is_stated(text, right, names) for right in wanted):
                return clause.key, value
    return None


def _from_text(
    text: str, key: str, embedded: Mapping[str, Any], clauses: list[Clause], names: Names
) -> tuple[Any, str]:
    if key in embedded:
        return embedded[key], "read from the object in the text"
    is_list = any(clause.op in _SET_OPS for clause in clauses)
    lines = _lines(text, key, is_list)
    if lines:
        first = listed(lines[0]) if is_list else lines[0]
        agree = all(equal(listed(line) if is_list else line, first) for line in lines[1:])
        return (first, "read from the text") if agree else (ABSENT, "the text states it in two ways")
    return _known_value(text, clauses, names)


def _known_value(text: str, clauses: list[Clause], names: Names) -> tuple[Any, str]:
    """The one value of those the constraint knows that the text states; for an open list, all that it states."""
    ops = {clause.op for clause in clauses if clause.part == "required"}
    stated = _distinct(value for clause in clauses for value in clause.wanted if _is_stated(text, value, names))
    if ops & _OPEN_SETS:
        return (stated, "read from the text") if stated else (ABSENT, "the text does not state it")
    if ops & _SET_OPS:
        return ABSENT, "the text does not list it under its key"
    if len(stated) > 1:
        forbidden = [value for clause in clauses if clause.part == "forbidden" for value in clause.wanted]
        kept = [
            value
            for value in stated
            if not any(equal(value, bad) for bad in forbidden) or _is_asserted(text, value, names)
        ]
        hedged = any(_is_hedged(text, bad, kept, names) for bad in forbidden)
        stated = stated if hedged else kept
    if len(stated) == 1:
        return stated[0], "read from the text"
    return ABSENT, "the text states several values for it" if stated else "the text does not state it"


def _embedded(text: str, keys: Iterable[str]) -> Mapping[str, Any]:
    wanted = set(keys)
    found: Mapping[str, Any] = {}
    for at in [mark.start() for mark in re.finditer(r"\{", text)][:_MOST_OBJECTS]:
        try:
            value, _ = parse_at(text, at)
        except BadJson:
            continue
        if isinstance(value, dict) and wanted & value.keys():
            found = value
    return found


def _lines(text: str, key: str, is_list: bool) -> list[str]:
    name = re.escape(key).replace("_", r"[_\s-]?")
    pattern = rf"(?im)(?:^|[\s\"'*`(|,;，；])\**[\"'`]?{name}[\"'`]?\**\s*[:：=]\s*\**\s*(?P<value>[^\n]+)"
    end = _LIST_END if is_list else _VALUE_END
    return [_tidy(end.split(found["value"], maxsplit=1)[0]) for found in re.finditer(pattern, text)]


def _tidy(value: str) -> str:
    return value.strip().strip("*`\"'").rstrip(".").strip()


def _distinct(values: Iterable[Any]) -> list[Any]:
    kept: list[Any] = []
    for value in values:
        if not any(equal(value, other) for other in kept):
            kept.append(value)
    return kept


def _is_telling(value: Any) -> bool:
    """Whether a value's mention in a text can be recognised: not yes/no, not a small number, not a letter or two."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, str):
        return len(value.strip()) > _SHORTEST or not value.isascii()
    return not isinstance(value, list | dict) and (abs(value) >= 100 or value != int(value))


def _is_stated(text: str, value: Any, names: Names) -> bool:
    """Mentioned, and at least once without being denied on the spot."""
    return any(not _DENIED.search(before) for before, _, _ in _mentions(text, value, names))


def _is_asserted(text: str, value: Any, names: Names) -> bool:
    """Mentioned in a sentence that does not set it against something else."""
    return any(not _REJECTS.search(before + " " + after) for before, _, after in _mentions(text, value, names))


def _is_hedged(text: str, value: Any, right: Sequence[Any], names: Names) -> bool:
    for before, _, after in _mentions(text, value, names):
        for other in right:
            near = [_between(before, other, names, last=True), _between(after, other, names, last=False)]
            if any(between is not None and _OR.search(between) and not _REJECTS.search(between) for between in near):
                return True
    return False


def _between(part: str, value: Any, names: Names, *, last: bool) -> str | None:
    found = list(_mentions(part, value, names))
    if not found:
        return None
    return found[-1][2] if last else found[0][0]


def _mentions(text: str, value: Any, names: Names) -> Iterator[tuple[str, str, str]]:
    """Each mention of a value: the sentence's text before it, the words, and the text after it, folded."""
    for sentence in _SENTENCE.split(text):
        folded = norm(sentence)
        for start, end in _spans(folded, value, names):
            yield folded[:start], folded[start:end], folded[end:]


def _spans(folded: str, value: Any, names: Names) -> Iterator[tuple[int, int]]:
    if isinstance(value, str):
        forms = {norm(value)} | (names.of(value) if is_id(value) else set())
        for form in sorted(forms):
            yield from _word_spans(folded, form)
    elif not isinstance(value, bool | list | dict) and value is not None:
        wanted = quantities.read(value)
        for found in re.finditer(r"[+-]?\d[\d,]*(?:\.\d+)?", folded):
            quantity = quantities.read(found[0].strip(","))
            if wanted and quantity and quantities.close(wanted.number, quantity.number):
                yield found.start(), found.end()


def _word_spans(folded: str, form: str) -> Iterator[tuple[int, int]]:
    if not form:
        return
    edge = r"(?<![a-z0-9_])" if form[0].isascii() else ""
    tail = r"(?![a-z0-9_])" if form[-1].isascii() else ""
    for found in re.finditer(edge + re.escape(form) + tail, folded):
        yield found.start(), found.end()
