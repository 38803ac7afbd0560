"""Clients that call with a personal token, as programs do."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from benchmark.actions.accounts import create_token
from benchmark.models import Account

API = "/api/v1/"


class Caller:
    """One account's program: paths below /api/v1/, JSON bodies, whatever comes back."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.headers = {"Authorization": f"Bearer {create_token(account=account, name='a test')[1]}"}
        self.client = Client(headers=self.headers, raise_request_exception=False)

    def get(self, path: str, **options: Any) -> Any:
        """GET; `headers` and a query as `data` may be given."""
        return self.client.get(API + path, **options)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """POST or PUT a JSON body."""
        send = getattr(self.client, method)
        return send(API + path, body, content_type="application/json", headers=headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """POST a JSON body."""
        return self.send("post", path, body, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> Any:
        """PUT a JSON body."""
        return self.send("put", path, body, **headers)


@pytest.fixture
def calling(make_account: Callable[..., Account]) -> Callable[..., Caller]:
    """A caller: the account given, or a fresh one of the role given."""
    return lambda who: Caller(make_account(who) if isinstance(who, str) else who)


def body_of(response: Any) -> bytes:
    """The whole body, streamed or not."""
    return b"".join(response.streaming_content) if response.streaming else response.content
