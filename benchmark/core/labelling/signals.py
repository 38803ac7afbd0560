"""Find where a text states that a concrete content or result is wrong.

A signal is an explicit claim: wrong, inconsistent, implausible, contradictory, missing, failed, stale, not what was
asked for. Diligence without such a claim ("let me verify"), a denied claim ("nothing looks wrong"), a condition ("if
this were wrong") and somebody else's complaint that is merely reported are not signals. A question that names the
conflict is one. Whether the claim concerns the affected evidence is decided elsewhere (relatedness).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from benchmark.core.labelling import lexicon

LONGEST = 200_000


@dataclass(frozen=True, slots=True)
class Signal:
    """A stated anomaly: its span and words in the text, the sentence around it (of a very long one the nearest 400
    characters on each side), the kind of claim, which rule told, and the sentence before, to which it may point back."""

    start: int
    end: int
    words: str
    sentence: str
    kind: str
    rule: str
    lead: str = ""


@dataclass(frozen=True, slots=True)
class _Pattern:
    rule: str
    kind: str
    anchors: tuple[str, ...]
    regex: re.Pattern[str]


_Row = tuple[_Pattern, list[str]]


def _compiled(rows: Iterable[lexicon.Row]) -> tuple[_Pattern, ...]:
    return tuple(
        _Pattern(rule, kind, anchors, re.compile(pattern, re.IGNORECASE)) for rule, kind, anchors, pattern in rows
    )


_ALWAYS = _compiled(lexicon.ENGLISH + lexicon.CHINESE)
_AFTER_FAILURE = _compiled(lexicon.ENGLISH_AFTER_FAILURE + lexicon.CHINESE_AFTER_FAILURE)

_BOUNDARY = re.compile(r"(?<=[.!?])[\"'”’)\]*_]*\s+|(?<=[。！？；])|\n+")
_CLAUSE = re.compile(
    r"[,;:()—–，；：、（）]| - |\b(?:but|because|since|so|which|whereas|although|though|yet|while)\b"
    r"|\band (?=the|this|that|it|its|these|those|here|I\b|we\b)|(?:但|因为|所以|而且|却)",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:\b(?:no(?! doubt)|not(?! only| just| sure)|never|without|nothing|none|neither|nor|nobody|absence of|free of)\b"
    r"|n['’]t\b)(?:\s+\S+){0,4}?\s*$",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|unless|whether|in case|suppose|supposing|assuming|in the event|even if|as long as|whenever|until"
    r"|should (?:the|it|this|that|any|there|an?))\b[^,;，；]*$|\bwould (?:then |also )?(?:be|look|seem|appear)\s+(?:\w+ )?$",
    re.IGNORECASE,
)
_ON_GUARD = re.compile(
    r"\b(?:avoid(?:ing|s)?|prevent(?:ing|s)?|rul(?:e|ed|ing) out|detect(?:ing)?|guard(?:ing)? against|in case of"
    r"|handl(?:e|ing)|ensur(?:e|ing)|mak(?:e|ing) sure|beware of|prone to|test(?:ing)? for|(?:see|find out|know|learn|check) (?:if|whether|what|why|which)"
    r"|(?:check|look|watch|scan|search|screen|compar|inspect)(?:e|s|ed|ing)?(?: \S+){0,4}? (?:for|out for|against|whether|if)"
    r"|(?:possible|potential|future|any(?: possible| potential)?))\b[^,;.，；]{0,30}$",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:user|customer|buyer|client|viewer|commenter|comments?|reviews?|reviewer|host|caller|passenger|guest|shopper"
    r"|you)(?:['’]s)?(?: (?:in|on|of|from) [^,;]{1,25})?(?: (?:also|just|now|have|has|had))? (?:says?|said|complain(?:s|ed|ing)?"
    r"|reports?|reported|claims?|claimed|mention(?:s|ed)?|writes?|wrote|reads?|asks?|asked|thinks?|told|feels?"
    r"|typed|entered|provided|ordered|received|bought|gave|chose|selected|described?|who)\b",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"(?:^\s*|\b(?:any|every|all|each|some|as|that) )(?:tools?(?: (?:results?|outputs?|calls?))?|results?"
    r"|outputs?|data|values?|anything|everything|things|sources?|records?|responses?)\s+(?:may|might|can|could|are sometimes)"
    r"(?: (?:always|sometimes|also|often|still|in principle|occasionally))?\s*$",
    re.IGNORECASE,
)
_GUARD_CHINESE = re.compile(
    r"(?:没有|没|未|并不|并无|并非|不是很|不存在|看不出|毫无|无|不觉得|避免|防止|如果|假如|要是|万一|倘若|若|是否|有没有|以防|排除"
    r"|检查(?:一下)?|检测|确认(?:一下)?是否|看看|会不会|可能会|不会|哪里|不)[^，。；！？]{0,8}$"
)
_REPORTED_CHINESE = re.compile(
    r"(?:用户|买家|顾客|客户|观众|评论(?:里|区)?|主播|你|您)[^，。；]{0,6}(?:说|反映|称|投诉|觉得|问|表示|提到)"
)
_GENERAL_CHINESE = re.compile(
    r"^\s*(?:任何|所有|每个)?(?:工具)?(?:的)?(?:返回|输出)?(?:的)?(?:结果|数据)?(?:都)?(?:可能|也许|有时)"
)
_WHEN = re.compile(r"\bwhen(?:ever)?\b[^,;]*\b(?:is|are|fails|returns|raises|comes|shows)\b", re.IGNORECASE)
_OWN_NEGATION = re.compile(r"(?:\w+n['’]t|cannot|no|not|none|never|nothing)\b", re.IGNORECASE)
_TOOL_SPEAKS = re.compile(r"(?:error|message|return(?:s|ed)?|says?|said|observation|tool|shows?)\W*$", re.IGNORECASE)
_CJK = re.compile(r"[\u4e00-\u9fff]")
_GUARDS = (_CONDITIONAL, _ON_GUARD, _GENERAL, _REPORTED)


class Detector:
    """Finds signals in the texts of one rollout, having looked once over all of them for the literal words they need.

    Most rollouts hold none of most patterns' words; looking once keeps the price of a text without them near nothing.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        said = "\n".join(texts).lower()
        present = _present(said)
        self._always = _possible(_ALWAYS, present)
        self._after_failure = _possible(_AFTER_FAILURE, present)

    def find(self, text: str, *, after_failure: bool = False) -> list[Signal]:
        """As the module's `find`, for one of the texts."""
        text = text[:LONGEST]
        low = text.lower()
        wanted = self._always + self._after_failure if after_failure else self._always
        rows = [row for row in wanted if any(anchor in low for anchor in row[1])]
        if not rows:
            return []
        found = []
        lead = (0, 0)
        for start, end in _sentences(text):
            signal = _first(text, low, start, end, rows)
            if signal:
                found.append(replace(signal, lead=text[max(lead[0], lead[1] - _SEEN) : lead[1]].strip()))
            lead = (start, end)
        return found


