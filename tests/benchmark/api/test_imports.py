"""A program brings a file as a person does: scanned first, nothing saved before the go-ahead, and once."""

import io
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from benchmark.models import ImportBatch, KeptAnswer, Rollout
from tests.api_clients import API, Caller

pytestmark = pytest.mark.django_db

CALL = {"name": "get_order", "arguments": '{"order": "#W7"}'}
RECORD = {
    "task_id": 7,
    "reward": 0.0,
    "trial": 0,
    "info": {"task": {"instruction": "Find the price.", "actions": [], "outputs": ["54.10"]}},
    "traj": [
        {"role": "user", "content": "What did it cost?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": CALL}]},
        {"role": "tool", "tool_call_id": "c1", "name": "get_order", "content": '{"price": 54.10}'},
        {"role": "assistant", "content": "It cost 54."},
    ],
}
SAID = {"source": "our own run", "licence": "MIT", "model_name": "some-model"}


@pytest.fixture
def caller(calling: Callable[..., Caller]) -> Caller:
    """A researcher's program."""
    return calling("researcher")


@pytest.fixture
def upload(caller: Caller, django_capture_on_commit_callbacks: Any) -> Callable[..., Any]:
    """Send one file; its scan runs before the answer comes back."""

    def send(content: Any = (RECORD,), name: str = "runs.json", key: str = "") -> Any:
        file = io.BytesIO(content if isinstance(content, bytes) else json.dumps(content).encode())
        file.name = name
        with django_capture_on_commit_callbacks(execute=True):
            return caller.client.post(f"{API}imports", {"file": file}, headers={"Idempotency-Key": key} if key else {})

    return send


@pytest.fixture
def go_ahead(caller: Caller, django_capture_on_commit_callbacks: Any) -> Callable[..., Any]:
    """Say what a scanned file is; its import runs before the answer comes back."""

    def send(pk: int, body: Any = SAID, **headers: str) -> Any:
        with django_capture_on_commit_callbacks(execute=True):
            return caller.post(f"imports/{pk}/go-ahead", body, **headers)

    return send


def test_a_file_is_scanned_first_and_imported_after_the_go_ahead(
    caller: Caller, upload: Callable[..., Any], go_ahead: Callable[..., Any]
) -> None:
    brought = upload()
    assert brought.status_code == 201
    pk = brought.json()["id"]
    assert brought.headers["Location"] == f"http://testserver{API}imports/{pk}"
    waiting = caller.get(f"imports/{pk}").json()
    assert (waiting["status"], waiting["format"], waiting["read"]) == ("waiting", "chat", 1)
    assert waiting["report"]["without_model"] == 1
    assert not Rollout.objects.exists()
    assert go_ahead(pk).status_code == 202
    done = caller.get(f"imports/{pk}").json()
    assert (done["status"], done["licence"], done["who"]) == ("done", "MIT", caller.account.username)
    assert Rollout.objects.get().model.name == "some-model"


def test_a_file_nobody_knows_is_refused_with_what_was_seen(upload: Callable[..., Any]) -> None:
    refused = upload(b"\x89PNG\r\n\x1a\n", "picture.png").json()
    assert refused["status"] == "refused"
    assert refused["why"]


@pytest.mark.parametrize("sent", [{}, {"file": "a text, no file"}])
def test_an_upload_without_a_file_is_refused(caller: Caller, sent: dict[str, str]) -> None:
    response = caller.client.post(f"{API}imports", sent)
    assert response.status_code == 422
    assert response.json()["errors"] == [{"pointer": "/file", "detail": "Choose at least one file."}]
    assert not ImportBatch.objects.exists()


def test_an_empty_file_and_two_at_once_are_refused(caller: Caller, upload: Callable[..., Any]) -> None:
    assert "empty" in upload(b"").json()["detail"]
    two = caller.client.post(f"{API}imports", {"file": [io.BytesIO(b"[]"), io.BytesIO(b"[]")]})
    assert two.status_code == 422
    assert not ImportBatch.objects.exists()


