"""The content tree, apart from the commerce tree: its categories, what their followers buy, and the words for them."""

from collections.abc import Iterator
from typing import Any

from benchmark.core.workflows.world.making import Making, table
from benchmark.core.workflows.world.reading import Row

GENERAL = "*"
"""The second level that stands for a whole first level: legal wherever a second level is, and coarser."""

SEEDS = 4
LINKED = 7
"""Each term is linked to so many others of its category."""


@table("content_categories", key=("l1", "l2"))
def content_categories(making: Making) -> Iterator[Row]:
    """21 first levels, each as its own general second level, and 79 second levels; ids are the English names."""
    for first in making.source("tables/content_categories"):
        english, chinese = first["names"]
        yield {
            "l1": first["id"],
            "l2": GENERAL,
            "level": 1,
            "name_en": f"{english} (general)",
            "name_zh": f"{chinese}（综合）",
            "l1_name_zh": chinese,
            "aliases": [english, chinese, *first["aliases"]],
        }
        for second in first["below"]:
            yield {
                "l1": first["id"],
                "l2": second["id"],
                "level": 2,
                "name_en": second["names"][0],
                "name_zh": second["names"][1],
                "l1_name_zh": chinese,
                "aliases": list(second["aliases"]),
            }


@table("content_product_map", key=("l1", "l2"))
def content_product_map(making: Making) -> Iterator[Row]:
    """What followers of a content category buy, the leading commerce category first, and the terms to start from."""
    for path, entry in making.source("tables/content_product_map").items():
        l1, l2 = path.split("/")
        terms = [_term(written) for written in entry["terms"]]
        yield {
            "l1": l1,
            "l2": l2,
            "commerce_category_ids": list(entry["sells"]),
            "seed_terms": [name for name, _ in terms[:SEEDS]],
        }


@table("content_terms", key=("l1", "l2", "term"))
def content_terms(making: Making) -> Iterator[Row]:
    """Every term of a content category with the audiences it speaks to and its links to other terms.

    A term linked as `near_sense` is written much like another but means another business.
    """
    for path, entry in making.source("tables/content_product_map").items():
        l1, l2 = path.split("/")
        terms = [_term(written) for written in entry["terms"]]
        names = [name for name, _ in terms]
        near = entry.get("near", {})
        for at, (name, audiences) in enumerate(terms):
            following = [*names[at + 1 :], *names[:at]][:LINKED]
            links = {"used_with": following, "near_sense": [near[name]] if name in near else []}
            yield _row(l1, l2, name, audiences, 1.0, links)
        for of, name in near.items():
            if name not in names:
                backwards = [one for one in reversed(names) if one != of][:LINKED]
                yield _row(l1, l2, name, [], 0.5, {"used_with": backwards, "near_sense": [of]})


def _row(l1: str, l2: str, term: str, audiences: list[str], weight: float, links: dict[str, list[str]]) -> Row:
    return {"l1": l1, "l2": l2, "term": term, "audiences": audiences, "weight": weight, "links": links}


def _term(written: Any) -> tuple[str, list[str]]:
    name, _, audiences = str(written).partition("|")
    return name, audiences.split()
