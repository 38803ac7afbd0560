"""Draws that give the same values on every CPython and machine: only `random()` is used, and floats are rounded late."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TypeVar

from benchmark.core.seeds import seeded

Thing = TypeVar("Thing")


class Stream:
    """One record's own stream of chance: it depends on seed, table and key alone, so no other row can shift it."""

    def __init__(self, seed: int, *words: object) -> None:
        self._random = seeded(seed, *words)

    def unit(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def chance(self, share: float) -> bool:
        """True in that share of all draws (0 to 1)."""
        return self.unit() < share

    def whole(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.unit() * (high - low + 1))

    def between(self, low: float, high: float, digits: int) -> float:
        """A number from low to high, rounded."""
        return round(low + self.unit() * (high - low), digits)

    def choice(self, things: Sequence[Thing]) -> Thing:
        """One of the things, each as likely."""
        return things[int(self.unit() * len(things))]

    def weighted(self, weights: Mapping[Thing, float]) -> Thing:
        """One of the keys, by weight; keys are taken in the mapping's order."""
        things = list(weights)
        sums = list(accumulate(weights.values()))
        return things[min(bisect_right(sums, self.unit() * sums[-1]), len(things) - 1)]

    def shuffled(self, things: Sequence[Thing]) -> list[Thing]:
        """The things in a drawn order (Fisher–Yates)."""
        order = list(things)
        for last in range(len(order) - 1, 0, -1):
            other = int(self.unit() * (last + 1))
            order[last], order[other] = order[other], order[last]
        return order

    def sample(self, things: Sequence[Thing], most: int) -> list[Thing]:
        """At most so many different things, in a drawn order."""
        return self.shuffled(things)[:most]

    def normal(self, mean: float = 0.0, deviation: float = 1.0) -> float:
        """A normal draw (Box–Muller); round it before it decides anything."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self.unit()))
        return mean + deviation * radius * math.cos(2.0 * math.pi * self.unit())

    def lognormal(self, median: float, sigma: float) -> float:
        """A lognormal draw around a median; round it before it decides anything."""
        return median * math.exp(self.normal(0.0, sigma))

    def exponential(self, mean: float) -> float:
        """An exponential draw; round it before it decides anything."""
        return -mean * math.log(1.0 - self.unit())

    def poisson(self, mean: float) -> int:
        """A Poisson draw by inversion (mean up to about 500)."""
        left, probability, count = self.unit(), math.exp(-mean), 0
        while left > probability and count < 10_000:
            left -= probability
            count += 1
            probability *= mean / count
        return count

    def zipf(self, size: int, power: float) -> int:
        """A rank from 0 to size − 1; rank r is drawn in proportion to 1 / (r + 1)^power."""
        sums = _zipf_sums(size, power)
        return min(bisect_right(sums, self.unit() * sums[-1]), size - 1)

    def beta(self, first: float, second: float) -> float:
        """A Beta draw through two gamma draws; round it before it decides anything."""
        one, two = self.gamma(first), self.gamma(second)
        return one / (one + two)

    def gamma(self, shape: float) -> float:
        """A gamma draw of scale 1 (Marsaglia and Tsang 2000)."""
        if shape < 1.0:
            return self.gamma(shape + 1.0) * (1.0 - self.unit()) ** (1.0 / shape)
        third = shape - 1.0 / 3.0
        factor = 1.0 / math.sqrt(9.0 * third)
        while True:
            draw = self.normal()
            volume = (1.0 + factor * draw) ** 3
            if volume > 0 and math.log(1.0 - self.unit()) < 0.5 * draw**2 + third * (1 - volume + math.log(volume)):
                return third * volume


@lru_cache(maxsize=256)
def _zipf_sums(size: int, power: float) -> list[float]:
    return list(accumulate(1.0 / (rank + 1) ** power for rank in range(size)))
