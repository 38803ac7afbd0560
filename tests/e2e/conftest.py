"""The study and import fixtures, for this folder, and tabs that remember what their browser complained of."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Request

from benchmark.models import Account
from tests.benchmark.records import imported  # noqa: F401
from tests.studies import make_rollout, make_study  # noqa: F401

REPORT_VIOLATIONS = """
  addEventListener("securitypolicyviolation", (event) => window.violated(`${event.violatedDirective}: ${event.blockedURI}`));
"""


@dataclass
class Visits:
    """Opens tabs of different people; `complaints` is what their browsers found wrong, policy violations included."""

    address: str
    browser: Browser
    sign_in: Callable[..., Client]
    contexts: list[BrowserContext]
    complaints: list[str]

    def tab(self, who: Account | None = None, **options: Any) -> Page:
        """A tab in a browser profile of its own: signed in as `who`, or as nobody."""
        context = self.browser.new_context(
            base_url=self.address, viewport={"width": 1440, "height": 900}, service_workers="block", **options
        )
        self.contexts.append(context)
        context.set_default_timeout(20_000)
        context.expose_binding("violated", lambda source, words: self.complaints.append(words))
        context.add_init_script(REPORT_VIOLATIONS)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        context.on("request", self._stays_here)
        if who:
            session = self.sign_in(who).cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": self.address}])
        return context.new_page()

    def _stays_here(self, request: Request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.complaints.append(f"a request left for {request.url}")


@pytest.fixture
def visits(live_server: Any, signed_in: Callable[..., Client], browser: Browser) -> Iterator[Visits]:
    """Tabs that are closed after the test."""
    found = Visits(live_server.url, browser, signed_in, [], [])
    yield found
    for context in found.contexts:
        context.close()
