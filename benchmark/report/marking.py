"""Which characters of a shown text are marked: words that signal an anomaly, the gold value, the injected one."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from benchmark.core import text
from benchmark.core.labelling.pointers import scalars

SIGNAL, GOLD, INJECTED = "signal", "gold", "injected"
LEAVES = 24
TOO_SHORT_ALONE = 3


@dataclass(frozen=True, slots=True)
class Span:
    """Characters from start to end of a shown text, and what they are."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Values:
    """The slot's two values as they may stand in a text. A value under 3 characters counts only alone or together with its key."""

    pattern: re.Pattern[str] | None = None
    alone: frozenset[tuple[str, str]] = frozenset()

    def spans(self, shown: str) -> list[Span]:
        """Every place of a text at which one of the values stands, in order."""
        whole = shown.strip('"')
        for kind, form in self.alone:
            if whole == form:
                return [Span(0, len(shown), kind)]
        if self.pattern is None:
            return []
        return [Span(*found.span(), found.lastgroup or GOLD) for found in self.pattern.finditer(shown)]


@dataclass(frozen=True, slots=True)
class Marker:
    """What is marked in one field of a step: fixed places, and wherever the slot's values stand."""

    fixed: tuple[Span, ...] = ()
    values: Values = Values()

    def spans(self, shown: str) -> list[Span]:
        """All places in order; where two overlap the first stands."""
        found = sorted((*self.fixed, *self.values.spans(shown)), key=lambda span: (span.start, -span.end))
        return list(_apart(found))


def pieces(shown: str, spans: Iterable[Span]) -> Iterator[tuple[str, str]]:
    """A text cut at its spans: (kind, characters), kind empty for what is not marked. The pieces together are the text."""
    at = 0
    for span in spans:
        if span.start >= len(shown):
            break
        if at < span.start:
            yield "", shown[at : span.start]
        yield span.kind, shown[span.start : span.end]
        at = span.end
    if at < len(shown):
        yield "", shown[at:]


def signal_spans(source: str | None, highlights: Iterable[dict[str, Any]]) -> tuple[Span, ...]:
    """The highlights of a reading, counted in the source text, as places in the shown text."""
    if source is None:
        return ()
    return tuple(
        Span(len(text.shown(source[: light["start"]])), len(text.shown(source[: light["end"]])), SIGNAL)
        for light in highlights
    )


def slot_values(gold: Sequence[Any], polluted: Sequence[Any], keys: Sequence[str]) -> Values:
    """How to find a slot's values: one member of each list a pointer, `keys` the pointers' last tokens."""
    forms: dict[tuple[str, str], str] = {}
    for key, golden, injected in zip(keys, gold, polluted, strict=True):
        golden_leaves, injected_leaves = _leaves(golden), _leaves(injected)
        for kind, own, other in ((GOLD, golden_leaves, injected_leaves), (INJECTED, injected_leaves, golden_leaves)):
            forms |= {(kind, form): key for form in own if form not in other}
    if not forms:
        return Values()
    longest_first = sorted(forms, key=lambda kind_form: -len(kind_form[1]))
    by_kind = {
        kind: "|".join(_standing(form, forms[its, form]) for its, form in longest_first if its == kind)
        for kind in (GOLD, INJECTED)
    }
    pattern = "|".join(f"(?P<{kind}>{forms})" for kind, forms in by_kind.items() if forms)
    return Values(re.compile(pattern), frozenset(forms))


def _standing(form: str, key: str) -> str:
    if len(form) < TOO_SHORT_ALONE:
        return rf'"{re.escape(key)}"\s*:\s*"?(?:{re.escape(form)})(?![\w.])'
    before = r"(?<!\w)" if form[0].isascii() and form[0].isalnum() else ""
    after = r"(?![\w])" if form[-1].isascii() and form[-1].isalnum() else ""
    return f"{before}{re.escape(form)}{after}"


def _leaves(member: Any) -> list[str]:
    """The texts a value is made of, as they stand in prose and in JSON; the first 24."""
    forms = []
    for leaf in islice(scalars(member), LEAVES):
        plain = text.plain(leaf)
        escaped = json.dumps(plain, ensure_ascii=False)[1:-1]
        forms += [text.shown(form) for form in dict.fromkeys((plain, escaped)) if form.strip()]
    return forms


def _apart(spans: Sequence[Span]) -> Iterator[Span]:
    at = 0
    for span in spans:
        if span.start >= at and span.end > span.start:
            yield span
            at = span.end
