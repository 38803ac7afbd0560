"""What an annotator's program is told depends on nothing hidden: by difference and by sentinel, over JSON requests."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction

from annotation.api.views import places
from annotation.models import Item
from benchmark.models import Account, Rollout
from benchmark.report.steps import LongText
from tests.annotation.test_blindness import World, build, differences, masked, sentinels
from tests.api_clients import Caller

pytestmark = pytest.mark.django_db

YES_NO = {"result": True, "noticed": False}
AGREE = {"result": "agree", "noticed": "unsure", "version": 0}
REQUESTS: list[tuple[str, str, Any]] = [
    ("get", "", None),
    ("put", "/draft", YES_NO | {"version": 3}),
    ("put", "/draft", {"result": False, "version": 1}),
    ("put", "/draft", {"result": 7}),
    ("post", "/blind", YES_NO),
    ("post", "/blind", {"result": True, "noticed": True}),
    ("post", "/blind", {"result": False, "noticed": False}),
    ("post", "/blind", {}),
    ("post", "/blind", {**YES_NO, "evidence": {"result": ["R99"]}}),
    ("post", "/review", AGREE),
    ("post", "/review", {}),
    ("post", "/review", []),
]
PARTS = [
    "task",
    "goal",
    "inputs",
    "answer",
    "result",
    "reference-1",
    "observation-R1",
    "arguments-R1",
    "thought-P1",
    "x-R1",
]
ELSEWHERE = ["queue", "schema", "rollouts", "studies", "imports", "imports?status=done", "nothing/here"]


def answers_to(world: World) -> dict[str, str]:
    """What comes back for every request; none leaves a trace."""
    caller = Caller(world.annotator)
    found = {}
    for name, method, path, body, headers in requests_of(world):
        with transaction.atomic():
            response = caller.get(path) if method == "get" else caller.send(method, path, body, **headers)
            found[name] = masked(world, f"/api/v1/{path}", response)
            transaction.set_rollback(True)
    return found


def requests_of(world: World) -> Iterator[tuple[str, str, str, Any, dict[str, str]]]:
    for place, public_id in enumerate(world.ids["public_id"]):
        for number, (method, path, body) in enumerate(REQUESTS):
            yield f"{place} {number} {method} {path}", method, f"items/{public_id}{path}", body, {}
        yield f"{place} keyed", "post", f"items/{public_id}/blind", YES_NO, {"Idempotency-Key": "k"}
        for part in PARTS:
            yield f"{place} {part}", "get", f"items/{public_id}/texts/{part}", None, {}
    for path in ELSEWHERE:
        yield path, "get", path, None, {}
    for number, pk in enumerate(world.ids["pk"]):
        for kind in ("rollouts", "studies", "imports"):
            yield f"{kind} {number}", "get", f"{kind}/{pk}", None, {}


def both_worlds(annotator: Account, *, reveal: bool = False) -> tuple[list[str], set[str]]:
    """The requests that two worlds answer differently, and the hidden columns seen in either."""
    seen, leaked = [], set()
    for variant in ("a", "b"):
        with transaction.atomic():
            world = build(variant, annotator, reveal=reveal)
            answers = answers_to(world)
            assert not [name for name, answer in answers.items() if answer.startswith("5")]
            assert any(answer.startswith("200") and "What was read last?" in answer for answer in answers.values())
            leaked |= sentinels(world, answers)
            seen.append(answers)
            transaction.set_rollback(True)
    return differences(*seen), leaked


@pytest.fixture
def annotator(make_account: Callable[..., Account]) -> Account:
    """Who labels."""
    return make_account("annotator", "reader")


@pytest.mark.parametrize("reveal", [False, True])
def test_no_answer_depends_on_anything_hidden_or_carries_any_of_it(annotator: Account, reveal: bool) -> None:
    different, leaked = both_worlds(annotator, reveal=reveal)
    assert different == []
    assert leaked == set()


@pytest.mark.parametrize("role", ["author", "researcher", "admin"])
def test_whoever_else_labels_is_as_blind(make_account: Callable[..., Account], role: str) -> None:
    assert both_worlds(make_account(role, "labels too")) == ([], set())


@pytest.mark.parametrize(
    "leak",
    [
        lambda rollout: rollout.condition,
        lambda rollout: rollout.model.name,
        lambda rollout: rollout.labels,
        lambda rollout: Item.objects.get(rollout=rollout).noticed_rationale,
    ],
)
def test_the_checks_catch_a_hidden_text_let_through(
    annotator: Account, monkeypatch: pytest.MonkeyPatch, leak: Callable[[Rollout], str]
) -> None:
    honest = places.blind_case
    monkeypatch.setattr(places, "blind_case", lambda rollout: replace(honest(rollout), goal=LongText(leak(rollout))))
    different, leaked = both_worlds(annotator)
    assert different
    assert leaked


def test_the_checks_catch_a_frozen_label_let_through(annotator: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "next_place", lambda place: str(Item.objects.get(pk=place.item_id).auto_result))
    assert both_worlds(annotator)[0]
