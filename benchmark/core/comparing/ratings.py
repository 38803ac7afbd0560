"""Labels of one question gathered by item: the human reference, and why an item has none."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Review = Literal["agree", "disagree", "unsure"]


class BadRatings(ValueError):
    """The labels contradict each other; the message says where."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """What one annotator said about one item under one question, beside the item's automatic label.

    None stands for a missing answer. `strata` describe the item (condition, model, …) and are the same in all its
    judgments.
    """

    item: str
    annotator: str
    human: bool | None
    automatic: bool | None = None
    review: Review | None = None
    strata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RatedItem:
    """All judgments of one item. `reference` is the human majority, or None with the reason in `no_reference`."""

    item: str
    judgments: tuple[Judgment, ...]
    automatic: bool | None
    positive: int
    negative: int
    reference: bool | None
    no_reference: str

    @property
    def strata(self) -> Mapping[str, str]:
        """What the item is stratified by, name to value."""
        return self.judgments[0].strata

    def voters(self, answer: bool) -> tuple[str, ...]:
        """The annotators who gave this answer, in the order of their names."""
        return tuple(judgment.annotator for judgment in self.judgments if judgment.human is answer)


def majority(positive: int, negative: int, needed: int) -> tuple[bool | None, str]:
    """The answer of more than half of the labels, or None and the reason: too few labels, or a tie."""
    labels = positive + negative
    if labels < max(needed, 1):
        return None, f"has {labels} of {needed} planned labels"
    if positive == negative:
        return None, f"is tied {positive} to {negative}"
    return positive > negative, ""


def gather(judgments: Iterable[Judgment], planned: int | None = None) -> tuple[list[RatedItem], int]:
    """Group judgments by item, both in the order of their names, and return the planned number of labels an item.

    Without `planned` it is the most frequent number of labels, the larger one of two equally frequent. Raises BadRatings
    when an annotator labels an item twice or an item carries two automatic labels.
    """
    by_item: defaultdict[str, dict[str, Judgment]] = defaultdict(dict)
    for judgment in judgments:
        if by_item[judgment.item].setdefault(judgment.annotator, judgment) is not judgment:
            raise BadRatings(f"{judgment.annotator} labels the item {judgment.item} twice.")
    grouped = [tuple(given[name] for name in sorted(given)) for _, given in sorted(by_item.items())]
    if planned is None:
        planned = _most_frequent(len(_answers(given)) for given in grouped)
    return [_rated(given, planned) for given in grouped], planned


def _answers(given: tuple[Judgment, ...]) -> list[bool]:
    return [judgment.human for judgment in given if judgment.human is not None]


def _most_frequent(sizes: Iterable[int]) -> int:
    counts = Counter(size for size in sizes if size)
    return max(counts, key=lambda size: (counts[size], size), default=1)


def _rated(given: tuple[Judgment, ...], planned: int) -> RatedItem:
    automatic = {judgment.automatic for judgment in given} - {None}
    if len(automatic) > 1:
        raise BadRatings(f"The item {given[0].item} carries two different automatic labels.")
    answers = _answers(given)
    positive = sum(answers)
    reference, why = majority(positive, len(answers) - positive, planned)
    return RatedItem(
        item=given[0].item,
        judgments=given,
        automatic=automatic.pop() if automatic else None,
        positive=positive,
        negative=len(answers) - positive,
        reference=reference,
        no_reference=why,
    )
