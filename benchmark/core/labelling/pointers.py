"""RFC 6901 pointers into parsed JSON, and the bundle of values that a slot's pointers address."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from benchmark.core.trajectory import ABSENT

_HOLDERS = frozenset({dict, list})


@lru_cache(maxsize=1024)
def tokens(pointer: str) -> tuple[str, ...]:
    """The reference tokens of a pointer, unescaped (RFC 6901); the empty pointer has none and means the whole value."""
    if not pointer:
        return ()
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.lstrip("#").split("/")[1:])


def resolve(value: Any, pointer: str | Sequence[str]) -> Any:
    """The value a pointer (or its tokens) addresses, or ABSENT where nothing is there."""
    for token in tokens(pointer) if isinstance(pointer, str) else pointer:
        if isinstance(value, dict):
            value = value.get(token, ABSENT)
        elif isinstance(value, list) and token.isascii() and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        else:
            return ABSENT
    return value


def member_names(pointers: Sequence[str]) -> list[str]:
    """How a bundle names its members: each pointer's last token, or the whole pointer where last tokens repeat."""
    last = [(tokens(pointer) or ("",))[-1] for pointer in pointers]
    return [name if last.count(name) == 1 else pointer for name, pointer in zip(last, pointers, strict=True)]


def bundle(value: Any, pointers: Sequence[str]) -> list[Any]:
    """What a slot's gold or polluted value says for each pointer: one value, or a bundle's members; ABSENT for none."""
    if len(pointers) == 1:
        return [value]
    if not isinstance(value, dict):
        return [value, *([ABSENT] * (len(pointers) - 1))]
    return [
        value.get(name, value.get(pointer, ABSENT))
        for name, pointer in zip(member_names(pointers), pointers, strict=True)
    ]


def scalars(value: Any) -> Iterator[Any]:
    """Every string, number and boolean inside a value, in order; null and keys are not listed."""
    waiting = [value]
    while waiting:
        member = waiting.pop()
        if isinstance(member, dict):
            waiting.extend(reversed(member.values()))
        elif isinstance(member, list | tuple):
            waiting.extend(reversed(member))
        elif member is not None and member is not ABSENT:
            yield member


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a value, the outer before the inner."""
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, dict):
            yield holder
            members: Any = holder.values()
        elif isinstance(holder, list):
            members = holder
        else:
            continue
        for member in members:
            if type(member) in _HOLDERS:
                waiting.append(member)
