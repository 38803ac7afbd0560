"""What people wrote for the world: YAML files under `fixtures/sources/`, and rows of theirs that override drawn ones."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parents[4] / "fixtures" / "sources"


@cache
def source(name: str) -> Any:
    """A file of the sources, such as `text/reviews` or `tables/price_bands`, read once; treat it as read-only."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load((FOLDER / f"{name}.yaml").read_text("utf-8"), Loader=loader)  # noqa: S506 — a safe loader


@cache
def anchors() -> dict[str, list[dict[str, Any]]]:
    """Hand-written rows by table, from every file in `anchors/`: each file maps tables to lists of rows."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted((FOLDER / "anchors").glob("*.yaml")):
        for table, rows in source(f"anchors/{path.stem}").items():
            found.setdefault(table, []).extend(rows)
    return found
