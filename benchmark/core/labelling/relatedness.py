"""Does a stated anomaly concern the affected evidence?

It does when its words name the slot's value or field, the affected observation's tool, step or content, or a consequence
of it (the consumer, a later call that carries the value); or when it only points ("this", "the result", "the call")
and what it points at is one of these: the sentence before it, else the newest observation. Words that name another step
or tool point there.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import Any

from benchmark.core.labelling import quantities
from benchmark.core.labelling.names import words
from benchmark.core.labelling.pointers import objects, resolve, scalars, tokens
from benchmark.core.labelling.signals import Signal
from benchmark.core.labelling.slot_use import SlotUse
from benchmark.core.labelling.trail import Place, Trail
from benchmark.core.text import norm
from benchmark.core.trajectory import ABSENT

_GENERIC = frozenset(
    {
        "get",
        "list",
        "fetch",
        "find",
        "search",
        "build",
        "make",
        "compute",
        "run",
        "call",
        "check",
        "lookup",
        "query",
        "by",
    }
    | {"id", "ids", "name", "data", "value", "type", "status", "title", "items", "item", "result", "results", "record"}
    | {
        "records",
        "text",
        "ts",
        "code",
        "count",
        "info",
        "details",
        "detail",
        "args",
        "request",
        "rpc",
        "all",
        "and",
        "of",
    }
    | {"the", "sec", "cny", "api", "tool", "user", "key", "keys", "error", "message", "new", "old", "first", "last"}
    | {
        "time",
        "read",
        "date",
        "start",
        "end",
        "min",
        "max",
        "avg",
        "page",
        "order",
        "total",
        "number",
        "from",
        "limit",
        "size",
    }
)
_UNTELLING = frozenset({"ok", "error", "null", "none", "true", "false", "success", "yes", "no", "asc", "desc"})
_MOST_TEXTS = 2_000
_CHINESE_FIELDS = {
    "category": "类目 分类 品类",
    "price": "价格 售价",
    "stage": "阶段",
    "occupation": "职业",
    "age": "年龄",
    "city": "城市",
    "level": "等级 级别",
    "refund": "退款",
    "carrier": "承运 快递 物流商",
    "warehouse": "仓库 仓",
    "keyword": "关键词",
    "keywords": "关键词",
    "rating": "评分",
    "interest": "兴趣",
    "domain": "领域",
    "domain1": "领域",
    "domain2": "领域",
    "category1": "类目 分类",
    "category2": "类目 分类",
    "time": "时间 时长",
    "article": "文章 阅读",
    "history": "历史 记录",
    "product": "商品",
    "coupon": "优惠券 券",
    "promotion": "促销 活动",
    "profile": "画像",
    "live": "直播",
    "threshold": "门槛",
    "segment": "人群 片段",
    "issue": "问题类型",
    "window": "窗口 期限",
    "risk": "风险",
    "role": "角色",
    "comment": "评论",
    "reason": "原因",
    "brand": "品牌",
    "material": "材质",
    "member": "会员",
    "listing": "商品信息 商品",
    "watch": "停留 观看",
}
_STEP = re.compile(r"(?<![\w#])[PR]\d{1,3}(?!\w)")
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?(?![\w.]*\d)")
_POINTING = re.compile(
    r"\b(?:this|that|it|these|those|they|something|there|which)\b(?=['’]s\b|[.,;:!?]|$| (?:is|are|was|were|will|would|can|cannot"
    r"|can['’]t|could|does|do|did|doesn['’]t|don['’]t|didn['’]t|must|has|have|had|may|might|should|looks?|seems?|appears?|makes?"
    r"|failed|fails|timed|returned|came|contradicts?|conflicts?|says?|shows?)\b)"
    r"|\b(?:results?|responses?|observations?|outputs?|data|calls?|requests?|quer(?:y|ies)|search|look-?up|tools?|api|service|steps?"
    r"|records?|values?|labels?|information|answers?|errors?|fetch|retrieval|attempt|system|evidence|figures?|numbers?|timed out"
    r"|timeout|database|server|endpoint|entry|payload|field|source|previous one|last one)\b"
    r"|[这该此那它](?![件款位])|上一步|上一次|上次|刚才|结果|返回|数据|接口|调用|工具|查询|服务|请求|信息|记录|字段|标签|数值|前后|系统",
    re.IGNORECASE,
)
_OWN_SUBJECT = re.compile(r"\b(?:the|this|that|these|those|its|an?|my|our|your|his|her|their)\s+[a-z]", re.IGNORECASE)
_SHORT = 40
_SHORT_CHINESE = 8
_FEWEST_DIGITS = 10
_LONGEST_VALUE = 200


class Target(StrEnum):
    """What a related anomaly is about."""

    SLOT = "slot"
    OTHER_FIELD = "other_field"
    OBSERVATION = "affected_observation"
    CONSEQUENCE = "consequence"
    ANY = "any_observation"


@dataclass(frozen=True, slots=True)
class Heard:
    """A signal where it was said: its step, which field of the step holds the words, and what it is about."""

    place: Place
    field: str
    signal: Signal
    target: Target


class Family:
    """What belongs to the affected evidence of one rollout, as words to recognise and as places to point at."""

    def __init__(self, trail: Trail, use: SlotUse) -> None:
        self.trail = trail
        self.use = use

    def target(self, signal: Signal, newest: Place | None) -> Target | None:
        """What a signal is about, or None when it does not concern the affected evidence.

        `newest` is the latest call with an observation before the words were said.
        """
        if self.trail.slot is None:
            return Target.ANY if newest else None
        is_told, target = self._stated(signal.sentence)
        if is_told:
            return target
        if newest is None or not self._points(signal.sentence, newest):
            return None
        is_told, target = self._stated(signal.lead)
        return target if is_told else self._seen_last(newest)

    def _stated(self, sentence: str) -> tuple[bool, Target | None]:
        """Whether a sentence itself says what it is about, and the target where that is the affected evidence."""
        said = norm(sentence)
        named = self._named(said)
        steps = set(_STEP.findall(sentence))
        if named is Target.SLOT and not self._only_field(said, steps):
            return True, named
        if steps:
            return True, Target.OBSERVATION if steps & self._step_numbers else None
        if named:
            return True, named
        return self._names_other_tool(said), None

    def _named(self, said: str) -> Target | None:
        if _any_value(self._slot_values, said) or _any_word(self._slot_words, said):
            return Target.SLOT
        if self._names_tool(self.trail.consumer, said):
            return Target.CONSEQUENCE
        producers = [self.trail.affected.tool] if self.trail.affected else []
        if any(self._names_tool(tool, said) for tool in {*producers, *self.trail.producers}):
            return Target.OBSERVATION
        if _any_value(self._other_values, said) or _any_word(self._other_words, said):
            return Target.OTHER_FIELD
        return None

    def _only_field(self, said: str, steps: set[str]) -> bool:
        """Another step is named and the slot only by its field's name, which other steps may share."""
        return bool(steps) and not steps & self._step_numbers and not _any_value(self._slot_values, said)

    def _points(self, sentence: str, newest: Place) -> bool:
        return _points(sentence) or _any_word(self._tool_words(newest.tool), norm(sentence))

    def _seen_last(self, newest: Place) -> Target | None:
        affected = self.trail.affected
        if (affected and newest.order == affected.order) or newest.tool in self.trail.producers:
            return Target.OBSERVATION
        if newest.tool == self.trail.consumer or (not newest.is_inherited and self.use.carried(newest)):
            return Target.CONSEQUENCE
        return None

    def _names_other_tool(self, said: str) -> bool:
        own = {self.trail.consumer, *self.trail.producers}
        others = {place.tool for place in self.trail.places if place.tool and place.tool not in own}
        return any(self._names_tool(tool, said) for tool in others)

    @cached_property
    def _step_numbers(self) -> set[str]:
        affected = self.trail.affected
        return {
            place.number
            for place in self.trail.places
            if (affected and place.order == affected.order)
            or place.tool in self.trail.producers
            or (place.tool and place.tool == self.trail.consumer and not place.is_inherited)
        }

    @cached_property
    def _slot_values(self) -> list[Any]:
        affected = self.trail.affected
        shown = []
        if affected and self.trail.slot:
            whole = self.trail.arguments(affected) if self.trail.takes_input else affected.step.observation
            shown = [resolve(whole, pointer) for pointer in self.trail.slot.pointers]
        return _telling(scalars([*self.trail.gold, *self.trail.polluted, *shown]))

    @cached_property
    def _slot_words(self) -> set[str]:
        pointers = self.trail.slot.pointers if self.trail.slot else ()
        return _field_words(token for pointer in pointers for token in tokens(pointer)[-1:])

    @cached_property
    def _other_values(self) -> list[Any]:
        """Texts of the affected observation and call. Numbers, short words and the task's inputs would match by chance."""
        affected = self.trail.affected
        if affected is None:
            return []
        texts = (
            value for value in scalars([affected.step.observation, affected.step.arguments]) if _is_telling_text(value)
        )
        inputs = set(scalars(self.trail.unit.inputs if self.trail.unit else None))
        return [value for value in islice(texts, _MOST_TEXTS) if value not in inputs]

    @cached_property
    def _other_words(self) -> set[str]:
        affected = self.trail.affected
        if affected is None or affected.step.observation is ABSENT:
            return set()
        keys = {key for found in objects([affected.step.observation, affected.step.arguments]) for key in found}
        return {spelling for key in keys for spelling in _whole_names(key)}

    def _tool_words(self, tool: str) -> set[str]:
        return {word for word in words(tool) if word not in _GENERIC and len(word) > 2}

    def _names_tool(self, tool: str, said: str) -> bool:
        """A tool is named in full, or by two of its words; by one where it has no more."""
        if not tool:
            return False
        wanted = self._tool_words(tool)
        return _says(tool.lower(), said) or _any_word(wanted, said, min(2, len(wanted)))


