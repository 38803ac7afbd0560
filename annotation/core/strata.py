"""The strata a study samples from: model × condition."""

from collections.abc import Iterable
from typing import NamedTuple

NONE = "none"
ANY = "any"


class Stratum(NamedTuple):
    """One cell of the sampling table."""

    model: str
    condition: str


class SampleRefused(ValueError):
    """The wanted sample cannot be drawn; `problems` holds one sentence for each reason."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(" ".join(self.problems))


def stratum_of(model: str | None, condition: str | None) -> Stratum:
    """Name the stratum; a rollout imported without model or condition is in the stratum named `none`."""
    return Stratum(model or NONE, condition or NONE)


def counted(number: int, noun: str) -> str:
    """Say a number of things: "no rollout", "1 rollout", "12 rollouts"."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}s" if number else f"no {noun}s"
