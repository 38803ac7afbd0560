"""The content tree: what articles, videos, topics and live rooms are about, apart from the commerce tree."""

from collections.abc import Iterator

from benchmark.core.workflows.world.making import Making, table
from benchmark.core.workflows.world.reading import Row

GENERAL = "*"
"""The second level that stands for a whole first level: legal wherever a second level is, and coarser."""


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
