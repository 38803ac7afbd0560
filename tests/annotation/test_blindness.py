"""Nothing that reaches a blind annotator tells of labels, models, conditions or peers: by difference and by sentinel.

Every address the project has is tried, as the URL resolver lists them, by GET, by POST and as a fragment.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import models, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from annotation.actions import labelling
from annotation.models import Assignment, BlindLabel, Comment, Draft, Item, LabelVoid, Review, Seat, Study
from annotation.report import blind
from annotation.views import item as item_views
from benchmark.core import text
from benchmark.models import (
    Account,
    AgentModel,
    DiagnosisEdit,
    ImportBatch,
    Judgment,
    MechanismNote,
    Rollout,
    Step,
    Unit,
)
from benchmark.models.fields import ForeignJson

pytestmark = pytest.mark.django_db

# What protocol and allow-list let an annotator see; every other text column of these rows gets a sentinel.
VISIBLE: dict[type[models.Model], set[str]] = {
    Rollout: {"task", "goal", "inputs", "reference", "final_answer", "final_result", "origin"},
    Step: {"kind", "actor", "thought", "text", "tool", "arguments", "arguments_raw", "observation", "head"},
    Item: {"public_id"},
    Study: {"name", "status", "review"},
    Unit: set(),
    AgentModel: set(),
    ImportBatch: set(),
    Judgment: set(),
    DiagnosisEdit: set(),
    MechanismNote: set(),
    LabelVoid: set(),
    Comment: set(),
    Review: set(),
}
REVEALED = {"result_rationale", "result_evidence", "noticed_rationale", "noticed_evidence"}
STEPS = [
    {"thought": "Let me read.", "tool": "Read", "arguments": text.write({"id": 7}), "value": {"kind": "sports"}},
    {"thought": "Odd; again.", "tool": "Read", "arguments": text.write({"id": 7}), "value": {"kind": "music"}},
    {"thought": "", "tool": "Look", "arguments": None, "value": "x" * 3000},
]


FIRST_ID = {"a": 10_000, "b": 20_000}
STAGE = {"HX-Request": "true", "HX-Target": "stage"}
ITEM = {"HX-Request": "true", "HX-Target": "item"}
FORM = {"result": "yes", "noticed": "no", "version": "3", "seconds": "3", "text": "x"}
REVIEW = {"result": "agree", "noticed": "unsure", "version": "0", "comment": "hm"}
Way = tuple[str, dict[str, str], dict[str, str]]
WAYS: list[Way] = [("GET", {}, {}), ("GET stage", STAGE, {}), ("POST", {}, FORM)]
OWN_WAYS = [
    *WAYS,
    ("GET item", ITEM, {}),
    ("GET ahead", ITEM | {"X-Prefetch": "1"}, {}),
    ("POST stage", STAGE, FORM),
    ("POST review", {}, REVIEW),
    ("POST review stage", STAGE, REVIEW),
]


@dataclass
class World:
    """One study as it stands for an annotator, with everything hidden filled in by `variant`."""

    variant: str
    annotator: Account
    reveal: bool = False
    tokens: dict[str, str] = field(default_factory=dict)
    ids: dict[str, list[Any]] = field(default_factory=dict)
    _count: Iterator[int] = field(default_factory=itertools.count)

    def hidden(self, model: type[models.Model], /, **given: Any) -> dict[str, Any]:
        """Columns of a row: those given, and a sentinel in every other text column that nobody blind may see."""
        visible = VISIBLE[model] | (REVEALED if self.reveal and model is Item else set())
        for column in model._meta.concrete_fields:
            if column.name in given or column.name in visible or column.remote_field or column.unique:
                continue
            if isinstance(column, models.CharField | models.TextField | models.JSONField):
                given[column.name] = self._planted(model, column)
        return given

    def _planted(self, model: type[models.Model], column: models.Field) -> Any:
        token = f"z{self.variant}q{next(self._count):03d}"
        self.tokens[token] = f"{model.__name__}.{column.name}"
        if isinstance(column, ForeignJson):
            return text.write({"key": token})
        return [token] if isinstance(column, models.JSONField) else token


def build(variant: str, annotator: Account, *, reveal: bool = False) -> World:
    """The same steps under other hidden facts: two of the annotator's items, a peer's labels on one, notes, judgments.

    Blind: the second item is locked and waits for the first, both being of one task. With `reveal` the first is taken
    away, so that the review of the second is open.
    """
    world = World(variant, annotator, reveal)
    flag = variant == "a"
    owner = Account.objects.create_user(f"owner-{variant}", role="researcher", name=f"z{variant}qown")
    study = Study.objects.create(
        id=FIRST_ID[variant],
        **world.hidden(Study, name="Reading", status="running", review="per_item", design={}, judge="rule/1"),
        seats_planned=2,
        labels_per_item=2,
        seed=1 if flag else 2,
        owner=owner,
    )
    unit = Unit.objects.create(**world.hidden(Unit, digest=f"{variant:f>64}", status="imported"))
    batch = ImportBatch.objects.create(**world.hidden(ImportBatch, status="done", upload=""), read=1 if flag else 9)
    model = AgentModel.objects.create(**world.hidden(AgentModel, name=f"z{variant}qmdl", kind="llm"))
    # The seat is the person's own and the same in both worlds; the way out of a study names it.
    seats = [Seat.objects.create(id=n, study=study, number=n, account=who) for n, who in ((1, annotator), (2, owner))]
    places = [_place(world, study, seats, unit, batch, model, number) for number in range(3 if flag else 2)][-2:]
    first, second = places
    peer = Assignment.objects.create(item=second.item, seat=seats[1], order=1)
    _lock(world, second, noticed=False, result=True)
    label = _lock(world, peer, noticed=flag, result=not flag)
    LabelVoid.objects.create(**world.hidden(LabelVoid, label=label, who=owner))
    review = Review.objects.create(**world.hidden(Review, assignment=peer, version=1, result="agree", noticed="unsure"))
    Comment.objects.create(**world.hidden(Comment, review=review))
    Draft.objects.create(assignment=first, result=True, version=3)
    if reveal:
        Draft.objects.all().delete()
        Assignment.objects.filter(pk=first.pk).update(released_at=timezone.now())
        labelling.open_review(assignment=second)
    world.ids = {
        "public_id": [first.public_id, second.public_id, peer.public_id, "nobodysplace"],
        "number": ["P1", "R2", "R9", "nonsense"],
        "part": ["observation-R2", "arguments-P1", "reference-1", "answer", "thought-R9", "nonsense"],
        "pk": [study.pk, first.item.rollout_id, 999_999],
    }
    return world


def _place(
    world: World, study: Study, seats: list[Seat], unit: Unit, batch: ImportBatch, model: AgentModel, number: int
) -> Assignment:
    flag = world.variant == "a"
    rollout = Rollout.objects.create(
        id=FIRST_ID[world.variant] + 1000 + number,
        **world.hidden(
            Rollout,
            origin="import",
            batch=batch,
            unit=unit,
            model=model,
            matched_group=f"z{world.variant}qgrp",
            record_sha256=f"{world.variant}{number:063x}",
            task="What was read last?",
            reference=text.write([{"heading": "recorded", "value": "sports"}]),
            final_answer="Music.",
            status="finished",
        ),
        prefix_count=1,
        step_count=2,
        noticed=flag,
        producer_refetch=not flag,
        refetch_valid=flag,
        created=timezone.now() if flag else timezone.now() - timedelta(days=40),
    )
    for index, step in enumerate(STEPS):
        seen = text.plain(step["value"])
        columns = {**step, "observation": text.write(step["value"]), "head": seen[:1000], "characters": len(seen)}
        del columns["value"]
        Step.objects.create(
            **world.hidden(Step, **columns, rollout=rollout, index=index, kind="call", actor="agent"),
            is_new=True,
            ms=1.0 if flag else 2.0,
        )
    Judgment.objects.create(**world.hidden(Judgment, rollout=rollout))
    DiagnosisEdit.objects.create(**world.hidden(DiagnosisEdit, rollout=rollout, step_index=1, who=study.owner))
    MechanismNote.objects.create(**world.hidden(MechanismNote, rollout=rollout, who=study.owner))
    shown = {"auto_result": flag, "auto_noticed": not flag}
    if world.reveal:
        shown = {"auto_result": True, "auto_noticed": False}
        shown |= {"result_rationale": "because", "result_evidence": ["R2"], "noticed_evidence": []}
    item = Item.objects.create(
        **world.hidden(Item, study=study, rollout=rollout, matched_group=rollout.matched_group, **shown)
    )
    return Assignment.objects.create(item=item, seat=seats[0], order=number, released_at=_extra(number, flag))


def _extra(number: int, flag: bool) -> Any:
    return timezone.now() if flag and number == 0 else None


def _lock(world: World, place: Assignment, **answers: bool) -> BlindLabel:
    return BlindLabel.objects.create(assignment=place, first_shown=timezone.now(), active_seconds=10, **answers)


def addresses(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """Every route of the project as a format string with the names of its parameters."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses(entry, route)
        elif isinstance(entry, URLPattern):
            yield _formattable(route)


