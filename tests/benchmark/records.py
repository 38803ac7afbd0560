"""Small `rite.rollout/1` records for the tests of reports and pages, and the way they become rows: a real import."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmark.actions.imports import import_now
from benchmark.models import Rollout

SLOT = {"producers": ["GetStock"], "pointers": ["/on_hand"], "consumer": "Reserve", "locus": "tool_output", "f": 0.25}
UNIT = {
    "format": "rite.unit/1",
    "id": "stock-s1",
    "workflow": "wf01",
    "trace": "stock",
    "clock": 1787990412,
    "query": "May order o_7 leave today?",
    "inputs": {"order": "o_7"},
    "slot": {**SLOT, "position": "middle"},
    "leaf": "numeric_bucket_shift",
    "gold": 217,
    "polluted": 4108,
    "unchanged": "The warehouse.",
    "why_silent": "Both are plausible counts.",
    "reference": [
        {
            "kind": "call",
            "actor": "agent",
            "tool": "GetStock",
            "arguments": {"sku": "k_1"},
            "observation": {"on_hand": 217},
        }
    ],
}
PLAIN = {"query": "Where is my order?", "reference": []}


def call(tool: str, arguments: Any, observation: Any, thought: str | None = None, **more: Any) -> dict[str, Any]:
    """One step: a call of the agent with its answer."""
    step = {"kind": "call", "actor": "agent", "thought": thought, "tool": tool, "arguments": arguments}
    return {**step, "observation": observation, **more}


def record(name: str, steps: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """One rollout record; without a unit it asks where an order is."""
    asked = {} if "unit" in more or "task" in more else {"task": PLAIN}
    return {
        "format": "rite.rollout/1",
        "id": name,
        "model": {"name": "model-a", "kind": "llm"},
        "condition": None,
        "steps": steps,
        "final": {"answer": "It is on its way."},
        "end": "answered",
        **asked,
        **more,
    }


def silent_case(name: str = "silent") -> dict[str, Any]:
    """A polluted stock count, noticed at R1 and fetched again at R2, then used rightly."""
    return record(
        name,
        [
            call("Reserve", {"sku": "k_1", "on_hand": 4108}, {"reserved": 4108}, "Reserve from the stock."),
            call("GetStock", {"sku": "k_1"}, {"on_hand": 217}, "That stock count does not match; read it again."),
            call("Reserve", {"sku": "k_1", "on_hand": 217}, {"reserved": 217}, "Now reserve."),
        ],
        unit=UNIT,
        condition="implicit",
        prefix=[call("GetStock", {"sku": "k_1"}, {"on_hand": 4108}, "Read the stock.")],
        final={"answer": "Yes, 217 pieces are there."},
    )


@pytest.fixture
def imported(db: None, tmp_path: Path) -> Callable[..., list[Rollout]]:
    """Import records as one file; the rollouts they became, in order."""

    def bring(*records: dict[str, Any], name: str = "records.jsonl") -> list[Rollout]:
        path = tmp_path / name
        path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        batch = import_now(path, on_progress=lambda batch: None)
        assert batch.read == len(records), batch.report
        return list(Rollout.objects.filter(batch=batch).order_by("pk"))

    return bring
