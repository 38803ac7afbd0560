"""The health page and the answer for probes."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from celery import current_app
from django.db import connection
from django.test import Client
from django.utils import timezone
from kombu import Connection

from annotation.locks import create_locks, drop_locks
from benchmark.models import WorkerBeat

pytestmark = pytest.mark.django_db


def beat(seconds_ago: float) -> WorkerBeat:
    return WorkerBeat.objects.create(name=f"worker-{seconds_ago}", seen=timezone.now() - timedelta(seconds=seconds_ago))


def test_probe_says_ok_when_everything_runs(client: Client) -> None:
    beat(5)
    answer = client.get("/health.json")
    assert answer.status_code == 200
    assert answer.json() == dict.fromkeys(["ok", "database", "migrations", "locks", "search", "queue", "worker"], True)


def test_a_silent_worker_is_told_but_pages_still_count_as_served(client: Client) -> None:
    beat(61)
    answer = client.get("/health.json")
    assert answer.status_code == 200
    assert answer.json()["worker"] is answer.json()["ok"] is False


def test_a_queue_that_does_not_answer_is_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    beat(5)
    nobody = Connection("redis://127.0.0.1:1/0")
    monkeypatch.setattr(current_app._get_current_object(), "connection_for_write", lambda: nobody)
    answer = client.get("/health.json")
    assert answer.status_code == 200
    assert answer.json()["queue"] is answer.json()["ok"] is False


@pytest.mark.django_db(transaction=True)
def test_a_missing_label_lock_makes_the_probe_fail(client: Client) -> None:
    drop_locks(connection)
    try:
        answer = client.get("/health.json")
    finally:
        create_locks(connection)
    assert answer.status_code == 503
    assert answer.json()["locks"] is False


def test_the_page_says_in_words_that_no_worker_was_seen(signed_in: Callable[..., Client]) -> None:
    beat(3600)
    page = signed_in("researcher").get("/health").content.decode()
    assert "No worker seen for 60 s" in page
    assert "worker-3600" in page


@pytest.mark.parametrize(("role", "status"), [("annotator", 404), ("author", 403), ("researcher", 200), ("admin", 200)])
def test_only_researchers_and_admins_see_the_page(signed_in: Callable[..., Client], role: str, status: int) -> None:
    assert signed_in(role).get("/health").status_code == status


def test_strangers_are_sent_to_sign_in(client: Client) -> None:
    assert client.get("/health").headers["Location"].startswith("/accounts/login/")
