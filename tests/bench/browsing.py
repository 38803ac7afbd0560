"""What a browser sees: requests, bytes, nodes, long tasks, and how long a person waits after a submit."""

import os
import shutil
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.bench.deployment import Deployment
from tests.bench.figures import percentile, say

CHROMIUM = os.environ.get("RITE_CHROMIUM") or shutil.which("chromium") or ""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
LONG_TASKS = """
  window.longTasks = [];
  new PerformanceObserver((list) => list.getEntries().forEach((task) => window.longTasks.push(task.duration)))
    .observe({ type: "longtask", buffered: true });
"""
# From the key to the frame in which the next item stands.
SUBMIT = """() => new Promise((done) => {
  const before = document.getElementById("item").dataset.id;
  const start = performance.now();
  const look = () => document.getElementById("item").dataset.id === before
    ? requestAnimationFrame(look) : requestAnimationFrame(() => done(performance.now() - start));
  document.getElementById("blind").requestSubmit();
  look();
})"""


def measure(deployment: Deployment, researcher: str, annotator: str) -> None:
    """Print every figure that needs a browser; says so where there is none."""
    if not CHROMIUM:
        say("browser", "not measured", "", "Chromium is not installed")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        _annotate(browser, deployment, annotator)
        _open_long(browser, deployment, researcher)
        browser.close()


def _annotate(browser: Browser, deployment: Deployment, session: str) -> None:
    context = _signed_in(browser, deployment, session)
    page = context.new_page()
    received = _watch_bytes(context, page)
    page.goto("/queue/next/")
    page.wait_for_load_state("networkidle")
    nodes = page.evaluate("document.querySelectorAll('*').length")
    steps = page.locator("#item .step").count()
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    say("annotate page, requests", str(len(received)), "≤ 4", "the redirect to the item counted" * (len(received) > 4))
    say("annotate page, sent", f"{sum(received.values()) / 1024:.0f} KB", "≤ 60 KB")
    say(f"annotate page, nodes at {steps} steps", str(nodes), "≤ 600")
    say("annotate page, first paint", f"{paint:.0f} ms", "≤ 300 ms")
    _say_long_tasks("annotate page", page)
    waits = []
    for _ in range(6):
        page.keyboard.press("1")
        page.keyboard.press("3")
        page.wait_for_timeout(900)  # the draft is saved and the next item is fetched while somebody thinks
        waits.append(page.evaluate(SUBMIT))
    say("submit to next item shown, median of 6", f"{percentile(waits, 0.5):.0f} ms", "≤ 150 ms")
    _say_long_tasks("six items labelled", page)
    context.close()


def _open_long(browser: Browser, deployment: Deployment, session: str) -> None:
    context = _signed_in(browser, deployment, session)
    page = context.new_page()
    page.goto("/rollouts/")
    page.get_by_role("rowheader").get_by_role("link").nth(8).click()
    page.locator(".step .fetched > summary").first.click()
    page.locator(".step .tree").first.wait_for()
    _say_long_tasks("rollout with 5 MB, first observation opened", page)
    context.close()


def _signed_in(browser: Browser, deployment: Deployment, session: str) -> BrowserContext:
    context = browser.new_context(base_url=deployment.url, viewport={"width": 1440, "height": 900})
    context.add_cookies([{"name": "sessionid", "value": session, "url": deployment.url}])
    context.add_init_script(LONG_TASKS)
    return context


def _watch_bytes(context: BrowserContext, page: Page) -> dict[str, float]:
    received: dict[str, float] = {}
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")

    def finished(event: dict[str, Any]) -> None:
        received[event["requestId"]] = event["encodedDataLength"]

    devtools.on("Network.loadingFinished", finished)
    return received


def _say_long_tasks(what: str, page: Page) -> None:
    found = page.evaluate("window.longTasks")
    value = f"{len(found)}, longest {max(found, default=0):.0f} ms" if found else "0"
    say(f"{what}, long tasks", value, "0")
