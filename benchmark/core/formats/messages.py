"""The dialects of chat messages made one: who speaks, the words, the reasoning, the calls made and the results returned.

Known dialects: OpenAI `tool_calls` and `role: tool`, the older `function_call` and `role: function`, Anthropic content
blocks (`tool_use`, `tool_result`, `thinking`), and the flat items of the OpenAI Responses API.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from benchmark.core import text
from benchmark.core.trajectory import ABSENT, Actor

MESSAGE_LISTS = ("traj", "messages", "items", "input", "output")

_ITEM_TYPES = frozenset({"function_call", "function_call_output", "message", "reasoning"})
_RESULT_ROLES = frozenset({"tool", "function"})
_ACTORS = {"assistant": Actor.AGENT, "user": Actor.USER, "system": Actor.SYSTEM, "developer": Actor.SYSTEM}
_REASONING = frozenset({"reasoning", "reasoning_content", "thinking"})
_TEXT_OF_PART = {
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "summary_text": "text",
    "reasoning_text": "text",
    "refusal": "refusal",
}
_THOUGHT_PARTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
_THINK_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)


@dataclass(slots=True)
class Call:
    """A tool call as its message has it; the arguments are not parsed yet."""

    tool: str
    arguments: Any
    call_id: str | None


@dataclass(slots=True)
class Result:
    """A tool's answer as its message has it. `flag` is the format's own word on failure, or ABSENT."""

    tool: str
    content: Any
    call_id: str | None
    flag: Any = ABSENT


@dataclass(slots=True)
class Turn:
    """What one message says, or the results it carries (then `actor` is None). `is_item`: one of several items of a turn."""

    actor: Actor | None
    text: str = ""
    thought: str = ""
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    note: str = ""
    is_item: bool = False

    def goes_on_with(self, later: "Turn") -> bool:
        """Whether a later item still belongs to what the model said in one go: words before calls, calls side by side."""
        if not (self.is_item and later.is_item and self.actor is later.actor is Actor.AGENT):
            return False
        return not (self.calls and not later.calls) and not (self.text and later.text)

    def add(self, later: "Turn") -> None:
        """Take in a later item."""
        self.text = self.text or later.text
        self.thought = joined((self.thought, later.thought))
        self.calls += later.calls


def is_message(value: Any) -> bool:
    """Whether a value is one message, or one item of the Responses API."""
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("role"), str) or (isinstance(value.get("type"), str) and value["type"] in _ITEM_TYPES)


def are_messages(value: Any) -> bool:
    """Whether a value is a list that holds messages."""
    return isinstance(value, list) and any(is_message(message) for message in value)


def turns(messages: Iterable[Any]) -> Iterator[Turn]:
    """Read messages of any known dialect in their order. What is no message becomes a turn of the system with a note."""
    waiting: Turn | None = None
    for turn in chain.from_iterable(_read(message) for message in messages):
        if waiting and waiting.goes_on_with(turn):
            waiting.add(turn)
            continue
        if waiting:
            yield waiting
        waiting = turn
    if waiting:
        yield waiting


def observation(content: Any) -> Any:
    """A tool's answer as it is kept: JSON parsed where the text is JSON (not a JSON string), else the text itself."""
    if isinstance(content, list) and any(_type_of(part) in _TEXT_OF_PART for part in content):
        content = _words(content)
    if not isinstance(content, str) or content.strip()[:1] in ("", '"'):
        return content
    try:
        return text.parse(content)
    except text.BadJson:
        return content


def joined(parts: Iterable[str], between: str = "\n\n") -> str:
    """The parts that say something, put together."""
    return between.join(part for part in parts if part)


def _read(message: Any) -> list[Turn]:
    if not is_message(message):
        return [Turn(Actor.SYSTEM, text.plain(message), note="something that is no message was kept as text")]
    if message.get("type") in _ITEM_TYPES:
        return _read_item(message)
    if message["role"] in _RESULT_ROLES:
        answer = Result(_words(message.get("name")), message.get("content"), _id(message.get("tool_call_id")))
        return [Turn(None, results=[answer])]
    return _read_message(message)


