"""Keys and personal data in a trajectory: found before anything is saved, and masked where a person asks for it."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import Any

from benchmark.core.formats import rite
from benchmark.core.formats.detectors import Span, apart, has_labels, labelled_secret, spans
from benchmark.core.formats.errors import error_of
from benchmark.core.trajectory import Rollout, Step

_BETWEEN = "\x00"  # no pattern reaches over it from one text into the next
_PLACES_NAMED = 5
_LABELLED_FOLLOWED = 200
_STEP_FIELDS = ("thought", "text", "tool", "arguments", "arguments_raw", "observation", "call_id", "usage", "extra")

Exchange = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Finding:
    """One value found: its kind (key, email, phone, card), a sample that does not give it away, how often, and where first."""

    kind: str
    sample: str
    count: int
    where: tuple[str, ...]


def scan(rollout: Rollout) -> list[Finding]:
    """Find keys, e-mail addresses, phone and card numbers in every text of a rollout; equal values are one finding."""
    places: dict[tuple[str, str], list[str]] = {}
    for kind, value, place in _Search(rollout).found():
        places.setdefault((kind, value), []).append(place)
    return [
        Finding(kind, _sample(kind, value), len(found), tuple(dict.fromkeys(found))[:_PLACES_NAMED])
        for (kind, value), found in places.items()
    ]


def mask(rollout: Rollout) -> Rollout:
    """Replace what `scan` finds, in keys too: equal values get equal stand-ins, so that slots compare as before.

    How many values of which kind were masked stands under `masked` among the rollout's extra keys.
    """
    search = _Search(rollout)
    if not any(search.found()):
        return rollout
    stand_ins = _StandIns()
    while any(search.found()):
        rollout = search.masked(stand_ins)
        search = _Search(rollout)
    return replace(rollout, extra={**rollout.extra, "masked": dict(stand_ins.numbers)})


class _StandIns:
    """Names a stand-in for each value, numbered by kind in the order in which they are asked for."""

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()
        self._names: dict[str, str] = {}

    def __call__(self, kind: str, value: str) -> str:
        if value not in self._names:
            self.numbers[kind] += 1
            self._names[value] = f"⟨masked:{kind}-{self.numbers[kind]}⟩"
        return self._names[value]


class _Search:
    """What one rollout holds: in which of its texts something was found, and where in them."""

    def __init__(self, rollout: Rollout) -> None:
        self._rollout = rollout
        self._rest = rite.to_record(replace(rollout, prefix=(), steps=()))
        parts = list(_parts(rollout, self._rest))
        self._parts = [(place, _texts(value)) for place, value in parts]
        texts = list(dict.fromkeys(chain.from_iterable(texts for _, texts in self._parts)))
        joined = _BETWEEN.join(texts)
        labels = has_labels(joined)
        found = spans(joined, has_labels=labels)
        if labels:
            found = apart([*found, *_elsewhere(joined, _labelled([value for _, value in parts]))])
        self._spans = _by_text(found, texts)

    def found(self) -> Iterator[tuple[str, str, str]]:
        """Kind, value and place in words of everything found, as often as it stands in the rollout."""
        for place, texts in self._parts if self._spans else ():
            for words in texts:
                for span in self._spans.get(words, ()):
                    yield span.kind, words[span.start : span.end], place

    def masked(self, exchange: Exchange) -> Rollout:
        """A copy of the rollout with everything found exchanged."""
        masked = rite.from_record(self._exchanged(self._rest, exchange))
        prefix, steps = (
            tuple(self._exchanged_step(step, exchange) for step in kept)
            for kept in (self._rollout.prefix, self._rollout.steps)
        )
        return replace(masked, prefix=prefix, steps=steps)

    def _exchanged_step(self, step: Step, exchange: Exchange) -> Step:
        held = {name: getattr(step, name) for name in _STEP_FIELDS}
        changed = {
            name: self._exchanged(value, exchange)
            for name, value in held.items()
            if not self._spans.keys().isdisjoint(_texts(value))
        }
        if not changed:
            return step
        step = replace(step, **changed)
        return replace(step, error=error_of(step))

    def _exchanged(self, value: Any, exchange: Exchange) -> Any:
        root = [value]
        waiting: list[tuple[Any, Any]] = [(root, 0)]
        while waiting:
            holder, key = waiting.pop()
            held = holder[key]
            if isinstance(held, str):
                holder[key] = self._exchanged_text(held, exchange)
            elif isinstance(held, list | tuple):
                holder[key] = copy = list(held)
                waiting.extend((copy, index) for index in reversed(range(len(copy))))
            elif isinstance(held, dict):
                holder[key] = changed = {self._exchanged_text(name, exchange): item for name, item in held.items()}
                waiting.extend((changed, name) for name in reversed(changed))
        return root[0]

    def _exchanged_text(self, words: str, exchange: Exchange) -> str:
        pieces: list[str] = []
        at = 0
        for span in self._spans.get(words, ()):
            pieces += words[at : span.start], exchange(span.kind, words[span.start : span.end])
            at = span.end
        return "".join(pieces) + words[at:]


def _parts(rollout: Rollout, rest: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Everything a rollout says, in parts with their places in words."""
    for key, value in rest.items():
        if isinstance(value, dict):
            yield from ((f"{key} {inner}", held) for inner, held in value.items())
        else:
            yield key, value
    for number, step in rollout.numbered():
        for name in _STEP_FIELDS:
            if value := getattr(step, name):
                yield f"{number} {name}", value


def _texts(value: Any) -> list[str]:
    """Every text of a JSON value, keys too."""
    texts: list[str] = []
    waiting = [value]
    while waiting:
        value = waiting.pop()
        kind = type(value)  # a record has thousands of values, and isinstance would take twice the time
        if kind is str:
            texts.append(value)
        elif kind is dict:
            texts.extend(value)
            waiting.extend(value.values())
        elif kind is list or kind is tuple:
            waiting.extend(value)
    return texts


def _labelled(value: Any) -> Iterator[str]:
    """What stands under keys such as `api_key` or `Authorization`."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key, held in value.items():
                if isinstance(held, str) and (secret := labelled_secret(key, held)):
                    yield secret
            waiting.extend(value.values())
        elif isinstance(value, list | tuple):
            waiting.extend(value)


def _elsewhere(joined: str, values: Iterable[str]) -> Iterator[Span]:
    """Where labelled secrets stand, with their label or without."""
    for value in list(dict.fromkeys(values))[:_LABELLED_FOLLOWED]:
        start = joined.find(value)
        while start >= 0:
            yield Span("key", start, start + len(value))
            start = joined.find(value, start + len(value))


def _by_text(found: list[Span], texts: list[str]) -> dict[str, list[Span]]:
    """Spans of the joined texts as spans of the single ones."""
    by_text: dict[str, list[Span]] = {}
    ends = list(accumulate(len(words) + 1 for words in texts)) if found else []
    for span in found:
        index = bisect_right(ends, span.start)
        words, begin = texts[index], ends[index] - len(texts[index]) - 1
        own = Span(span.kind, span.start - begin, min(span.end - begin, len(words)))
        by_text.setdefault(words, []).append(own)
    return by_text


def _sample(kind: str, value: str) -> str:
    if kind == "email":
        local, _, domain = value.partition("@")
        return f"{local[0]}…@{domain}"
    if kind == "key":
        return f"{value[:4]}… ({len(value)} characters)"
    return f"…{value[-4:] if kind == 'card' else value[-2:]}"
