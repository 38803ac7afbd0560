"""Which rollouts a study asks about: a seeded draw from strata of model × condition."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random

from annotation.core.margins import Margins, meet_margins
from annotation.core.strata import SampleRefused, Stratum, counted, stratum_of
from benchmark.core.seeds import seeded


class SampleShort(SampleRefused):
    """Some strata hold fewer candidates than wanted."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rollout that may be sampled. `group` is its unit, without a unit its task; empty means it shares with nobody."""

    id: str
    model: str | None
    condition: str | None
    group: str = ""

    @property
    def stratum(self) -> Stratum:
        """Model × condition; what is missing is named `none`."""
        return stratum_of(self.model, self.condition)


def available(candidates: Iterable[Candidate]) -> Counter[Stratum]:
    """Count the candidates of each stratum."""
    return Counter(candidate.stratum for candidate in candidates)


def sample(
    candidates: Iterable[Candidate], wanted: Mapping[Stratum, int] | Margins, seed: int
) -> tuple[Candidate, ...]:
    """Draw the wanted rollouts, in id order; the same candidates, wish and seed give the same draw.

    `wanted` gives a number per stratum, or margins, for which a table of strata is found first. Within a stratum the
    draw is uniform and without replacement; a group is taken twice only when its stratum leaves no other.
    Raises SampleShort or MarginsUnmet, either listing everything that cannot be had.
    """
    pool = sorted(candidates, key=lambda candidate: candidate.id)
    if len({candidate.id for candidate in pool}) < len(pool):
        raise ValueError("Each candidate may be listed once; some id occurs twice.")
    strata = defaultdict(list)
    for candidate in pool:
        strata[_wished_stratum(candidate, wanted)].append(candidate)
    held = {stratum: len(members) for stratum, members in strata.items()}
    cells = meet_margins(held, wanted, seed) if isinstance(wanted, Margins) else wanted
    problems = _shortages(held, cells)
    if problems:
        raise SampleShort(problems)
    taken: Counter[str] = Counter()
    drawn: list[Candidate] = []
    for stratum in sorted(cells):
        rng = seeded(seed, "sample", stratum.model, stratum.condition)
        drawn += _draw(strata.get(stratum, []), cells[stratum], taken, rng)
    return tuple(sorted(drawn, key=lambda candidate: candidate.id))


def _wished_stratum(candidate: Candidate, wanted: Mapping[Stratum, int] | Margins) -> Stratum:
    return wanted.coarsen(candidate.stratum) if isinstance(wanted, Margins) else candidate.stratum


def _shortages(held: Mapping[Stratum, int], cells: Mapping[Stratum, int]) -> tuple[str, ...]:
    return tuple(
        f"Model {stratum.model} × condition {stratum.condition}: {cells[stratum]} wanted, "
        f"{counted(held.get(stratum, 0), 'eligible rollout')}."
        for stratum in sorted(cells)
        if held.get(stratum, 0) < cells[stratum]
    )


def _draw(members: list[Candidate], count: int, taken: Counter[str], rng: Random) -> list[Candidate]:
    """Draw `count` members, those of the groups taken least often first; `taken` is carried from stratum to stratum."""
    waiting = rng.sample(members, len(members))
    chosen: list[Candidate] = []
    while len(chosen) < count:
        fewest = min(taken[candidate.group] for candidate in waiting)
        later = []
        for candidate in waiting:
            if len(chosen) < count and taken[candidate.group] <= fewest:
                chosen.append(candidate)
                taken[candidate.group] += candidate.group != ""
            else:
                later.append(candidate)
        waiting = later
    return chosen
