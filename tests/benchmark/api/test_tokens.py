"""A token opens what its account may see at this moment, and nothing once it is over."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmark.actions.accounts import change_account, create_token, revoke_token
from benchmark.models import Account, ApiToken
from tests.api_clients import Caller

pytestmark = pytest.mark.django_db


def bearer(secret: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture
def token(make_account: Callable[..., Account]) -> tuple[ApiToken, str]:
    """A researcher's token and its secret."""
    return create_token(account=make_account("researcher"), name="script")


def test_a_token_opens_what_its_account_may_read(token: tuple[ApiToken, str]) -> None:
    assert bearer(token[1]).get("/api/v1/rollouts").status_code == 200


def test_only_a_hash_of_a_token_is_kept(token: tuple[ApiToken, str]) -> None:
    row = ApiToken.objects.values().get()
    assert token[1] not in str(row)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer x", "Bearer a b", "Basic eDp5", "Bearer \xff"])
def test_without_a_token_that_works_nothing_opens_and_the_answer_says_what_to_send(header: str) -> None:
    response = Client(headers={"Authorization": header} if header else {}).get("/api/v1/rollouts")
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert response.json()["status"] == 401


def test_a_revoked_token_opens_nothing_any_more(token: tuple[ApiToken, str]) -> None:
    revoke_token(token=token[0])
    assert bearer(token[1]).get("/api/v1/rollouts").status_code == 401


def test_a_token_ends_after_90_days(token: tuple[ApiToken, str]) -> None:
    assert token[0].expires - timezone.now() == pytest.approx(timedelta(days=90), abs=timedelta(minutes=1))
    ApiToken.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert bearer(token[1]).get("/api/v1/rollouts").status_code == 401


def test_a_deactivated_account_s_token_opens_nothing(token: tuple[ApiToken, str], make_account: Any) -> None:
    make_account("admin")
    change_account(account=token[0].account, name="", role="researcher", is_active=False)
    assert bearer(token[1]).get("/api/v1/rollouts").status_code == 401


def test_an_erased_account_leaves_no_token(token: tuple[ApiToken, str]) -> None:
    token[0].account.erase()
    assert not ApiToken.objects.exists()


def test_a_token_follows_its_account_s_role(token: tuple[ApiToken, str]) -> None:
    Account.objects.update(role="annotator")
    assert bearer(token[1]).get("/api/v1/rollouts").status_code == 404


def test_who_labels_right_now_has_an_annotator_s_rights_only_and_is_told_so(
    make_account: Callable[..., Account], make_study: Callable[..., Any]
) -> None:
    researcher = make_account("researcher")
    caller = Caller(researcher)
    assert caller.get("rollouts").status_code == 200
    make_study(seats=[researcher])
    refused = caller.get("rollouts")
    assert refused.status_code == 403
    assert "unfinished items" in refused.json()["detail"]
    assert caller.get("queue").status_code == 200


def test_use_of_a_token_is_noted_without_a_write_for_every_call(token: tuple[ApiToken, str]) -> None:
    client = bearer(token[1])
    client.get("/api/v1/rollouts")
    first = ApiToken.objects.get().last_used
    assert first is not None
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get("/api/v1/rollouts")
    assert not [query for query in queries if query["sql"].startswith("UPDATE")]
    ApiToken.objects.update(last_used=timezone.now() - timedelta(minutes=11))
    client.get("/api/v1/rollouts")
    assert ApiToken.objects.get().last_used > first


def test_a_session_needs_the_csrf_token_to_write_and_a_personal_token_does_not(
    make_account: Callable[..., Account],
) -> None:
    researcher = make_account("researcher")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(researcher, backend="annotation.backends.EffectiveRoleBackend")
    refused = browser.post("/api/v1/imports/1/cancel", {}, content_type="application/json")
    assert refused.status_code == 403
    assert "CSRF" in refused.json()["detail"]
    program = Client(
        enforce_csrf_checks=True, headers={"Authorization": f"Bearer {create_token(account=researcher, name='x')[1]}"}
    )
    assert program.post("/api/v1/imports/1/cancel", {}, content_type="application/json").status_code == 404
