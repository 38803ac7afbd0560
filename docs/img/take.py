"""Take the README's pictures anew, from a fresh demo in a folder that goes away: `.venv/bin/python docs/img/take.py`.

Needs Chromium. Run it after a change that shows; the pictures are committed beside this file.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SIZE = {"width": 1280, "height": 720}
LARGEST = 200_000
CHROMIUM = os.environ.get("RITE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
# A drafted item of annotator3 is the paper's first case; the rebuilt study is found by its name.
PICTURES = {
    "annotate": ("annotator3", "/queue/next/", None),
    "agreement": ("researcher", "/studies/", "Table 8, rebuilt"),
}


@contextmanager
def demo() -> Iterator[tuple[str, dict[str, str]]]:
    """A running demo: its address, and the passwords it printed."""
    with tempfile.TemporaryDirectory(prefix="rite-pictures-") as folder:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "demo"],
            cwd=ROOT,
            env={**os.environ, "RITE_VAR": folder},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout
            said = ""
            while "changepassword" not in said:
                line = process.stdout.readline()
                if not line:
                    sys.exit(f"The demo did not start:\n{said}")
                said += line
            address = re.search(r"http://[\d.:]+", said)
            assert address
            yield address[0], dict(re.findall(r"^  (\w+) +([\w-]+) +\w+$", said, re.MULTILINE))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)


def take(page: Page, address: str, who: str, password: str, path: str, link: str | None, file: Path) -> None:
    """Sign in, go to a page (a study's agreement where its link is named), and keep what a screen shows of it."""
    page.goto(f"{address}/accounts/login/")
    page.fill("[name=username]", who)
    page.fill("[name=password]", password)
    page.press("[name=password]", "Enter")
    page.wait_for_url(lambda url: "login" not in url)
    page.goto(address + path)
    if link:
        page.click(f"text={link}")
        page.click("text=Agreement")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=file)


def main() -> None:
    """Take every picture; stop where one is larger than a README should carry."""
    if not CHROMIUM:
        sys.exit("Chromium is missing. Debian: apt-get install chromium")
    with demo() as (address, passwords), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, (who, path, link) in PICTURES.items():
            file = HERE / f"{name}.png"
            page = browser.new_context(viewport=SIZE, color_scheme="light").new_page()
            take(page, address, who, passwords[who], path, link, file)
            if file.stat().st_size > LARGEST:
                sys.exit(f"{file} is larger than {LARGEST:,} bytes.")
        browser.close()


if __name__ == "__main__":
    main()