def _read_item(item: dict[str, Any]) -> list[Turn]:
    if item["type"] == "function_call":
        call = Call(_words(item.get("name")), item.get("arguments"), _id(item.get("call_id")))
        return [Turn(Actor.AGENT, calls=[call], is_item=True)]
    if item["type"] == "function_call_output":
        return [Turn(None, results=[Result("", item.get("output"), _id(item.get("call_id")))])]
    if item["type"] == "reasoning":
        thought = joined(_words(item.get(key)) for key in ("summary", "content"))
        return [Turn(Actor.AGENT, thought=thought, is_item=True)]
    said = _read_message({"role": "assistant", **item})
    for turn in said:
        turn.is_item = True
    return said


def _read_message(message: dict[str, Any]) -> list[Turn]:
    role = message["role"]
    turn = Turn(_ACTORS.get(role, Actor.SYSTEM))
    if role not in _ACTORS:
        turn.note = f"the role {text.shown(role)[:40]!r} was read as the system's"
    results = _read_content(turn, message.get("content"))
    if not _REASONING.isdisjoint(message):
        turn.thought = joined((*(_words(message.get(key)) for key in sorted(_REASONING)), turn.thought))
    if "tool_calls" in message or "function_call" in message:
        turn.calls += _calls(message)
    said = [Turn(None, results=results)] if results else []
    return [*said, turn] if turn.text or turn.thought or turn.calls or turn.note else said


def _read_content(turn: Turn, content: Any) -> list[Result]:
    """Put a message's content into its turn; return the tool results that stand in it."""
    results: list[Result] = []
    if isinstance(content, list):
        _read_parts(turn, content, results)
    else:
        turn.text = _words(content)
    if turn.actor is Actor.AGENT and turn.text:
        turn.text, thought = _without_thinking(turn.text)
        turn.thought = joined((turn.thought, thought)) if thought else turn.thought
        if turn.text == "None":
            turn.text, turn.note = "", "the content 'None' was read as no content"
    return results


def _read_parts(turn: Turn, parts: list[Any], results: list[Result]) -> None:
    words: list[str] = []
    thoughts: list[str] = []
    for part in parts:
        kind = _type_of(part)
        if kind == "tool_use":
            turn.calls.append(Call(_words(part.get("name")), part.get("input"), _id(part.get("id"))))
        elif kind == "tool_result":
            flag = part["is_error"] if isinstance(part.get("is_error"), bool) else ABSENT
            results.append(Result("", part.get("content"), _id(part.get("tool_use_id")), flag))
        elif kind in _THOUGHT_PARTS:
            thoughts.append(_words(part.get(kind)) or _words(part.get("text")) or _words(part.get("summary")))
        else:
            words.append(_words(part))
    turn.text, turn.thought = joined(words, "\n"), joined(thoughts)


def _without_thinking(words: str) -> tuple[str, str]:
    """Take `<think>…</think>` out of a text. Some chat templates leave out the first tag, a cut reply the last."""
    if "think" not in words:
        return words, ""
    said: list[str] = []
    thoughts: list[str] = []
    at, opened = 0, None
    for tag in _THINK_TAG.finditer(words):
        if not tag[1]:
            opened = opened or tag
        elif opened or not thoughts:
            said.append(words[at : opened.start()] if opened else "")
            thoughts.append(words[opened.end() if opened else 0 : tag.start()].strip())
            at, opened = tag.end(), None
    if opened and not ("".join(said) + words[at : opened.start()]).strip():
        thoughts.append(words[opened.end() :].strip())
        at = len(words)
    said.append(words[at:])
    return ("".join(said).strip(), joined(thoughts)) if thoughts else (words, "")


def _calls(message: dict[str, Any]) -> Iterator[Call]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if not isinstance(call, dict):
            yield Call("", call, None)
            continue
        function = call.get("function")
        inner = function if isinstance(function, dict) else call
        name = function if isinstance(function, str) else inner.get("name")
        yield Call(_words(name), inner.get("arguments"), _id(call.get("id")))
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        yield Call(_words(legacy.get("name")), legacy.get("arguments"), None)


def _words(value: Any) -> str:
    """The words of a content, a part of one, or a list of parts; a picture or the like leaves a mark where it stood."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        return joined((_words(part) for part in value), "\n")
    if isinstance(value, dict):
        kind = _type_of(value)
        key = _TEXT_OF_PART.get(kind, "text")
        if isinstance(value.get(key), str):
            return value[key]
        if kind:
            return f"[{text.shown(kind)[:40]} left out]"
    return text.plain(value)


def _type_of(part: Any) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    return kind if isinstance(kind, str) else ""


def _id(value: Any) -> str | None:
    return None if value is None or value == "" else text.plain(value)
