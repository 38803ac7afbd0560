"""A study built straight from rows: rollouts with steps, frozen items, seats, and places in their hands."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Assignment, ConsentText, Guidelines, Item, Seat, Study
from benchmark.core import text
from benchmark.models import Account, AgentModel, ImportBatch, Judgment, Rollout, Step

PREFIX, CONTINUATION = 2, 3


@pytest.fixture
def make_rollout(db: None) -> Callable[..., Rollout]:
    """A finished imported rollout with two inherited and three own steps; `steps` are columns of Step by index."""

    def make(*, group: str = "", steps: list[dict[str, Any]] | None = None, **fields: Any) -> Rollout:
        number = Rollout.objects.count() + 1
        batch = ImportBatch.objects.get_or_create(file_name="made.jsonl", status=ImportBatch.Status.DONE)[0]
        model = AgentModel.objects.get_or_create(name="some-model")[0]
        values: dict[str, Any] = {
            "origin": Rollout.Origin.IMPORT,
            "batch": batch,
            "record_sha256": f"{number:064x}",
            "record_id": f"made-{number}",
            "model": model,
            "condition": "implicit",
            "matched_group": group or f"task-{number}",
            "task": f"What did user {number} read last?",
            "reference": text.write([{"heading": "the recorded answer", "value": "sports"}]),
            "final_answer": "The user read about sports last.",
            "end": "answered",
            "noticed": False,
            "noticed_rule": "noticed/1",
            "prefix_count": PREFIX,
            "step_count": CONTINUATION,
        }
        rollout = Rollout.objects.create(**{**values, **fields})
        total = rollout.prefix_count + rollout.step_count
        Step.objects.bulk_create(
            Step(rollout=rollout, index=index, **step) for index, step in enumerate(steps or _plain_steps(total))
        )
        Judgment.objects.create(rollout=rollout, judge="rule/1", label="unsolved", rationale="The answer is wrong.")
        return rollout

    return make


@pytest.fixture
def make_study(make_account: Callable[..., Account], make_rollout: Callable[..., Rollout]) -> Callable[..., Study]:
    """A running study: every rollout is an item, every seat (one an account) is dealt every item, in item order.

    `rollouts` or a number of fresh ones; `seats`: accounts, None for an empty seat, or a number of fresh annotators.
    """

    def make(
        *, rollouts: int | list[Rollout] = 2, seats: int | list[Account | None] = 1, consent: str = "", **fields: Any
    ) -> Study:
        chosen = [make_rollout() for _ in range(rollouts)] if isinstance(rollouts, int) else rollouts
        people = [make_account() for _ in range(seats)] if isinstance(seats, int) else seats
        owner = Account.objects.filter(role="researcher").first() or make_account("researcher")
        values: dict[str, Any] = {
            "name": "A small study",
            "status": Study.Status.RUNNING,
            "design": {},
            "judge": "rule/1",
            "noticed_rule": "noticed/1",
            "seats_planned": len(people),
            "labels_per_item": len(people),
            "owner": owner,
            "started_at": timezone.now(),
        }
        study = Study.objects.create(**{**values, **fields})
        Guidelines.objects.create(study=study, version=1, text="Work alone. Do not *discuss* cases.")
        if consent:
            ConsentText.objects.create(study=study, version=1, text=consent)
        items = [Item.objects.create(study=study, rollout=rollout, **_frozen(rollout)) for rollout in chosen]
        for number, person in enumerate(people, start=1):
            seat = Seat.objects.create(study=study, number=number, account=person)
            Assignment.objects.bulk_create(
                Assignment(item=item, seat=seat, order=order) for order, item in enumerate(items)
            )
        return study

    return make


def _plain_steps(total: int) -> list[dict[str, Any]]:
    return [
        {
            "kind": "call",
            "actor": "agent",
            "thought": f"Thought {index}.",
            "tool": "GetReadHistory",
            "arguments": text.write({"user_id": "u_1", "page": index}),
            "observation": text.write({"items": [f"article {index}"]}),
            "head": text.write({"items": [f"article {index}"]}),
            "characters": 24,
            "is_new": True,
        }
        for index in range(total)
    ]


def _frozen(rollout: Rollout) -> dict[str, Any]:
    return {
        "matched_group": rollout.matched_group,
        "model": "some-model",
        "condition": rollout.condition or "none",
        "auto_result": False,
        "result_rationale": "The answer is wrong.",
        "result_evidence": ["R3"],
        "auto_noticed": True,
        "noticed_rationale": "Signals an anomaly in R1, refetches in R2.",
        "noticed_evidence": ["R1", "R2"],
        "automatic": text.write({"noticed": True}),
    }
