"""The items to read: where the majority contradicts the automatic label or people differ, with what was said of them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from annotation.models import Comment, Item, Study
from annotation.models.seat import seat_name
from benchmark.core.comparing.breakdowns import Disagreement


@dataclass(frozen=True, slots=True)
class Said:
    """A comment beside a review, under the seat."""

    seat: str
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of the reading list: its disagreement, the frozen item, and the newest comments of each seat."""

    disagreement: Disagreement
    item: Item
    comments: list[Said] = field(default_factory=list)


def reading_list(study: Study, disagreements: Sequence[Disagreement]) -> list[Entry]:
    """Join disagreements with their items and comments, in their order. Two queries."""
    names = [entry.item for entry in disagreements]
    items = study.items.filter(public_id__in=names).defer("automatic").in_bulk(field_name="public_id")
    comments = _comments(study, names)
    return [Entry(entry, items[entry.item], comments[entry.item]) for entry in disagreements]


def _comments(study: Study, names: list[str]) -> defaultdict[str, list[Said]]:
    """What each seat's newest commented review says, by item."""
    newest: dict[tuple[str, int], str] = {}
    written = Comment.objects.filter(
        review__assignment__item__study=study, review__assignment__item__public_id__in=names
    ).order_by("review__version")
    for item, seat, words in written.values_list(
        "review__assignment__item__public_id", "review__assignment__seat__number", "text"
    ):
        newest[item, seat] = words
    found: defaultdict[str, list[Said]] = defaultdict(list)
    for (item, seat), words in sorted(newest.items()):
        found[item].append(Said(seat_name(seat), words))
    return found
