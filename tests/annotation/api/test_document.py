"""The OpenAPI document and its page: valid, whole, and of each account only what it may call."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.api import errors
from annotation.models import Study
from benchmark.api.errors import Problem
from benchmark.core.taxonomy import Condition, Leaf, State
from tests.api_clients import Caller

pytestmark = pytest.mark.django_db

OWN = {
    *("/api/v1/queue", "/api/v1/items/{public_id}", "/api/v1/items/{public_id}/draft"),
    *("/api/v1/items/{public_id}/blind", "/api/v1/items/{public_id}/review"),
    "/api/v1/items/{public_id}/texts/{part}",
}
READ = {
    *("/api/v1/rollouts", "/api/v1/rollouts/{id}", "/api/v1/rollouts/{id}/steps", "/api/v1/rollouts/{id}/judgments"),
    "/api/v1/rollouts/{id}/steps/{index}/observation",
}
RUN = {
    *("/api/v1/imports", "/api/v1/imports/{id}", "/api/v1/imports/{id}/go-ahead", "/api/v1/imports/{id}/cancel"),
    *("/api/v1/studies", "/api/v1/studies/{id}", "/api/v1/studies/{id}/agreement", "/api/v1/studies/{id}/labels"),
}
HIDDEN = {
    "model",
    "condition",
    "judge",
    "seat",
    "stratum",
    "strata",
    "unit",
    "leaf",
    "pollut",
    "inject",
    "noticed_rule",
}


def document(caller: Caller) -> dict[str, Any]:
    response = caller.get("schema")
    assert response.status_code == 200
    return response.json()


def test_the_document_is_valid_openapi_and_nothing_in_it_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("spectacular", validate=True, fail_on_warn=True, format="openapi-json")
    assert json.loads(capsys.readouterr().out)["openapi"].startswith("3.")


@pytest.mark.parametrize(
    ("role", "paths"),
    [("annotator", OWN), ("author", OWN | READ), ("researcher", OWN | READ | RUN), ("admin", OWN | READ | RUN)],
)
def test_an_account_sees_what_it_may_call_and_no_more(
    calling: Callable[..., Caller], role: str, paths: set[str]
) -> None:
    assert set(document(calling(role))["paths"]) == paths


def test_who_labels_right_now_sees_an_annotator_s_document(
    calling: Callable[..., Caller], make_study: Callable[..., Study]
) -> None:
    researcher = calling("researcher")
    make_study(seats=[researcher.account])
    assert document(researcher) == document(calling("annotator"))


def test_an_annotator_s_document_names_nothing_that_is_hidden_from_them(calling: Callable[..., Caller]) -> None:
    words = json.dumps(document(calling("annotator"))).lower()
    found = {word for word in HIDDEN if re.search(rf"\b{word}", words)}
    vocabulary = [word.value for words_of in (Condition, Leaf, State) for word in words_of]
    assert found == set()
    assert not [word for word in vocabulary if f'"{word}"' in words]


def test_every_named_problem_stands_in_the_document_with_an_example(calling: Callable[..., Caller]) -> None:
    whole = json.dumps(document(calling("researcher")))
    kinds = Problem.__subclasses__()
    assert len({kind.kind for kind in kinds}) == len(kinds) >= 9
    assert errors.LockedOtherwise in kinds
    for kind in kinds:
        assert f'"/api/v1/docs#{kind.kind}"' in whole


def test_every_operation_says_how_it_is_called_and_what_errors_look_like(calling: Callable[..., Caller]) -> None:
    for path, methods in document(calling("researcher"))["paths"].items():
        for method, operation in methods.items():
            assert operation["description"], (path, method)
            assert {"tokenAuth": []} in operation["security"]
            assert list(operation["responses"]["default"]["content"]) == ["application/problem+json"]


def test_the_page_tells_every_call_and_every_named_problem_without_script_or_style(
    signed_in: Callable[..., Client],
) -> None:
    response = signed_in("researcher").get(reverse("benchmark-api:docs"))
    page = response.content.decode()
    assert response.headers["Cache-Control"] == "no-store"
    for path in OWN | READ | RUN:
        assert path in page
    for kind in Problem.__subclasses__():
        assert f'id="{kind.kind}"' in page
    for link in re.findall(r'href="#([\w-]+)"', page):
        assert f'id="{link}"' in page
    main = page[page.index("<main") :]
    assert "<script" not in main
    assert "style=" not in main


def test_an_annotator_s_page_is_made_from_an_annotator_s_document(signed_in: Callable[..., Client]) -> None:
    page = signed_in("annotator").get(reverse("benchmark-api:docs")).content.decode()
    assert "/api/v1/items/{public_id}/blind" in page
    assert not [path for path in READ | RUN if path in page]
    assert "not-now" not in page


def test_who_is_not_signed_in_is_asked_to(client: Client) -> None:
    assert client.get(reverse("benchmark-api:docs")).status_code == 302
    assert client.get(reverse("benchmark-api:schema")).status_code == 401