def _points(sentence: str) -> bool:
    """Whether a sentence points at what was last seen: by a pronoun or a word for results, or by having no subject."""
    if _POINTING.search(sentence):
        return True
    if not sentence.isascii():
        return len(sentence) <= _SHORT_CHINESE
    return len(sentence) <= _SHORT and not _OWN_SUBJECT.search(sentence)


def _telling(values: Iterable[Any]) -> list[Any]:
    """Values that can be recognised in a text: not yes/no, not a small number, not one letter, not a whole document."""
    found: list[Any] = []
    for value in islice(values, _MOST_TEXTS):
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, str):
            if 2 <= len(value.strip()) <= _LONGEST_VALUE:
                found.append(value)
        elif abs(value) >= _FEWEST_DIGITS or value != int(value):
            found.append(value)
    return found


def _is_telling_text(value: Any) -> bool:
    if not isinstance(value, str) or len(value) > _LONGEST_VALUE or value.lower() in _UNTELLING:
        return False
    return len(value.strip()) >= 4 or not value.isascii()


def _whole_names(key: str) -> list[str]:
    """A field's name as a text would say it: as written and spaced; a single generic word is no name."""
    spaced = " ".join(words(key))
    if " " in spaced:
        return [key.lower(), spaced]
    return [key.lower()] if len(key) > 4 and key.lower() not in _GENERIC else []


