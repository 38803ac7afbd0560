"""Label rows for the agreement tests."""

from collections.abc import Callable, Sequence
from itertools import combinations

import pytest

from benchmark.core.comparing.ratings import Judgment

ANNOTATORS = ("A1", "A2", "A3", "A4", "A5", "A6")


def rate(*items: tuple[str, str]) -> list[Judgment]:
    """Rows from (labels, automatic): "110" are three annotators' labels, "-" a missing one."""
    meaning = {"1": True, "0": False, "-": None}
    return [
        Judgment(f"item-{number:03}", f"A{seat + 1}", meaning[label], meaning[automatic])
        for number, (labels, automatic) in enumerate(items)
        for seat, label in enumerate(labels)
    ]


@pytest.fixture(name="rate")
def rate_fixture() -> Callable[..., list[Judgment]]:
    """`rate`, for tests."""
    return rate


@pytest.fixture
def published() -> Sequence[Judgment]:
    """100 items with the published margins: votes 3-0 73, 2-1 16, 1-2 4, 0-3 7; TP 67, FN 22, FP 2, TN 9; 252 agree.

    Each triple of the six annotators labels five items.
    """
    votes = ["111"] * 73 + ["110"] * 16 + ["100"] * 4 + ["000"] * 7
    automatic = ["1"] * 67 + ["0"] * 22 + ["1"] * 2 + ["0"] * 9
    triples = [triple for triple in combinations(ANNOTATORS, 3) for _ in range(5)]
    agrees = [True] * 252 + [False] * 48
    return [
        Judgment(
            item=f"rollout-{number:03}",
            annotator=annotator,
            human=label == "1",
            automatic=automatic[number] == "1",
            review="agree" if agrees[3 * number + seat] else "disagree",
            strata={"condition": ("correct", "explicit", "implicit")[number % 3]},
        )
        for number, labels in enumerate(votes)
        for seat, (annotator, label) in enumerate(zip(triples[number], labels, strict=True))
    ]
