"""The labelling page stays light: requests, bytes, nodes, and one answer that brings the next item. Times stand in tests/bench."""

import gzip
from collections.abc import Callable

import pytest
from playwright.sync_api import Response, expect

from annotation.models import Assignment, Study
from benchmark.core import text
from benchmark.models import Rollout
from tests.e2e.conftest import Visits

pytestmark = [pytest.mark.django_db(transaction=True)]

STEPS = 25
MOST_REQUESTS, MOST_BYTES, MOST_NODES = 4, 60 * 1024, 600


@pytest.fixture
def places(make_rollout: Callable[..., Rollout], make_study: Callable[..., Study]) -> list[Assignment]:
    """Two items of 25 steps with thoughts, arguments and long observations; reviews come at the end."""
    steps = [
        {
            "kind": "call",
            "actor": "agent",
            "thought": f"I look up order {index} before I answer. " * 4,
            "tool": "get_order_details",
            "arguments": text.write({"order_id": f"#W{index}"}),
            "observation": text.write({"items": [{"name": f"lamp {row}", "price": row} for row in range(80)]}),
            "head": text.write({"items": [{"name": f"lamp {row}", "price": row} for row in range(30)]})[:1000],
            "characters": 2_900,
            "is_new": True,
        }
        for index in range(STEPS)
    ]
    rollouts = [make_rollout(steps=steps, prefix_count=3, step_count=STEPS - 3) for _ in range(2)]
    study = make_study(rollouts=rollouts, review=Study.ReviewMode.AT_END)
    return list(Assignment.objects.filter(item__study=study).select_related("seat__account").order_by("order"))


def test_the_page_comes_in_four_requests_sixty_kilobytes_and_six_hundred_nodes(
    visits: Visits, places: list[Assignment]
) -> None:
    tab = visits.tab(places[0].seat.account)
    answers: list[Response] = []
    tab.on("response", lambda answer: answers.append(answer) if answer.url.startswith("http") else None)
    tab.goto(f"/queue/{places[0].public_id}/")
    tab.wait_for_load_state("networkidle")
    assert len(answers) <= MOST_REQUESTS, [answer.url for answer in answers]
    assert sum(len(gzip.compress(answer.body())) for answer in answers) <= MOST_BYTES
    assert tab.locator("#item .step").count() >= STEPS
    assert tab.evaluate("document.querySelectorAll('*').length") <= MOST_NODES


def test_a_submit_shows_the_next_item_without_loading_a_page_or_asking_for_it_again(
    visits: Visits, places: list[Assignment]
) -> None:
    tab = visits.tab(places[0].seat.account)
    tab.goto(f"/queue/{places[0].public_id}/")
    next_path = f"/queue/{places[1].public_id}/"
    with tab.expect_response(f"**{next_path}"):
        tab.keyboard.press("1")
    tab.keyboard.press("4")
    expect(tab.locator("#draft-word")).to_have_text("draft saved")
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(f"{request.method} {request.url.partition('/queue/')[2]}"))
    tab.keyboard.press("Control+Enter")
    expect(tab.locator("#item")).to_have_attribute("data-id", places[1].public_id)
    own, following = places[0].public_id, places[1].public_id
    assert asked[:2] == [f"POST {own}/submit/", f"GET {own}/"]
    assert set(asked[2:]) <= {f"POST {following}/shown/"}
    assert visits.complaints == []
