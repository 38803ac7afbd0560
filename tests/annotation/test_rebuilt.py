"""The rebuilt study is a study like any other, and its figures are those of the paper."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from annotation.actions.rebuilt import ORIGIN, ROLLOUTS, RolloutsMissing, rebuild_table8
from annotation.models import Assignment, BlindLabel, Review, Study
from benchmark.actions.imports import import_now
from benchmark.models import Account

pytestmark = pytest.mark.django_db

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "table8_expected.json"
THREE_DECIMALS = 5e-4
PUBLISHED = {
    "human_positive_majority": 89,
    "auto_positive": 69,
    "raw_agreement": 0.76,
    "cohen_kappa": 0.318,
    "fleiss_kappa": 0.477,
    "precision": 0.971,
    "recall": 0.753,
    "f1": 0.848,
    "unanimous": 0.80,
    "review_agreement_result": 0.84,
    "gwet_ac1_humans": 0.821,
}


@pytest.fixture
def rebuilt(make_account: object) -> Study:
    """The study, made as the command makes it."""
    import_now(ROLLOUTS, on_progress=lambda batch: None)
    return rebuild_table8(owner=Account.objects.create_user("owner", role="researcher"))


def agreement(study: Study) -> dict[str, object]:
    out = io.StringIO()
    call_command("agreement", str(study.pk), "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def test_agreement_of_the_rebuilt_study_is_the_published_one(rebuilt: Study) -> None:
    report = agreement(rebuilt)
    assert (report["items"], report["annotators"], report["judgments"]) == (100, 6, 300)
    result = report["labels"]["result"]
    assert result["confusion"] == {"tp": 67, "fp": 2, "fn": 22, "tn": 9}
    for name, value in PUBLISHED.items():
        assert result[name]["value"] == pytest.approx(value, abs=THREE_DECIMALS), name


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference figures are not part of the project")
def test_agreement_of_the_rebuilt_study_gives_every_reference_figure(rebuilt: Study) -> None:
    expected = json.loads(REFERENCE.read_text(encoding="utf-8"))
    result = agreement(rebuilt)["labels"]["result"]
    compared = [name for name, value in expected.items() if isinstance(value, float)]
    assert len(compared) == 8
    for name in compared:
        assert result[name]["value"] == pytest.approx(expected[name], abs=THREE_DECIMALS), name


def test_its_plan_is_the_published_one(rebuilt: Study) -> None:
    seats: dict[int, set[int]] = {}
    for item, seat in Assignment.objects.filter(item__study=rebuilt).values_list("item", "seat__number"):
        seats.setdefault(item, set()).add(seat)
    groups = [tuple(sorted(group)) for group in seats.values()]
    assert {groups.count(group) for group in groups} == {5}
    assert len(set(groups)) == 20
    assert {sum(number in group for group in groups) for number in range(1, 7)} == {50}


def test_it_says_on_itself_that_it_is_rebuilt_and_belongs_to_nobody(rebuilt: Study) -> None:
    assert rebuilt.origin == ORIGIN
    assert "Rebuilt from published margins" in rebuilt.origin
    assert "individual judgments were never published" in rebuilt.origin
    assert rebuilt.status == Study.Status.CLOSED
    assert not rebuilt.seats.filter(account__isnull=False).exists()
    assert Review.objects.filter(assignment__item__study=rebuilt, submitted__gt=rebuilt.closed_at).count() == 0


def test_its_labels_are_locked_like_all_others(rebuilt: Study) -> None:
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        BlindLabel.objects.filter(assignment__item__study=rebuilt).update(result=True)
    assert BlindLabel.objects.filter(assignment__item__study=rebuilt, void__isnull=True).count() == 300


def test_rebuilding_again_gives_the_study_that_stands(rebuilt: Study) -> None:
    assert rebuild_table8(owner=rebuilt.owner) == rebuilt
    assert Study.objects.count() == 1


def test_without_its_rollouts_nothing_is_made_and_the_import_is_named() -> None:
    owner = Account.objects.create_user("owner", role="researcher")
    with pytest.raises(RolloutsMissing, match=r"import_traces fixtures/rebuilt/table8_rollouts\.jsonl"):
        rebuild_table8(owner=owner)
    assert not Study.objects.exists()


def test_the_command_prints_the_number_of_the_study_and_needs_a_researcher() -> None:
    with pytest.raises(CommandError, match="no active researcher"):
        call_command("rebuild_table8", stderr=io.StringIO())
    Account.objects.create_user("owner", role="researcher")
    import_now(ROLLOUTS, on_progress=lambda batch: None)
    out, said = io.StringIO(), io.StringIO()
    call_command("rebuild_table8", owner="owner", stdout=out, stderr=said)
    assert Study.objects.get(pk=int(out.getvalue())).origin == ORIGIN
    assert "73, 16, 4, 7; 252 reviews agree" in said.getvalue()
