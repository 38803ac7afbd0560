"""What every test stands on: no network, services named where they are missing, locks that step aside for a flush."""

import os
import shutil
import socket
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.core.management.commands.flush import Command as FlushCommand
from django.db import connection
from django.test import Client

from annotation.locks import create_locks, drop_locks
from benchmark.models import Account

PASSWORD = "long enough to pass"
WANTED = "for want of "
CHROMIUM = os.environ.get("RITE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
CHROMIUM_FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]

hypothesis.settings.register_profile("rite", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("rite")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--whole`."""
    parser.addoption("--whole", action="store_true", help="run the tests marked `whole`, in their full size")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what uses a page as a browser test; leave `whole` tests out unless they are asked for."""
    for item in items:
        if "page" in getattr(item, "fixturenames", ()) or "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
    if not config.getoption("whole"):
        left_out = [item for item in items if item.get_closest_marker("whole")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what cannot run here and say for want of what; with RITE_REQUIRE_SERVICES=1 fail instead."""
    if item.get_closest_marker("sqlite") and connection.vendor != "sqlite":
        pytest.skip("about SQLite or the embedded default")
    for name, remedy in _missing(item):
        sentence = f"{WANTED}{name}: {remedy}"
        if os.environ.get("RITE_REQUIRE_SERVICES") == "1":
            pytest.fail(sentence, pytrace=False)
        pytest.skip(sentence)


def _missing(item: pytest.Item) -> Iterator[tuple[str, str]]:
    services = item.get_closest_marker("services")
    wanted = (services.args or ("postgresql", "redis")) if services else ()
    if "postgresql" in wanted and connection.vendor != "postgresql":
        yield "PostgreSQL", "set DATABASE_URL=postgres://…"
    if "redis" in wanted and not settings.CELERY_BROKER_URL.startswith("redis"):
        yield "Redis", "set CELERY_BROKER_URL=redis://…"
    if item.get_closest_marker("browser") and not CHROMIUM:
        yield "Chromium", "install it (Debian: apt-get install chromium)"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in one line a service what was skipped for want of it."""
    skipped: dict[str, set[str]] = defaultdict(set)
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        if WANTED in reason:
            skipped[reason.partition(WANTED)[2]].add(report.nodeid)
    for reason, tests in sorted(skipped.items()):
        terminalreporter.write_line(f"Skipped {len(tests)} {WANTED}{reason}", yellow=True)
        for test in sorted(tests):
            terminalreporter.write_line(f"  {test}")


@pytest.fixture(scope="session", autouse=True)
def _only_this_machine() -> Iterator[None]:
    """Refuse every connection that leaves the machine."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in {"localhost", "127.0.0.1", "::1"}:
            raise AssertionError(f"a test tried to reach {address[0]}; tests stay on this machine")
        real(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        yield


@pytest.fixture(scope="session", autouse=True)
def _locks_step_aside_for_flush() -> Iterator[None]:
    """On SQLite a flush deletes row by row, which the label locks refuse; PostgreSQL truncates."""
    real = FlushCommand.handle

    def handle(self: FlushCommand, **options: Any) -> None:
        if connection.vendor != "sqlite":
            real(self, **options)
            return
        drop_locks(connection)
        real(self, **options)
        create_locks(connection)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FlushCommand, "handle", handle)
        yield


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The machine's own Chromium. Playwright runs a loop in this thread, which Django takes for an async context."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": CHROMIUM_FLAGS}


@pytest.fixture
def make_account(db: None) -> Callable[..., Account]:
    """An account by role; its password is PASSWORD."""

    def make(role: str = "annotator", username: str = "", **fields: object) -> Account:
        name = username or f"{role}-{Account.objects.count() + 1}"
        return Account.objects.create_user(name, PASSWORD, role=role, **fields)

    return make


@pytest.fixture
def signed_in(make_account: Callable[..., Account]) -> Callable[..., Client]:
    """A client that has signed in: as the account given, or as a fresh one of the role given."""

    def sign_in(who: Account | str) -> Client:
        client = Client()
        client.force_login(
            make_account(who) if isinstance(who, str) else who, backend="annotation.backends.EffectiveRoleBackend"
        )
        return client

    return sign_in
