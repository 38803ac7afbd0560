"""`agreement` on a study and on a file: one document on standard output, a sentence for what cannot be read."""

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Assignment, BlindLabel, LabelVoid, Review, Study
from annotation.report.agreement import study_rows

ROWS = """item,annotator,human_result,auto_result,review_result
i,A1,1,1,agree
i,A2,1,1,disagree
j,A1,0,1,agree
j,A2,0,1,disagree
"""


def agreement(*arguments: str) -> str:
    """What the command writes to standard output."""
    out = StringIO()
    call_command("agreement", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def labelled(make_study: Callable[..., Study]) -> Study:
    """Twelve items and three seats: the first four items positive by all, the fifth by two, the rest by none; reviewed."""
    study = make_study(rollouts=12, seats=3)
    for place in Assignment.objects.filter(item__study=study):
        positive = place.order < 4 or (place.order == 4 and place.seat.number < 3)
        BlindLabel.objects.create(assignment=place, result=positive, noticed=True, first_shown=timezone.now())
        Review.objects.create(assignment=place, version=1, result="agree", noticed="unsure")
    return study


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two items labelled alike by two annotators."""
    path = tmp_path / "labels.csv"
    path.write_text(ROWS, "utf-8")
    return path


def test_a_study_is_reported_by_number_and_by_name(labelled: Study) -> None:
    report = json.loads(agreement(str(labelled.pk), "--format", "json"))
    result = report["labels"]["result"]
    assert (report["items"], report["annotators"], report["judgments"]) == (12, 3, 36)
    assert result["confusion"] == {"tp": 0, "fp": 0, "fn": 5, "tn": 7}
    assert result["unanimous"]["value"] == pytest.approx(11 / 12)
    assert result["review_agreement_result"]["value"] == 1
    assert report["labels"]["noticed"]["review_agreement_noticed"]["value"] == 0
    assert agreement(labelled.name, "--format", "json") == agreement(str(labelled.pk), "--format", "json")


def test_a_void_label_is_in_no_figure_and_is_said(labelled: Study) -> None:
    label = BlindLabel.objects.first()
    LabelVoid.objects.create(label=label, reason="wrong account", who=labelled.owner)
    report = json.loads(agreement(str(labelled.pk), "--format", "json"))
    assert report["judgments"] == 35
    assert report["manifest"]["notes"] == ["1 void label is in no figure."]
    assert [entry["why"] for entry in report["labels"]["result"]["without_reference"]] == ["has 2 of 3 planned labels"]


def test_a_study_and_the_file_written_from_its_rows_give_the_same_digits(labelled: Study, tmp_path: Path) -> None:
    rows = study_rows(labelled, ["result"])["result"]
    path = tmp_path / "study.csv"
    with path.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(["item", "annotator", "human_result", "auto_result", "review_result", *rows[0].strata])
        for row in rows:
            writer.writerow([row.item, row.annotator, row.human, row.automatic, row.review, *row.strata.values()])
    of_study = json.loads(agreement(str(labelled.pk), "--format", "json"))["labels"]["result"]
    of_file = json.loads(agreement(str(path), "--format", "json"))["labels"]["result"]
    assert of_file == of_study


def test_a_file_is_reported_without_a_database(file: Path) -> None:
    label = json.loads(agreement(str(file), "--format", "json"))["labels"]["result"]
    assert label["confusion"] == {"tp": 1, "fp": 1, "fn": 0, "tn": 0}
    assert (label["anchoring_rate"]["value"], label["anchoring_rate"]["n"]) == (0.5, 2)


@pytest.mark.parametrize(
    ("format", "sign"),
    [("text", "Cohen's κ"), ("csv", "result,table,,cohen_kappa"), ("latex", r"\begin{tabular}"), ("json", '"labels"')],
)
def test_each_format_is_written(file: Path, format: str, sign: str) -> None:
    assert sign in agreement(str(file), "--format", format)


def test_planned_labels_and_seed_can_be_given(file: Path) -> None:
    report = json.loads(agreement(str(file), "--format", "json", "--planned", "3", "--seed", "7"))
    assert report["seed"] == 7
    assert report["labels"]["result"]["planned"] == 3
    assert len(report["labels"]["result"]["without_reference"]) == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing.csv"], "missing.csv cannot be read: No such file or directory."),
        (["no such study"], "There is no study and no file called no such study."),
        (["99999999999999999999"], "There is no study and no file called 99999999999999999999."),
        (["x.csv", "--planned", "0"], "'0' is not a whole number of 1 or more."),
        (["x.csv", "--seed", "-1"], "'-1' is not a whole number of 0 or more."),
    ],
)
def test_what_cannot_be_reported_is_refused_in_a_sentence(db: None, arguments: list[str], sentence: str) -> None:
    with pytest.raises(CommandError) as refusal:
        agreement(*arguments)
    assert sentence in str(refusal.value)


def test_a_name_of_two_studies_asks_for_the_number(make_study: Callable[..., Any]) -> None:
    make_study()
    make_study()
    with pytest.raises(CommandError, match="More than one study is called A small study"):
        agreement("A small study")


def test_a_broken_file_is_refused_with_its_line(file: Path) -> None:
    file.write_text(ROWS + "j,A2,1,1,\n", "utf-8")
    with pytest.raises(CommandError, match=r"labels\.csv, lines 5 and 6, column annotator: A2 labels the item j twice"):
        agreement(str(file))
