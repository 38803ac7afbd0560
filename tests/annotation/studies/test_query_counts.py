"""No page makes more queries for 200 items, 20 seats or 60 studies than for a few; agreement of 6,000 labels takes a second."""

import time
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.core.strata import Stratum
from annotation.core.study_design import StudyDesign
from annotation.models import Assignment, BlindLabel, Comment, Item, Review, Seat, Study
from annotation.report.agreement import study_agreement
from benchmark.models import Account, AgentModel, ImportBatch, Judgment, Rollout, Unit

pytestmark = pytest.mark.django_db


@pytest.fixture
def make_labelled(make_account: Callable[..., Account]) -> Callable[..., Study]:
    """A labelled and reviewed study of any size, straight from rows: `labels_per_item` seats in turn label each item."""

    def make(items: int, seats: int = 6, labels_per_item: int = 3, accounts: bool = True) -> Study:
        owner = Account.objects.filter(role="researcher").first() or make_account("researcher")
        batch = ImportBatch.objects.create(file_name="made.jsonl", status=ImportBatch.Status.DONE)
        rollouts = _rollouts(batch, items)
        design = StudyDesign(
            name="Labelled",
            imports=(batch.pk,),
            judge="rule/1",
            cells={Stratum("model-0", "correct"): items},
            annotators=seats,
            labels_per_item=labels_per_item,
        )
        study = Study.objects.create(
            name="Labelled",
            status="running",
            design=design.as_data(),
            judge="rule/1",
            noticed_rule="noticed/1",
            seats_planned=seats,
            labels_per_item=labels_per_item,
            owner=owner,
            started_at=timezone.now(),
        )
        _label(study, rollouts, seats, [make_account() if accounts else None for _ in range(seats)])
        return study

    return make


def _rollouts(batch: ImportBatch, count: int) -> list[Rollout]:
    models = [AgentModel.objects.get_or_create(name=f"model-{number}")[0] for number in range(5)]
    units = [
        Unit.objects.create(
            name=f"unit-{number}",
            digest=f"{batch.pk:032x}{number:032x}",
            record="{}",
            workflow=f"wf0{number % 9}",
            leaf="numeric_bucket_shift",
            locus="tool_output",
            position="early",
        )
        for number in range(10)
    ]
    rollouts = Rollout.objects.bulk_create(
        Rollout(
            origin="import",
            batch=batch,
            record_sha256=f"{batch.pk:032x}{number:032x}",
            model=models[number % 5],
            condition=("correct", "explicit", "implicit")[number % 3],
            unit=units[number % 10],
            matched_group=f"unit:{number % 10}",
            task="A task",
            end="answered",
            noticed=False,
            noticed_rule="noticed/1",
        )
        for number in range(count)
    )
    Judgment.objects.bulk_create(Judgment(rollout=rollout, judge="rule/1", label="solved") for rollout in rollouts)
    return rollouts


def _label(study: Study, rollouts: list[Rollout], seats: int, accounts: list[Account | None]) -> None:
    rows = Seat.objects.bulk_create(
        Seat(study=study, number=number + 1, account=accounts[number]) for number in range(seats)
    )
    items = Item.objects.bulk_create(
        Item(
            study=study,
            rollout=rollout,
            matched_group=rollout.matched_group,
            model=f"model-{number % 5}",
            condition=rollout.condition,
            auto_result=number % 4 > 0,
            auto_noticed=number % 3 == 0,
        )
        for number, rollout in enumerate(rollouts)
    )
    now = timezone.now()
    places = Assignment.objects.bulk_create(
        Assignment(item=item, seat=rows[(number + turn) % seats], order=number, first_shown=now, review_opened_at=now)
        for number, item in enumerate(items)
        for turn in range(study.labels_per_item)
    )
    BlindLabel.objects.bulk_create(
        BlindLabel(assignment=place, result=number % 7 > 1, noticed=number % 5 == 0, first_shown=now, active_seconds=40)
        for number, place in enumerate(places)
    )
    reviews = Review.objects.bulk_create(
        Review(assignment=place, version=1, result="agree", noticed="disagree") for place in places
    )
    Comment.objects.bulk_create(Comment(review=review, text="as I said") for review in reviews[::3])


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as made:
        answer = client.get(path)
        b"".join(answer) if answer.streaming else answer.content
    assert answer.status_code == 200, path
    return len(made)


PAGES = [
    "",
    "design/",
    "items/",
    "audit/",
    "people/",
    "agreement/",
    "agreement/?label=noticed",
    "agreement/json/",
    "files/",
    "files/labels.csv",
    "files/labels.jsonl",
    "files/matrix.csv",
    "files/audit.csv",
]


def test_pages_of_a_study_make_as_many_queries_for_200_items_as_for_10(
    make_labelled: Callable[..., Study], signed_in: Callable[..., Client]
) -> None:
    few, many = make_labelled(10), make_labelled(200, seats=20)
    client = signed_in(few.owner)
    counts = {page: [queries(client, f"/studies/{study.pk}/{page}") for study in (few, many)] for page in PAGES}
    grown = {page: pair for page, pair in counts.items() if pair[0] != pair[1]}
    assert grown == {}
    assert max(most for _, most in counts.values()) <= 20, counts


def test_the_list_of_studies_and_the_list_of_people_do_not_grow_in_queries(
    make_labelled: Callable[..., Study], make_account: Callable[..., Account], signed_in: Callable[..., Client]
) -> None:
    study = make_labelled(3)
    researcher, admin = signed_in(study.owner), signed_in(make_account("admin"))
    before = [queries(researcher, "/studies/"), queries(admin, "/people/"), queries(researcher, "/studies/new/")]
    for _ in range(12):
        make_labelled(3)
    for number in range(40):
        Study.objects.create(
            **{
                field: getattr(study, field)
                for field in ("judge", "noticed_rule", "seats_planned", "labels_per_item", "owner")
            },
            name=f"study {number}",
            design={},
        )
    after = [queries(researcher, "/studies/"), queries(admin, "/people/"), queries(researcher, "/studies/new/")]
    assert after == before


def test_the_designer_looks_with_as_many_queries_at_200_rollouts_as_at_10(
    make_labelled: Callable[..., Study], signed_in: Callable[..., Client]
) -> None:
    few, many = make_labelled(10), make_labelled(200)
    client = signed_in(few.owner)
    counts = []
    for study in (few, many):
        typed = {
            "do": "look",
            "name": "x",
            "imports": study.design["rollouts"]["imports"],
            "labels": ["result", "noticed"],
            "judge": "rule/1",
            "sampling": "margins",
            "condition": ["correct", "explicit", "implicit"],
            "condition_n": ["2", "2", "2"],
            "annotators": "3",
            "labels_per_item": "3",
            "seed": "1",
            "review": "per_item",
        }
        with CaptureQueriesContext(connection) as made:
            page = client.post("/studies/new/", typed)
        assert "6</b> rollouts" in page.content.decode()
        counts.append(len(made))
    assert counts[0] == counts[1]


def test_agreement_of_6000_labels_takes_a_second_of_work(make_labelled: Callable[..., Study]) -> None:
    study = make_labelled(2000, seats=8, accounts=False)
    study_agreement(study)  # loads the statistics libraries
    began = time.process_time()
    report, _ = study_agreement(study)
    assert report.judgments == 6000
    assert time.process_time() - began < 1.0