def _field_words(names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for name in names:
        spaced = " ".join(words(name))
        parts = [word for word in spaced.split() if word not in _GENERIC and len(word) > 2 and not word.isdigit()]
        if " " in spaced and parts:
            found.add(spaced)
            found.add(name.lower())
        found.update(parts)
        for part in (*parts, name.lower()):
            found.update(_CHINESE_FIELDS.get(part, "").split())
    return found


def _any_word(wanted: set[str], said: str, needed: int = 1) -> bool:
    return sum(1 for word in wanted if _says(word, said)) >= needed if wanted else False


def _says(word: str, said: str) -> bool:
    at = said.find(word)
    while at >= 0:
        if not word.isascii() or (_edge(said, at - 1) and _edge(said, at + len(word), plural=True)):
            return True
        at = said.find(word, at + 1)
    return False


def _edge(said: str, at: int, *, plural: bool = False) -> bool:
    if at < 0 or at >= len(said):
        return True
    if plural and said[at] == "s":
        at += 1
    return at >= len(said) or not (said[at].isascii() and said[at].isalnum())


def _any_value(wanted: list[Any], said: str) -> bool:
    numbers: list[float] | None = None
    for value in wanted:
        if isinstance(value, str):
            if any(_says(form, said) for form in _forms(value)):
                return True
            continue
        numbers = numbers if numbers is not None else [float(n.replace(",", "")) for n in _NUMBER.findall(said)]
        quantity = quantities.read(value)
        if quantity and any(quantities.close(quantity.number, number) for number in numbers):
            return True
    return False


def _forms(value: str) -> Iterator[str]:
    folded = norm(value)
    yield folded
    if "_" in folded:
        yield folded.replace("_", " ")
    if len(folded) > _SHORT // 2 and " " in folded:
        yield " ".join(folded.split()[:4])
