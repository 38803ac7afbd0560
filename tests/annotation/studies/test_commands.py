"""A study from the shell, from its file to its exported labels."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.actions.people import take_seat
from annotation.models import BlindLabel, Guidelines, Study
from benchmark.models import Account, ImportBatch

pytestmark = pytest.mark.django_db

FILE = """\
name: From a file
rollouts: {imports: [%d]}
labels: [result, noticed]
judge: rule/1
margins:
  condition: {correct: 4, implicit: 4}
annotators: 4
labels_per_item: 3
seed: 7
guidelines: rules.md
"""


def said(*words: str, **options: Any) -> str:
    out = StringIO()
    call_command(*words, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path, make_pool: Callable[..., ImportBatch], make_account: Callable[..., Account]) -> Path:
    """A study file over a pool of rollouts, its guidelines beside it, and an owner called lin."""
    path = tmp_path / "study.yaml"
    path.write_text(FILE % make_pool().pk)
    (tmp_path / "rules.md").write_text("Arbeite allein. Ärgere niemanden.")
    make_account("researcher", "lin")
    return path


def test_a_study_goes_from_its_file_to_its_exported_labels(
    file: Path, label_all: Callable, make_account: Callable[..., Account], tmp_path: Path
) -> None:
    made = json.loads(said("create_study", str(file), "--owner", "lin", "--start", "--json"))
    assert (made["status"], made["items"], made["seats"]) == ("running", 8, 4)
    study = Study.objects.get(pk=made["study"])
    assert Guidelines.objects.get(study=study).text == "Arbeite allein. Ärgere niemanden.\n"
    links = json.loads(said("invite", "From a file", "--base-url", "https://rite.test/", "--json"))["links"]
    assert [link["seat"] for link in links] == ["A1", "A2", "A3", "A4"]
    assert links[0]["link"].startswith("https://rite.test/invite/")
    take_seat(secret=links[0]["link"].rstrip("/").rpartition("/")[2], account=make_account())
    labels = label_all(study)
    place = labels[0].assignment
    item, seat = place.item.public_id, place.seat.name
    voided = json.loads(
        said("study", "void", str(study.pk), "--item", item, "--seat", seat, "--reason", "too fast", "--json")
    )
    assert (voided["void"], sum(voided["dealt"].values())) == (1, 1)
    said("study", "close", str(study.pk))
    out = tmp_path / "labels.jsonl"
    said("export", "labels", str(study.pk), "--out", str(out))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert lines[-1]["blind"] == 24
    assert len([line for line in lines if line.get("void")]) == 2  # the void label, and the count at the end
    again = tmp_path / "again.yaml"
    again.write_text(said("export", "study", str(study.pk)))
    assert "guidelines" not in again.read_text()
    assert json.loads(said("create_study", str(again), "--owner", "lin", "--json"))["status"] == "draft"


def test_every_mistake_in_a_study_file_is_said_and_nothing_is_made(file: Path) -> None:
    file.write_text(file.read_text().replace("annotators: 4", "annotators: two").replace("seed: 7", "sead: 7"))
    with pytest.raises(CommandError) as refused:
        said("create_study", str(file), "--owner", "lin")
    assert "line 7, annotators" in str(refused.value)
    assert "line 9, sead" in str(refused.value)
    assert not Study.objects.exists()


def test_a_start_that_is_refused_leaves_no_draft_behind(file: Path) -> None:
    file.write_text(file.read_text().replace("correct: 4", "correct: 400"))
    with pytest.raises(CommandError, match="400 are wanted, but 8"):
        said("create_study", str(file), "--owner", "lin", "--start")
    assert not Study.objects.exists()


def test_only_researchers_own_studies(file: Path, make_account: Callable[..., Account]) -> None:
    make_account("annotator", "somebody")
    with pytest.raises(CommandError, match="no active account of a researcher"):
        said("create_study", str(file), "--owner", "somebody")


def test_a_void_needs_a_reason_and_a_label(make_started: Callable[..., Study], label_all: Callable) -> None:
    study = make_started()
    place = study.items.first().assignments.first()
    where = ["--item", place.item.public_id, "--seat", place.seat.name]
    with pytest.raises(CommandError, match="Say why"):
        said("study", "void", str(study.pk), *where)
    with pytest.raises(CommandError, match="no label"):
        said("study", "void", str(study.pk), *where, "--reason", "x")
    assert not BlindLabel.objects.exists()


def test_a_leave_from_the_shell_deals_again(make_started: Callable[..., Study]) -> None:
    study = make_started(annotators=4)
    assert "Dealt again" in said("study", "leave", str(study.pk), "--seat", "a1")


def test_what_a_study_may_not_do_now_is_said(make_draft: Callable[..., Study]) -> None:
    study = make_draft()
    with pytest.raises(CommandError, match="This study is a draft; it would have to be paused or running"):
        said("study", "close", str(study.pk))


def test_two_studies_of_one_name_need_their_number(make_draft: Callable[..., Study]) -> None:
    one = make_draft()
    make_draft(owner=one.owner)
    with pytest.raises(CommandError, match="Give its number"):
        said("study", "start", one.name)
