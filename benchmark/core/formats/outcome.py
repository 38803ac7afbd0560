"""What a reader of one format gives back for one record: a rollout with warnings, or why there is none."""

from dataclasses import dataclass

from benchmark.core.trajectory import Rollout

_STEPS_NAMED = 4


class Unreadable(ValueError):
    """This record is no trajectory that RITE can hold; the message says why in words."""


@dataclass(frozen=True, slots=True)
class Read:
    """A record that was read."""

    rollout: Rollout
    warnings: tuple[str, ...] = ()


class Notes:
    """Collects a record's warnings: each sentence once, with the numbers of the steps it is about."""

    def __init__(self) -> None:
        self._steps: dict[str, list[str]] = {}

    def add(self, sentence: str, step: str = "") -> None:
        """Note a sentence; an empty one is nothing to note."""
        if sentence:
            steps = self._steps.setdefault(sentence, [])
            if step:
                steps.append(step)

    def sentences(self) -> tuple[str, ...]:
        """The warnings in the order of their first step."""
        return tuple(sentence + _places(steps) for sentence, steps in self._steps.items())


def _places(steps: list[str]) -> str:
    if not steps:
        return ""
    more = len(steps) - _STEPS_NAMED
    return f" ({', '.join(steps[:_STEPS_NAMED])}{f' and {more} more' if more > 0 else ''})"
