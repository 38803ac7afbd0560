"""Every error is a problem document that says what to do and nothing about the inside."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from rest_framework.throttling import UserRateThrottle

from benchmark.api import json_text
from benchmark.api.errors import FAILED
from benchmark.api.views import rollouts
from benchmark.models import ImportBatch
from tests.api_clients import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def caller(calling: Callable[..., Caller]) -> Caller:
    """A researcher's program."""
    return calling("researcher")


def problem(response: Any, status: int) -> dict[str, Any]:
    """The problem document of an answer, checked to be one."""
    assert response.status_code == status
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Cache-Control"] == "no-store"
    found = response.json()
    assert found["status"] == status
    assert found["title"]
    assert found["detail"]
    return found


def test_what_is_not_there_is_a_problem_wherever_it_is_not(caller: Caller) -> None:
    unknown = problem(caller.get("rollouts/999999"), 404)
    assert unknown == {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "There is nothing here."}
    for path in ("nothing", "rollouts/x", "rollouts/", "../v2/rollouts", f"rollouts/{10**30}"):
        assert problem(caller.get(path), 404) == unknown


def test_a_method_that_is_not_offered_names_those_that_are(caller: Caller) -> None:
    response = caller.client.delete("/api/v1/rollouts")
    problem(response, 405)
    assert response.headers["Allow"] == "GET, HEAD"
    problem(caller.client.options("/api/v1/rollouts"), 405)


def test_a_form_of_answer_that_is_not_offered(caller: Caller) -> None:
    problem(caller.get("rollouts", headers={"Accept": "text/html"}), 406)


def test_a_form_of_body_that_is_not_read(caller: Caller) -> None:
    batch = ImportBatch.objects.create(file_name="a.json", status=ImportBatch.Status.WAITING)
    problem(caller.client.post(f"/api/v1/imports/{batch.pk}/go-ahead", "a=b", content_type="text/plain"), 415)
    problem(caller.post("imports", {"file": "a.json"}), 415)


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"{", "JSON"),
        (b'{"source": 1, "source": 2}', "twice"),
        (b'{"source": NaN}', "NaN"),
        (b"[" * 100_000, "deeply"),
        (b"\xff", "UTF-8"),
    ],
)
def test_a_body_that_is_not_json_is_refused_with_the_reason(
    caller: Caller, make_study: Callable[..., Any], body: bytes, word: str
) -> None:
    place = make_study(seats=[caller.account]).seats.get().assignments.first()
    found = problem(caller.client.put(f"/api/v1/items/{place.public_id}/draft", body, "application/json"), 400)
    assert word in found["detail"]


def test_a_body_beyond_a_megabyte_is_not_read(caller: Caller, make_study: Callable[..., Any]) -> None:
    place = make_study(seats=[caller.account]).seats.get().assignments.first()
    body = b'{"x":"' + b"x" * json_text.LARGEST_BODY + b'"}'
    problem(caller.client.put(f"/api/v1/items/{place.public_id}/draft", body, "application/json"), 413)


def test_a_wrong_parameter_is_named_and_none_is_passed_over(caller: Caller) -> None:
    for query, name in [
        ({"condition": "implict"}, "condition"),
        ({"conditon": "implicit"}, "conditon"),
        ({"limit": "0"}, "limit"),
        ({"limit": "201"}, "limit"),
        ({"limit": "x"}, "limit"),
        ({"cursor": "!"}, "cursor"),
        ({"cursor": "cD1hYmM="}, "cursor"),
        ({"batch": str(10**30)}, "batch"),
    ]:
        found = problem(caller.get("rollouts", data=query), 400)
        assert found["type"] == "/api/v1/docs#invalid"
        assert [one["parameter"] for one in found["errors"]] == [name]


def test_a_fault_of_ours_is_logged_and_shows_nothing_of_the_inside(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: Any) -> Any:
        raise RuntimeError("the secret inside")

    monkeypatch.setattr(rollouts, "narrowed", fail)
    with caplog.at_level(logging.ERROR, "django.request"):
        response = caller.get("rollouts")
    assert problem(response, 500)["detail"] == FAILED
    assert b"secret" not in response.content
    assert "the secret inside" in caplog.text


def test_a_flood_is_slowed_down_by_account(
    calling: Callable[..., Caller], monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "flood"}}
    cache.clear()
    monkeypatch.setattr(UserRateThrottle, "rate", "2/min", raising=False)
    one, other = calling("researcher"), calling("researcher")
    assert [one.get("queue").status_code for _ in range(2)] == [200, 200]
    slowed = one.get("queue")
    problem(slowed, 429)
    assert 0 < int(slowed.headers["Retry-After"]) <= 60
    assert other.get("queue").status_code == 200