def test_a_go_ahead_asks_where_the_file_comes_from(upload: Callable[..., Any], go_ahead: Callable[..., Any]) -> None:
    pk = upload().json()["id"]
    assert go_ahead(pk, {}).json()["errors"][0]["pointer"] == "/source"
    assert go_ahead(pk, SAID | {"license": "MIT"}).json()["errors"][0]["pointer"] == "/license"
    assert ImportBatch.objects.get().status == "waiting"


def test_findings_are_masked_unless_the_program_says_otherwise(
    upload: Callable[..., Any], go_ahead: Callable[..., Any]
) -> None:
    mail = {**RECORD, "traj": [{"role": "user", "content": "I am ann@example.org"}, *RECORD["traj"][1:]]}
    pk = upload([mail]).json()["id"]
    assert ImportBatch.objects.get().findings
    go_ahead(pk)
    assert ImportBatch.objects.get().masked
    assert "ann@example.org" not in Rollout.objects.get().steps.get(index=0).text


def test_a_second_go_ahead_is_refused_and_says_where_the_import_is(
    upload: Callable[..., Any], go_ahead: Callable[..., Any]
) -> None:
    pk = upload().json()["id"]
    go_ahead(pk)
    refused = go_ahead(pk)
    assert (refused.status_code, refused.json()["type"]) == (409, "/api/v1/docs#not-now")
    assert "done" in refused.json()["detail"]


def test_a_waiting_file_can_be_discarded_once(caller: Caller, upload: Callable[..., Any]) -> None:
    pk = upload().json()["id"]
    assert caller.post(f"imports/{pk}/cancel").json()["status"] == "cancelled"
    assert caller.post(f"imports/{pk}/cancel").status_code == 409


def test_the_same_upload_with_the_same_key_is_one_import_and_one_answer(upload: Callable[..., Any]) -> None:
    first, again = upload(key="k1"), upload(key="k1")
    assert ImportBatch.objects.count() == 1
    assert (again.status_code, again.content, again.headers["Location"]) == (
        first.status_code,
        first.content,
        first.headers["Location"],
    )
    upload(key="k2")
    assert ImportBatch.objects.count() == 2


def test_a_key_belongs_to_one_request(upload: Callable[..., Any]) -> None:
    upload(key="k1")
    refused = upload([{**RECORD, "task_id": 8}], key="k1")
    assert (refused.status_code, refused.json()["type"]) == (422, "/api/v1/docs#key-reused")
    assert ImportBatch.objects.count() == 1


def test_keys_of_two_accounts_do_not_meet(upload: Callable[..., Any], calling: Callable[..., Caller]) -> None:
    upload(key="k1")
    file = io.BytesIO(json.dumps([RECORD]).encode())
    assert (
        calling("admin").client.post(f"{API}imports", {"file": file}, headers={"Idempotency-Key": "k1"}).status_code
        == 201
    )
    assert ImportBatch.objects.count() == 2


def test_a_refused_request_keeps_no_answer_and_may_be_mended(
    upload: Callable[..., Any], go_ahead: Callable[..., Any]
) -> None:
    pk = upload().json()["id"]
    assert go_ahead(pk, {}, **{"Idempotency-Key": "k"}).status_code == 422
    assert go_ahead(pk, SAID, **{"Idempotency-Key": "k"}).status_code == 202
    assert go_ahead(pk, SAID, **{"Idempotency-Key": "k"}).status_code == 202


def test_an_answer_is_kept_for_a_day(upload: Callable[..., Any]) -> None:
    upload(key="k1")
    KeptAnswer.objects.update(created=timezone.now() - timedelta(hours=25))
    upload(key="k1")
    assert ImportBatch.objects.count() == 2


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "ключ"])
def test_a_key_that_is_none_is_refused(caller: Caller, key: str) -> None:
    response = caller.post("imports/1/cancel", None, **{"Idempotency-Key": key})
    assert response.status_code == 400


def test_an_erased_account_leaves_no_kept_answers(caller: Caller, upload: Callable[..., Any]) -> None:
    upload(key="k1")
    caller.account.erase()
    assert not KeptAnswer.objects.exists()
