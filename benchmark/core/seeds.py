"""Drawn choices: one way from a study's or run's seed to a reproducible stream of random numbers."""

import random
from hashlib import sha256


def seeded(seed: int, *words: object) -> random.Random:
    """Give the random stream that a seed and the words naming a choice stand for.

    The stream depends on nothing else (no process, no hash seed), so a choice drawn with it over candidates sorted by
    id can be drawn again. Different words give independent streams: `seeded(7, "order", 1)`, `seeded(7, "order", 2)`.
    """
    text = "|".join(map(str, (seed, *words)))
    return random.Random(int.from_bytes(sha256(text.encode()).digest()[:8], "big"))
