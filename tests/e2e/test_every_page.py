"""What every page must keep: the content policy, no error in the browser, WCAG 2.2 A and AA as far as axe can tell, no sideways scroll."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from annotation.actions import labelling
from annotation.core.margins import Margins
from annotation.core.study_design import StudyDesign
from annotation.models import Assignment, BlindLabel, Study
from benchmark.models import Account, ImportBatch, Rollout
from tests.benchmark.records import silent_case
from tests.e2e.conftest import Visits

pytestmark = [pytest.mark.django_db(transaction=True)]

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
RUN_AXE = """async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const { violations } = await axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] });
  return violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(" | ")}`);
}"""
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture
def study(make_study: Callable[..., Study], make_account: Callable[..., Account]) -> Study:
    """Two annotators, one of whom has labelled everything and reviewed one item."""
    design = StudyDesign(
        name="A small study",
        imports=(1,),
        judge="rule/1",
        margins=Margins(condition={"implicit": 3}),
        annotators=2,
        labels_per_item=2,
    )
    study = make_study(
        rollouts=3, seats=2, owner=make_account("admin"), consent="Taking part is free.", design=design.as_data()
    )
    for seat in study.seats.all():
        labelling.agree_to_study(seat=seat, text=study.consenttext_versions.get())
    for place in Assignment.objects.filter(seat__number=1):
        labelling.mark_shown(assignment=place)
        labelling.submit_blind(assignment=place, result=True, noticed=False, evidence={"result": ["R1"]})
    place = Assignment.objects.filter(seat__number=1).order_by("order")[0]
    labelling.open_review(assignment=place)
    labelling.submit_review(assignment=place, result="agree", noticed="unsure", comment="Compare R2.", version=0)
    return study


@pytest.fixture
def imported_case(imported: Callable[..., list[Rollout]]) -> Rollout:
    """A rollout with every mark of the case box."""
    return imported(silent_case())[0]


def of_researchers(study: Study, rollout: Rollout) -> Iterator[str]:
    """Every page of a researcher or an admin."""
    yield from ("/overview/", "/rollouts/", f"/rollouts/{rollout.pk}/", f"/rollouts/{rollout.pk}/mechanism/")
    yield from (
        f"/rollouts/{rollout.pk}/steps/R1/diagnosis/",
        "/imports/",
        f"/imports/{ImportBatch.objects.last().pk}/",
    )
    yield from (
        "/studies/",
        "/studies/new/",
        "/studies/from-file/",
        "/people/",
        "/people/new/",
        "/health",
        "/api/v1/docs",
    )
    pages = (
        "",
        "design/",
        "texts/guidelines/",
        "texts/consent/",
        "items/",
        "people/",
        "audit/",
        "agreement/",
        "files/",
    )
    yield from (f"/studies/{study.pk}/{page}" for page in (*pages, "move/close/", "people/2/leave/", "people/2/erase/"))
    label = BlindLabel.objects.first()
    yield f"/studies/{study.pk}/items/{label.assignment.public_id}/void/"
    yield f"/people/{study.seats.first().account_id}/"
    yield from (
        "/accounts/",
        "/accounts/password/",
        "/accounts/tokens/",
        "/accounts/studies/",
    )


def of_annotators(number: int) -> Iterator[str]:
    """The queue, and an item in its stage."""
    place = Assignment.objects.filter(seat__number=number).order_by("order")[0]
    yield from ("/queue/", f"/queue/{place.public_id}/", f"/queue/{place.public_id}/guidelines/", "/accounts/")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_pages_keep_policy_access_and_width(
    visits: Visits, study: Study, imported_case: Rollout, scheme: str, width: int
) -> None:
    looks: dict[str, Any] = {"color_scheme": scheme}
    found: list[str] = []
    nobody, owner = visits.tab(**looks), visits.tab(study.owner, **looks)
    tours = [(nobody, ["/accounts/login/", "/invite/none/", "/reset/none/"])]
    tours.append((owner, list(of_researchers(study, imported_case))))
    for number in (1, 2):
        account = study.seats.get(number=number).account
        tours.append((visits.tab(account, **looks), list(of_annotators(number))))
    for tab, paths in tours:
        tab.set_viewport_size({"width": width, "height": 844})
        for path in paths:
            found += [f"{path} {problem}" for problem in problems_of(tab, path)]
    assert not found, "\n".join(found)
    assert [words for words in visits.complaints if "(Not Found)" not in words and "(Gone)" not in words] == []


def test_the_checks_catch_what_they_look_for(visits: Visits, study: Study) -> None:
    tab = visits.tab(study.owner)
    tab.route(
        "**/studies/",
        lambda route: route.fulfill(
            body='<html><body onload="1"><img src="data:,"><p style="width:3000px">x</p><script>1</script></body></html>',
            content_type="text/html",
            headers={"Content-Security-Policy": "default-src 'self'"},
        ),
    )
    problems = problems_of(tab, "/studies/")
    assert any(problem.startswith("image-alt") for problem in problems)
    assert any(words.startswith("script-src") for words in visits.complaints)


def problems_of(tab: Page, path: str) -> list[str]:
    """What is wrong with a page."""
    answer = tab.goto(path)
    assert answer
    if answer.status >= 500:
        return [f"answers {answer.status}"]
    tab.evaluate(AXE)
    found: list[str] = tab.evaluate(RUN_AXE)
    wide = tab.evaluate(TOO_WIDE)
    return [*found, *([f"{wide} px too wide"] if wide > 0 else [])]