def _formattable(route: str) -> tuple[str, list[str]]:
    route = re.sub(r"\(\?P<(\w+)>(?:\[[^\]]*\]|\\.|[^()\[\]])*\)", r"<\1>", route)
    names = re.findall(r"<(?:\w+:)?(\w+)>", route)
    plain = re.sub(r"[\^$?]|\\[ZA]", "", re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)).replace("\\", "")
    return "/" + plain, names


def requests_of(
    world: World, below: tuple[str, ...], own: list[Way], others: list[Way]
) -> Iterator[tuple[str, str, dict[str, str], dict[str, str]]]:
    """Every request below a path: a key that both worlds share, the path, headers and the form sent (none: GET)."""
    for route, names in addresses():
        choices = [world.ids.get(name, world.ids["pk"]) for name in names]
        for number, chosen in enumerate(itertools.product(*choices) if "public_id" in names else _each_once(choices)):
            path = route.format(**dict(zip(names, chosen, strict=True)))
            if path.startswith(tuple(start.format(first=world.ids["public_id"][0]) for start in below)):
                for way, headers, form in own if names == ["public_id"] else others:
                    yield f"{way} {route} {number}", path, headers, form


def _each_once(choices: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Every value of every parameter at least once."""
    for number in range(max(map(len, choices), default=1)):
        yield tuple(values[number % len(values)] for values in choices)


def answers_to(world: World, below: tuple[str, ...], own: list[Way], others: list[Way]) -> dict[str, str]:
    """What the annotator gets for every request `below` a path ({first}: the item to label); none leaves a trace."""
    signed_in = Client(raise_request_exception=False)
    signed_in.force_login(world.annotator, backend="annotation.backends.EffectiveRoleBackend")
    session = dict(signed_in.cookies)
    found = {}
    for key, path, headers, form in requests_of(world, below, own, others):
        client = Client(raise_request_exception=False)
        client.cookies.update(session)
        with transaction.atomic():
            send = client.post if form else client.get
            found[key] = masked(world, path, send(path, form or None, headers=headers))
            transaction.set_rollback(True)
    return found


def masked(world: World, path: str, response: Any) -> str:
    """One answer as text, with the request's own path, the CSRF token, the nonce and assignment ids masked."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    headers = "\n".join(f"{name}: {value}" for name, value in sorted(response.headers.items()) if name != "Expires")
    cookies = "; ".join(sorted(response.cookies))
    whole = f"{response.status_code}\n{headers}\n{cookies}\n\n{body.decode('utf-8', 'backslashreplace')}"
    whole = re.sub(r'(csrfmiddlewaretoken" value="|nonce="|nonce-)[\w-]+', r"\1MASKED", whole)
    if any(part.isdigit() for part in path.split("/")):
        whole = whole.replace(path, "THE-PATH-ASKED-FOR")
    for position, public_id in enumerate(world.ids["public_id"]):
        whole = whole.replace(public_id, f"ASSIGNMENT-{position}")
    return whole


def differences(one: dict[str, str], other: dict[str, str]) -> list[str]:
    """The requests that two worlds answer differently."""
    return [key for key in one.keys() | other.keys() if one.get(key) != other.get(key)]


def sentinels(world: World, answers: dict[str, str]) -> set[str]:
    """The hidden columns whose sentinel occurs anywhere in the answers."""
    everything = "\n".join(answers.values())
    return {name for token, name in world.tokens.items() if token in everything} | set(
        re.findall(rf"z{world.variant}q(?:own|mdl|grp)", everything)
    )


def both_worlds(
    annotator: Account,
    *,
    reveal: bool = False,
    below: tuple[str, ...] = ("/",),
    own: list[Way] = OWN_WAYS,
    others: list[Way] = WAYS,
) -> tuple[list[str], set[str]]:
    """Differences between two worlds, and sentinels seen in either; each world is gone before the next is built."""
    seen, leaked = [], set()
    for variant in ("a", "b"):
        with transaction.atomic():
            world = build(variant, annotator, reveal=reveal)
            answers = answers_to(world, below, own, others)
            assert not [key for key, answer in answers.items() if answer.startswith("5")]
            assert any(answer.startswith("200") and "What was read last?" in answer for answer in answers.values())
            leaked |= sentinels(world, answers)
            seen.append(answers)
            transaction.set_rollback(True)
    return differences(*seen), leaked


@pytest.fixture
def annotator(make_account: Callable[..., Account]) -> Account:
    """Who labels."""
    return make_account("annotator", "reader")


def test_blind_answers_do_not_depend_on_anything_hidden_and_carry_none_of_it(annotator: Account) -> None:
    different, leaked = both_worlds(annotator)
    assert different == []
    assert leaked == set()


def test_an_open_review_still_hides_model_condition_unit_and_peers(annotator: Account) -> None:
    different, leaked = both_worlds(annotator, reveal=True, below=("/queue/", "/api/"))
    assert different == []
    assert leaked == set()


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_whoever_else_labels_is_as_blind_as_an_annotator(make_account: Callable[..., Account], role: str) -> None:
    different, leaked = both_worlds(make_account(role, "labels too"), own=WAYS[:1], others=WAYS[:1])
    assert different == []
    assert leaked == set()


LEAKS = {
    "condition": lambda rollout: rollout.condition,
    "model": lambda rollout: rollout.model.name,
    "group": lambda rollout: rollout.matched_group,
    "unit": lambda rollout: rollout.unit.name,
    "labels": lambda rollout: rollout.labels,
    "rationale": lambda rollout: Item.objects.get(rollout=rollout).result_rationale,
    "judge": lambda rollout: rollout.judgments.get().judge,
    "note": lambda rollout: rollout.mechanism_notes.get().text,
    "locator": lambda rollout: rollout.locator,
}


@pytest.mark.parametrize("leak", LEAKS)
def test_the_checks_catch_a_hidden_text_let_through(
    annotator: Account, monkeypatch: pytest.MonkeyPatch, leak: str
) -> None:
    honest = blind.blind_case

    def leaky(rollout: Rollout) -> blind.BlindCase:
        case = honest(rollout)
        return replace(case, answer_copy=f"{case.answer_copy} {LEAKS[leak](rollout)}")

    monkeypatch.setattr(item_views, "blind_case", leaky)
    different, leaked = both_worlds(annotator, below=("/queue/{first}/",))
    assert different
    assert leaked


@pytest.mark.parametrize(
    "leak",
    [
        lambda r: r.pk,
        lambda r: r.noticed,
        lambda r: r.created.isoformat(),
        lambda r: Item.objects.get(rollout=r).auto_result,
    ],
)
def test_the_difference_catches_a_hidden_fact_without_words(
    annotator: Account, monkeypatch: pytest.MonkeyPatch, leak: Callable[[Rollout], Any]
) -> None:
    honest = item_views._answer

    def leaky(request: HttpRequest, place: Assignment, *args: Any, **more: Any) -> HttpResponse:
        response = honest(request, place, *args, **more)
        response.headers["X-Leak"] = str(leak(Rollout.objects.get(pk=place.item.rollout_id)))
        return response

    monkeypatch.setattr(item_views, "_answer", leaky)
    assert both_worlds(annotator, below=("/queue/{first}/",))[0]


def test_the_checks_catch_a_peers_label_let_through(annotator: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(place: Assignment) -> str | None:
        peers = BlindLabel.objects.exclude(assignment__seat=place.seat_id)
        return "".join(str(label.result) for label in peers)

    monkeypatch.setattr(item_views, "next_place", leaky)
    assert both_worlds(annotator, below=("/queue/{first}/",))[0]
