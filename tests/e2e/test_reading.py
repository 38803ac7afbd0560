"""A researcher reading in a real browser: permalinks, long values, notes, the theme, and what a screen must never do."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from benchmark.models import DiagnosisEdit, Rollout
from tests.benchmark.records import call, record, silent_case

pytestmark = [pytest.mark.django_db(transaction=True)]

ROWS = [{"id": number, "user": f"u_{number}", "text": "评论 " * 20} for number in range(40_000)]
FREEZE_MS = 300
LONGEST_TASK = """() => {
  window.longest = 0;
  const seen = (list) => list.getEntries().forEach((task) => (window.longest = Math.max(window.longest, task.duration)));
  new PerformanceObserver(seen).observe({ entryTypes: ["longtask"] });
}"""
# The contrast of every text in view against the nearest painted ground behind it; WCAG 2.2, 1.4.3.
FAINT_TEXT = """() => {
  const channel = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, alpha = 1] = parts(getComputedStyle(at).backgroundColor);
      if (alpha > 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    const style = getComputedStyle(element);
    if (!node.data.trim() || !element.checkVisibility({ opacityProperty: true }) || element.closest(".unseen")) continue;
    const [high, low] = [light(parts(style.color)), light(ground(element))].sort((a, b) => b - a);
    const large = parseFloat(style.fontSize) < 12;
    if ((high + 0.05) / (low + 0.05) < 4.5 || large || style.fontWeight < 400) faint.push(node.data.trim().slice(0, 40));
  }
  return faint;
}"""


@pytest.fixture
def page(live_server: Any, signed_in: Callable[..., Client], browser: Browser) -> Iterator[Page]:
    """A tab in which a researcher is signed in; anything the browser complains of fails the test."""
    context = browser.new_context(base_url=live_server.url, viewport={"width": 1440, "height": 900})
    session = signed_in("researcher").cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
    tab = context.new_page()
    complaints: list[str] = []
    tab.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    yield tab
    context.close()
    assert complaints == []


Imported = Callable[..., list[Rollout]]


def test_a_permalink_shows_and_focuses_its_step_and_j_goes_on(page: Page, imported: Imported) -> None:
    rollout = imported(record("many", [call("Look", {"n": n}, {"n": n}, "Look.") for n in range(60)]))[0]
    page.goto(f"/rollouts/{rollout.pk}/#R50")
    expect(page.locator("#R50")).to_be_focused()
    expect(page.locator("#R50")).to_be_in_viewport()
    page.keyboard.press("j")
    expect(page.locator("#R51")).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("#R50")).to_be_focused()


def test_five_megabytes_open_without_freezing_the_page(page: Page, imported: Imported) -> None:
    rollout = imported(record("big", [call("Fetch", {}, {"data": {"rows": ROWS}}, "Fetch.")]))[0]
    page.goto(f"/rollouts/{rollout.pk}/")
    page.evaluate(LONGEST_TASK)
    page.locator("#R1 .fetched > summary").click()
    page.locator("#R1 .tree").wait_for()
    page.get_by_role("link", name="as table").click()
    page.get_by_text("50 of 40,000 rows").wait_for()
    page.get_by_role("link", name="show more").click()
    page.get_by_text("100 of 40,000 rows").wait_for()
    page.get_by_role("searchbox").fill("u_39999")
    page.keyboard.press("Enter")
    expect(page.locator("#R1 [role=status]")).to_have_text("“u_39999” stands here 1 time.")
    assert page.evaluate("document.querySelectorAll('*').length") < 1_500
    assert page.evaluate("window.longest") < FREEZE_MS


def test_a_diagnosis_is_edited_in_place_and_the_change_is_told(page: Page, imported: Imported) -> None:
    rollout = imported(silent_case())[0]
    page.goto(f"/rollouts/{rollout.pk}/")
    page.locator("#R1").hover()
    page.locator("#R1 .edit").click()
    expect(page.get_by_label("What step R1 does to the slot")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("It trusts the count.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#diagnosis-R1")).to_contain_text("It trusts the count.")
    expect(page.locator("#diagnosis-R1")).to_be_focused()
    expect(page.locator("#announce")).to_have_text("Diagnosis of R1 saved")
    assert DiagnosisEdit.objects.get().text == "It trusts the count."


def test_a_theme_is_there_at_once_and_after_the_next_page(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/overview/")
    dark = "getComputedStyle(document.body).backgroundColor === 'rgb(20, 22, 26)'"
    assert not page.evaluate(dark)
    page.locator(".menu-button").click()
    with page.expect_response("**/theme/"):
        page.get_by_label("Dark").check()
    assert page.evaluate(dark)
    page.goto("/rollouts/")
    assert page.evaluate(dark)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_no_screen_scrolls_sideways_or_has_faint_or_tiny_text(
    page: Page,
    imported: Imported,
    scheme: str,
    width: int,
    tmp_path: Path,
) -> None:
    wide = record(
        "wide",
        [call("w" * 300, {"k" * 200: "v" * 9_000}, "x" * 5_000, "y" * 500)],
        task={"query": "z" * 600, "reference": []},
    )
    silent, ugly = imported(silent_case(), wide)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    paths = ("/overview/", "/rollouts/", f"/rollouts/{silent.pk}/", f"/rollouts/{ugly.pk}/")
    for path in (*paths, f"/rollouts/{silent.pk}/whole/observation-P1/", f"/rollouts/{silent.pk}/mechanism/"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
        assert page.evaluate(FAINT_TEXT) == [], path
