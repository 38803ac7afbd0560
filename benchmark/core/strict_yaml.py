"""YAML files that people write, read strictly: one document, no anchors, no key twice, bounded size, every line known."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

Path = tuple[str | int, ...]

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?(?:[eE][+-]?[0-9]{1,2})?")
_WORDS = {"null": None, "~": None, "": None, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class FileKind:
    """What is read: its name in sentences, the key it begins with, and how many bytes and levels it may have."""

    name: str
    first_key: str
    most_bytes: int
    deepest: int


@dataclass(frozen=True, slots=True)
class Document:
    """A file's value (mappings, lists, scalars) and the line of each path in it; list places count from 1."""

    value: Any
    lines: Mapping[Path, int]


class YamlRefused(ValueError):
    """A file is not YAML as it is used here: what to mend, with the line and path where one is known."""

    def __init__(self, text: str, line: int | None = None, path: Path = ()) -> None:
        self.text, self.line, self.path = text, line, path
        super().__init__(f"line {line}: {text}" if line else text)


def read(content: bytes, kind: FileKind, scalar: Callable[[yaml.ScalarNode], Any] | None = None) -> Document:
    """Read one UTF-8 YAML document; raise YamlRefused with the first thing that cannot be read.

    Scalars come as text, so `no`, `1e3` or a date mean nothing special, unless `scalar` reads them otherwise.
    """
    lines: dict[Path, int] = {}
    return Document(_plain(_compose(content, kind), (), lines, scalar or as_text), lines)


def as_text(node: yaml.ScalarNode) -> str:
    """Read a scalar as the text that stands there."""
    return str(node.value)


def as_json(node: yaml.ScalarNode) -> str | int | float | bool | None:
    """Read a scalar that is not quoted as JSON would: its numbers, true, false and null; all else is text."""
    source = str(node.value)
    if node.style is not None:
        return source
    if source in _WORDS:
        return _WORDS[source]
    if _WHOLE.fullmatch(source):
        return int(source)
    return float(source) if _DECIMAL.fullmatch(source) else source


def line_of(path: Path, lines: Mapping[Path, int]) -> int | None:
    """Give the line of a path, or of the nearest thing around it; None for a path of which nothing is known."""
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), None)


class _Composer(yaml.SafeLoader):
    """PyYAML's reader without anchors, aliases and deep nesting, so that a small file stays a small value."""

    depth = 0
    deepest = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise yaml.MarkedYAMLError(
                problem="anchors and aliases (& and *) are not used here", problem_mark=event.start_mark
            )
        if self.depth == self.deepest:
            raise yaml.MarkedYAMLError(problem="this is nested too deeply", problem_mark=event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _compose(content: bytes, kind: FileKind) -> yaml.Node:
    if len(content) > kind.most_bytes:
        raise YamlRefused(f"A {kind.name} has at most {kind.most_bytes} bytes, this one has {len(content)}.")
    try:
        composer = _Composer(content.decode("utf-8-sig"))
        composer.deepest = kind.deepest
        node = composer.get_single_node()
    except UnicodeDecodeError as error:
        raise YamlRefused(f"Save the file as UTF-8; byte {error.start + 1} is not.") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise YamlRefused(f"This is not a {kind.name} in YAML: {error.problem}.", line) from None
    except yaml.reader.ReaderError as error:
        raise YamlRefused(
            f"Take out the control character U+{error.character:04X} at position {error.position + 1}."
        ) from None
    if node is None:
        raise YamlRefused(f"The file is empty; begin with `{kind.first_key}:`.")
    return node


def _plain(node: yaml.Node, path: Path, lines: dict[Path, int], scalar: Callable[[yaml.ScalarNode], Any]) -> Any:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(child, (*path, place), lines, scalar) for place, child in enumerate(node.value, 1)]
    if isinstance(node, yaml.ScalarNode):
        return scalar(node)
    mapping: dict[str, Any] = {}
    for key, child in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise YamlRefused("Use plain text as a key.", line, (*path, "?"))
        own = (*path, key.value)
        if key.value in mapping:
            raise YamlRefused(f"Write this key once; it stands in line {lines[own]} already.", line, own)
        lines[own] = line
        mapping[key.value] = _plain(child, own, lines, scalar)
    return mapping
