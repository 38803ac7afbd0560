"""From trace files to an agreement table in a real browser: one researcher, six annotators, one of them without a mouse."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assignment, BlindLabel, Review, Study
from benchmark.models import Account, Rollout
from tests.benchmark.test_importing import chat
from tests.e2e.conftest import Visits

pytestmark = [pytest.mark.django_db(transaction=True)]

TRACES = Path(__file__).parents[3] / "shared" / "data" / "traces"
REAL = [TRACES / "taubench_retail_toolcalling_8.json", TRACES / "agentcheck_deepseek_langchain_14.json"]
MORE = [
    TRACES / f"taubench_{name}.json"
    for name in ("retail_assertions_agent_4", "retail_python_variant_1", "airline_docent_single")
]
NEEDS_TRACES = pytest.mark.skipif(not TRACES.is_dir(), reason="the traces are not beside this folder")
SEATS = 6
SETTLED = "addEventListener('htmx:afterSettle', () => (document.documentElement.dataset.settled = 1), { once: true })"
PASSWORD = "a password nobody guesses"

Visit = Callable[..., Page]


def test_six_people_label_own_records_to_the_end(visits: Visits, make_account: Visit, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    records = [chat(number, reward=float(number % 2)) for number in range(4)]
    for record in records:
        record["traj"][1]["content"] = "I look the order up first."
    path.write_text(json.dumps(records), encoding="utf-8")
    labelled_to_the_end(visits, make_account("researcher"), [path], wanted=4)


@NEEDS_TRACES
def test_six_people_label_real_trajectories_to_the_end(visits: Visits, make_account: Visit) -> None:
    labelled_to_the_end(visits, make_account("researcher"), REAL, wanted=6)


@pytest.mark.whole
@NEEDS_TRACES
def test_six_people_label_every_real_trajectory_to_the_end(visits: Visits, make_account: Visit) -> None:
    labelled_to_the_end(visits, make_account("researcher"), [*REAL, *MORE], wanted=14)


def labelled_to_the_end(visits: Visits, owner: Account, files: list[Path], *, wanted: int) -> None:
    """Import, design, start, invite, label, review, close, read the figures, take the files home."""
    researcher = visits.tab(owner)
    for path in files:
        bring(researcher, path)
    design(researcher, wanted)
    links = invite(researcher)
    annotators = [visits.tab() for _ in links]
    for number, (tab, link) in enumerate(zip(annotators, links, strict=True), start=1):
        join = join_by_keyboard if number == 1 else join_by_mouse
        join(tab, link, f"someone{number}")
    for number, tab in enumerate(annotators, start=1):
        work = work_by_keyboard if number == 1 else work_by_mouse
        work(
            tab,
            Assignment.objects.filter(seat__account__username=f"someone{number}").count(),
            ["yes", "no"][number % 2],
        )
    assert BlindLabel.objects.count() == Review.objects.count() == 3 * wanted
    close_and_take_home(researcher, wanted)
    assert visits.complaints == []


def bring(page: Page, path: Path) -> None:
    """A file through the import page: scanned, shown, imported, reported."""
    page.goto("/imports/")
    page.get_by_label("Drop files here").set_input_files(path)
    page.get_by_role("button", name="Scan").click()
    expect(page.get_by_role("heading", name=path.name)).to_be_visible()
    expect(page.get_by_text("can be imported")).to_be_visible()
    expect(page.locator("details.preview .step").first).to_be_visible()
    assert not Rollout.objects.filter(batch__file_name=path.name).exists()
    page.get_by_label("Source").fill("a run of ours")
    if page.locator("[name=model_name]").count():
        page.locator("[name=model_name]").fill("some-model")
    page.get_by_role("button", name=re.compile("^Import [0-9]+ traj")).click()
    expect(page.get_by_text(re.compile("[0-9]+ read"))).to_be_visible()


def design(page: Page, wanted: int) -> None:
    """A study over everything that was imported, previewed, saved, started."""
    page.goto("/studies/new/")
    page.get_by_role("textbox", name="Name").fill("From files to a table")
    for box in page.locator("[name=imports]").all():
        looked(page, box.check)
    looked(page, lambda: page.get_by_label("Judge whose Result").select_option("tau-bench/reward"))
    page.get_by_label("Rollouts in all").fill(str(wanted))
    looked(page, page.get_by_role("button", name="Spread evenly").click)
    expect(page.locator("#study-preview")).to_contain_text(f"{3 * wanted} labels")
    page.get_by_role("button", name="Save as a draft").click()
    page.get_by_role("button", name="Start the study").click()
    expect(page.get_by_text("has started")).to_be_visible()


def looked(page: Page, change: Callable[[], object]) -> None:
    """Change the design and wait until the page shows what would come of it."""
    page.evaluate("delete document.documentElement.dataset.settled")
    page.evaluate(SETTLED)
    change()
    page.locator("html[data-settled]").wait_for(state="attached")


def invite(page: Page) -> list[str]:
    """Links to all seats, shown this once."""
    page.get_by_role("link", name="People").last.click()
    page.get_by_role("button", name="Make invitation links").click()
    expect(page.locator("input.secret")).to_have_count(SEATS)
    return [link.input_value() for link in page.locator("input.secret").all()]


def join_by_mouse(page: Page, link: str, username: str) -> None:
    """A new account, the seat, the consent text."""
    page.goto(link)
    page.locator("[name=username]").fill(username)
    page.locator("[name=password1]").fill(PASSWORD)
    page.locator("[name=password2]").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="I agree").click()
    expect(page.locator("#stage")).to_have_attribute("data-stage", "blind")


def join_by_keyboard(page: Page, link: str, username: str) -> None:
    """The same with Tab, Enter and letters only."""
    page.goto(link)
    for field, words in {"username": username, "password1": PASSWORD, "password2": PASSWORD}.items():
        tab_to(page, f"[name={field}]")
        page.keyboard.type(words)
    page.keyboard.press("Enter")
    for target in ("main a.primary", "form.consent button"):
        page.locator(target).wait_for()
        tab_to(page, target)
        page.keyboard.press("Enter")
    expect(page.locator("#stage")).to_have_attribute("data-stage", "blind")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(40):
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached with Tab")


def work_by_mouse(page: Page, items: int, result: str) -> None:
    """Every item: both answers, the review, the next one."""
    for _ in range(items):
        page.locator(f"[name=result][value={result}]").click(force=True)
        page.locator("[name=noticed][value=no]").click(force=True)
        page.locator("#blind .go").click()
        for name in ("result", "noticed"):
            page.locator(f"#review [name={name}][value=agree]").click(force=True)
        page.get_by_role("button", name="Save the review").click()
        page.locator("#stage a.go").click()
    expect(page.locator("main")).to_contain_text("You have labelled and reviewed everything here.")


def work_by_keyboard(page: Page, items: int, result: str) -> None:
    """1/2 and 3/4, j and e, Ctrl+Enter; 1–6 and n in the review."""
    for _ in range(items):
        place = page.locator("#item").get_attribute("data-id")
        press(page, ["j", "1" if result == "yes" else "2", "e", "4", "Control+Enter"])
        expect(page.locator("#review")).to_be_visible()
        press(page, ["2", "4", "Control+Enter"])
        expect(page.locator("#stage .good")).to_be_visible()
        assert BlindLabel.objects.get(assignment__public_id=place).evidence["result"]
        page.keyboard.press("n")
        expect(page.locator(f'#item[data-id="{place}"]')).to_have_count(0)
    expect(page.locator("main")).to_contain_text("You have labelled and reviewed everything here.")


def press(page: Page, keys: Iterable[str]) -> None:
    """One key after another."""
    for key in keys:
        page.keyboard.press(key)


def close_and_take_home(page: Page, wanted: int) -> None:
    """Close the study, read the table, download it in three formats, and the labels."""
    study = Study.objects.get()
    page.goto(f"/studies/{study.pk}/")
    page.get_by_role("link", name="Close…").click()
    page.locator("main form button.danger").click()
    page.goto(f"/studies/{study.pk}/agreement/")
    expect(page.get_by_text(f"{3 * wanted} of {3 * wanted} labels over {wanted} items")).to_be_visible()
    expect(page.locator("table.table8 tbody tr")).not_to_have_count(0)
    report = json.loads(downloaded(page, "JSON"))
    assert (report["items"], report["judgments"]) == (wanted, 3 * wanted)
    assert r"\toprule" in downloaded(page, "LaTeX")
    assert "result" in downloaded(page, "CSV")
    page.goto(f"/studies/{study.pk}/files/")
    assert len(downloaded(page, "Labels, CSV").splitlines()) == 3 * wanted + 1
    lines = [json.loads(line) for line in downloaded(page, "Labels, JSON Lines").splitlines()]
    assert "someone" not in json.dumps(lines)
    study.refresh_from_db()
    assert study.status == Study.Status.CLOSED


def downloaded(page: Page, link: str) -> str:
    """What a link gives as a file."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name=link, exact=True).first.click()
    return Path(waiting.value.path()).read_text(encoding="utf-8")