def find(text: str, *, after_failure: bool = False) -> list[Signal]:
    """Every stated anomaly of a text, one a sentence, in order.

    `after_failure` says that the newest observation before the text is a failed call. Only then do everyday words for
    a failure count ("I couldn't find the account", "there was an issue"): without a failed call they are usually a
    fact of the business, such as an option that is not sold. The first 200,000 characters of a text are searched.
    """
    return Detector((text,)).find(text, after_failure=after_failure)


def _possible(patterns: tuple[_Pattern, ...], present: set[str]) -> list[_Row]:
    found = ((pattern, [anchor for anchor in pattern.anchors if anchor in present]) for pattern in patterns)
    return [(pattern, anchors) for pattern, anchors in found if anchors]


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        if boundary.start() > start:
            yield start, boundary.start()
        start = boundary.end()
    if start < len(text):
        yield start, len(text)


def _first(text: str, low: str, start: int, end: int, rows: list[_Row]) -> Signal | None:
    """The earliest unguarded match in one sentence. A match holds one of its anchors and begins not far before it."""
    best: tuple[int, int, _Pattern] | None = None
    for pattern, anchors in rows:
        at = _earliest(low, anchors, start, end) if len(low) == len(text) else start
        if at is None or (best and at - _REACH >= best[0]):
            continue
        for match in pattern.regex.finditer(text, max(start, at - _REACH), end):
            if best and match.start() >= best[0]:
                break
            if not _guarded(text, start, match, end):
                best = (match.start(), match.end(), pattern)
                break
    if best is None:
        return None
    return Signal(
        best[0], best[1], text[best[0] : best[1]].strip(), text[start:end].strip(), best[2].kind, best[2].rule
    )


def _earliest(low: str, anchors: list[str], start: int, end: int) -> int | None:
    found = [at for at in (low.find(anchor, start, end) for anchor in anchors) if at >= 0]
    return min(found, default=None)


def _guarded(text: str, start: int, match: re.Match[str], end: int) -> bool:
    start = max(start, match.start() - _SEEN)
    end = min(end, match.end() + _SEEN)
    before = text[start : match.start()]
    clause = before[_clause_start(before) :]
    if _CJK.search(text, start, end):
        return bool(
            _GUARD_CHINESE.search(clause)
            or _REPORTED_CHINESE.search(before)
            or _GENERAL_CHINESE.search(text[start : match.end()])
        )
    if not _OWN_NEGATION.match(match[0]) and _NEGATED.search(clause):
        return True
    return (
        any(guard.search(clause) for guard in _GUARDS)
        or bool(_WHEN.search(clause + match[0]))
        or _quoted_from_others(before, text[match.end() : end])
    )


def _quoted_from_others(before: str, after: str) -> bool:
    if before.count('"') % 2 == 0 or '"' not in after:
        return False
    return not _TOOL_SPEAKS.search(before[: before.rindex('"')])


def _clause_start(before: str) -> int:
    start = 0
    for boundary in _CLAUSE.finditer(before):
        start = boundary.end()
    return start


def _key_word(anchor: str) -> str:
    return max(_WORD.findall(anchor), key=len)


def _by_start(anchors: Iterable[str]) -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for anchor in sorted(anchors):
        word = _key_word(anchor)
        found.setdefault(word[:_START], []).append((word, anchor))
    return {start: tuple(pairs) for start, pairs in found.items()}


def _by_character(anchors: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for anchor in sorted(anchors):
        found.setdefault(anchor[0], []).append(anchor)
    return found


def _present(said: str) -> set[str]:
    """The anchors that may occur in a lower-case text: each has one word that some word of the text begins with."""
    words = set(_WORD.findall(said))
    found = {
        anchor for word in words for start, anchor in _ENGLISH_ANCHORS.get(word[:_START], ()) if word.startswith(start)
    }
    if _CJK.search(said):
        starts = _CHINESE_ANCHORS.keys() & set(said)
        found.update(anchor for start in starts for anchor in _CHINESE_ANCHORS[start] if anchor in said)
    return found


_START = 3
_REACH = 160
_SEEN = 400
_WORD = re.compile(r"[a-z0-9]+")
_ANCHORS = {anchor for pattern in _ALWAYS + _AFTER_FAILURE for anchor in pattern.anchors}
_CHINESE_ANCHORS = _by_character(anchor for anchor in _ANCHORS if _CJK.search(anchor))
_ENGLISH_ANCHORS = _by_start(anchor for anchor in _ANCHORS if not _CJK.search(anchor))
