"""Researchers read studies, agreement and labels: the figures of the pages, and nobody's name."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.actions import labelling
from annotation.models import Assignment, LabelVoid, Study
from annotation.report.agreement import study_agreement
from benchmark.core.comparing.agreement_csv import read_agreement_csv
from tests.api_clients import Caller, body_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    """Four items, three annotators, all labelled: they differ on one item; one label is void."""
    made = make_study(rollouts=4, seats=3)
    for place in Assignment.objects.filter(item__study=made).select_related("seat"):
        result = place.order > 1 or (place.order == 1 and place.seat.number == 1)
        label = labelling.submit_blind(
            assignment=place, result=result, noticed=place.order == 0, evidence={"result": [], "noticed": []}
        )
        if (place.order, place.seat.number) == (0, 3):
            LabelVoid.objects.create(label=label, reason="slept", who=made.owner)
    return made


@pytest.fixture
def caller(study: Study) -> Caller:
    """The program of the researcher who runs it."""
    return Caller(study.owner)


def test_studies_are_listed_with_how_far_they_are(
    caller: Caller, study: Study, make_study: Callable[..., Study]
) -> None:
    make_study(status=Study.Status.CLOSED)
    rows = caller.get("studies").json()["results"]
    assert [(row["status"], row["places"], row["labels"]) for row in rows] == [("closed", 2, 0), ("running", 11, 11)]
    assert [row["id"] for row in caller.get("studies", data={"status": "running"}).json()["results"]] == [study.pk]
    assert caller.get("studies", data={"archived": "true"}).json()["results"] == []


def test_a_study_tells_what_each_seat_has_done_and_no_annotator_s_name(caller: Caller, study: Study) -> None:
    response = caller.get(f"studies/{study.pk}")
    body = response.json()
    assert [(seat["name"], seat["done"], seat["void"]) for seat in body["seats"]] == [
        ("A1", 4, 0),
        ("A2", 4, 0),
        ("A3", 3, 1),
    ]
    assert body["questions"] == ["result", "noticed"]
    for seat in study.seats.select_related("account"):
        assert seat.account.username.encode() not in response.content


def test_agreement_gives_the_figures_of_the_page_to_the_last_digit(caller: Caller, study: Study) -> None:
    body = caller.get(f"studies/{study.pk}/agreement").json()
    report, _ = study_agreement(study)
    kappa = report.labels["result"].figures["fleiss_kappa"]
    assert body["labels"]["result"]["fleiss_kappa"]["value"] == pytest.approx(kappa.value, abs=1e-9)
    assert body["labels"]["result"]["judgments"] == 11
    assert "1 void label is in no figure." in body["manifest"]["notes"]


def test_a_draft_has_no_agreement_and_an_empty_study_says_why_figures_are_missing(
    caller: Caller, make_study: Callable[..., Study]
) -> None:
    draft = make_study(status=Study.Status.DRAFT)
    assert caller.get(f"studies/{draft.pk}/agreement").status_code == 404
    fresh = make_study()
    response = caller.get(f"studies/{fresh.pk}/agreement")
    assert response.status_code == 200
    figure = response.json()["labels"]["result"]["fleiss_kappa"]
    assert figure["value"] is None
    assert figure["why"]


def test_labels_come_as_lines_that_count_themselves(caller: Caller, study: Study) -> None:
    response = caller.get(f"studies/{study.pk}/labels")
    assert response.headers["Content-Type"] == "application/x-ndjson; charset=utf-8"
    *records, end = [json.loads(line) for line in body_of(response).decode().splitlines()]
    assert (len(records), end["blind"], end["void"]) == (12, 12, 1)
    assert {record["annotator"] for record in records} == {"A1", "A2", "A3"}


def test_labels_come_as_the_table_that_agreement_reads(caller: Caller, study: Study, tmp_path: Any) -> None:
    response = caller.get(f"studies/{study.pk}/labels", headers={"Accept": "text/csv"})
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    path = tmp_path / "labels.csv"
    path.write_bytes(body_of(response))
    assert len(list(csv.DictReader(io.StringIO(path.read_text())))) == 12
    assert len(read_agreement_csv(path).judgments["result"]) == 12


def test_an_error_is_a_problem_also_where_a_table_was_asked_for(caller: Caller) -> None:
    response = caller.get("studies/999/labels", headers={"Accept": "text/csv"})
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.json()["status"] == 404


def test_no_address_of_studies_takes_more_queries_when_there_is_more(
    caller: Caller, study: Study, make_study: Callable[..., Study]
) -> None:
    paths = ["studies", f"studies/{study.pk}", f"studies/{study.pk}/labels", f"studies/{study.pk}/agreement"]
    for path in paths:
        body_of(caller.get(path))
    few = [_queries(caller, path) for path in paths]
    big = make_study(rollouts=20, seats=8)
    for _ in range(8):
        make_study(rollouts=1)
    paths = [path.replace(str(study.pk), str(big.pk)) for path in paths]
    assert [_queries(caller, path) for path in paths] == few
    assert max(few) <= 9


def _queries(caller: Caller, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        response = caller.get(path)
        body_of(response)
    assert response.status_code == 200
    return len(queries)
