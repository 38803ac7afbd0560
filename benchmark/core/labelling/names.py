"""One name per tool, whatever spelling an agent used."""

import re
from collections.abc import Iterable

from benchmark.core.trajectory import Tool, Unit

_WORKFLOW_PREFIX = re.compile(r"^wf\d+[./:](?=.)")
_LEGACY = re.compile(r"[_ -]?v\d$", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class ToolNames:
    """Canonical tool names of one unit: workflow prefix off, aliases resolved, case and snake_case folded.

    A legacy name (`GetUserProfileV2`) is the tool it once was, where the toolbox or the slot knows that tool. A name
    nobody knows stays as written, so that two spellings of an unknown tool are still the same tool.
    """

    def __init__(self, toolbox: Iterable[Tool] = (), known: Iterable[str] = ()) -> None:
        self._by_fold: dict[str, str] = {}
        self._unknown: dict[str, str] = {}
        self._seen: dict[str, str] = {}
        toolbox = tuple(toolbox)
        for name in (*known, *(tool.name for tool in toolbox)):
            self._by_fold[_fold(name)] = name
        for tool in toolbox:
            for alias in tool.aliases:
                self._by_fold.setdefault(_fold(alias), tool.name)

    @classmethod
    def of(cls, unit: Unit | None) -> "ToolNames":
        """The names that a unit's toolbox and slot know; without a unit only spelling is folded."""
        if unit is None:
            return cls()
        slot = unit.slot
        known = (*slot.producers, *((slot.consumer,) if slot.consumer else ())) if slot else ()
        return cls(unit.toolbox, known)

    def canonical(self, name: str | None) -> str:
        """The canonical name of a tool as an agent wrote it; empty for no name."""
        if not name:
            return ""
        if name not in self._seen:
            self._seen[name] = self._resolve(name)
        return self._seen[name]

    def _resolve(self, name: str) -> str:
        bare = _WORKFLOW_PREFIX.sub("", name.strip())
        fold = _fold(bare)
        known = self._by_fold.get(fold) or self._by_fold.get(_fold(_LEGACY.sub("", bare)))
        return known or self._unknown.setdefault(fold, bare)


def words(name: str) -> list[str]:
    """The lower-case words of a tool or field name: `GetArticleReadHistory` → get, article, read, history."""
    return [word.lower() for word in _WORD.findall(name)]


def _fold(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
