"""`label FILE`: labels on standard output, no database."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from benchmark.core.formats import rite
from benchmark.core.formats.reading import open_records
from tests.core.labelling.article_unit import merge, refetch, rollout


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two rollouts of one unit and a line that is none."""
    path = tmp_path / "two.jsonl"
    lines = [rite.write_line(rollout(refetch())), '{"format":"rite.rollout/1"}\n', rite.write_line(rollout(merge()))]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def run(*arguments: object) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("label", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_each_record_comes_out_again_with_its_labels_and_labelling_the_output_changes_nothing(
    file: Path, tmp_path: Path
) -> None:
    out, err = run(file)
    labels = [json.loads(line)["labels"] for line in out.splitlines()]
    assert [found["state"] for found in labels] == ["recovered", "residual"]
    assert "2 labelled, 1 skipped" in err
    again = tmp_path / "again.jsonl"
    again.write_text(out, encoding="utf-8")
    assert run(again)[0] == out
    with again.open("rb") as stream:
        assert [record.rollout.labels.producer_refetch for record in open_records(stream, "again")] == [True, False]


def test_json_is_one_document_with_labels_and_what_was_skipped(file: Path) -> None:
    document = json.loads(run(file, "--json")[0])
    assert document["read"] == 2
    assert [found["labels"]["producer_refetch"] for found in document["rollouts"]] == [True, False]
    assert len(document["skipped"]) == 1
    assert "missing" in document["skipped"][0]["why"]


def test_a_file_that_is_no_trajectory_file_fails_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello", encoding="utf-8")
    with pytest.raises(CommandError, match=r"notes\.txt"):
        run(path)
    with pytest.raises(CommandError, match="No such file"):
        run(tmp_path / "nothing.jsonl")
