"""What the annotate page may cost: four requests, 60 KB gzipped with htmx, 600 elements at 25 steps, one swap."""

import gzip
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, Response, expect

from annotation.models import Assignment, Study
from benchmark.core import text

pytestmark = [pytest.mark.django_db(transaction=True)]

REQUESTS, KILOBYTES, ELEMENTS = 4, 60, 600
STEPS = 25


def step(index: int) -> dict[str, Any]:
    """A call with a thought, three arguments and an observation longer than the page shows at once."""
    seen = text.write({"items": [{"id": number, "name": f"article {number} of page {index}"} for number in range(60)]})
    return {
        "kind": "call",
        "actor": "agent",
        "thought": f"Page {index} may hold it. The category does not fit what the user asked for; I look once more.",
        "tool": "GetArticleReadHistory",
        "arguments": text.write({"user_id": "u_1017", "page": index, "category": "sports"}),
        "observation": text.write(seen),
        "head": seen[:1000],
        "characters": len(seen),
        "is_new": True,
    }


@pytest.fixture
def places(make_study: Callable[..., Study], make_rollout: Callable[..., Any]) -> list[Assignment]:
    """Two items of 25 steps in one annotator's hands."""
    steps = [step(index) for index in range(STEPS)]
    rollouts = [make_rollout(steps=steps, prefix_count=8, step_count=17) for _ in range(2)]
    study = make_study(rollouts=rollouts, review=Study.ReviewMode.AT_END)
    return list(Assignment.objects.filter(item__study=study).order_by("order"))


@pytest.fixture
def page(
    live_server: Any, places: list[Assignment], signed_in: Callable[..., Client], browser: Browser
) -> Iterator[Page]:
    """A tab of the signed-in annotator, nothing opened yet."""
    context = browser.new_context(base_url=live_server.url)
    session = signed_in(places[0].seat.account).cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
    yield context.new_page()
    context.close()


@pytest.fixture
def at_item(places: list[Assignment], page: Page) -> list[Response]:
    """The responses that the first item's page took to load."""
    responses: list[Response] = []
    page.on("response", lambda response: responses.append(response))
    page.goto(f"/queue/{places[0].public_id}/", wait_until="networkidle")
    return responses


def test_the_page_comes_in_four_requests_and_sixty_kilobytes(at_item: list[Response]) -> None:
    assert len(at_item) <= REQUESTS, [response.url for response in at_item]
    size = sum(len(gzip.compress(response.body())) for response in at_item)
    assert size <= KILOBYTES * 1000


def test_25_steps_are_at_most_600_elements(at_item: list[Response], page: Page) -> None:
    assert page.locator(".step").count() == STEPS + 1
    assert page.evaluate("document.querySelectorAll('*').length") <= ELEMENTS


def test_the_next_item_is_one_swap_of_what_was_fetched_ahead(
    at_item: list[Response], page: Page, places: list[Assignment]
) -> None:
    with page.expect_response(f"**/queue/{places[1].public_id}/"):
        page.keyboard.press("1")
    page.keyboard.press("3")
    before = len(at_item)
    page.evaluate("() => { window.stays = true; }")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#item")).to_have_attribute("data-id", places[1].public_id)
    asked = [response.url.split("/queue/")[1] for response in at_item[before:] if "/draft/" not in response.url]
    assert asked[:2] == [f"{places[0].public_id}/submit/", f"{places[0].public_id}/"]
    assert f"{places[1].public_id}/" not in asked
    assert page.evaluate("window.stays") is True
