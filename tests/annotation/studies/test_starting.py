"""Eligibility and the start: what may be sampled, what is frozen, how it is dealt, and when a start is refused."""

from collections import Counter
from collections.abc import Callable

import pytest
from pytest_django import DjangoAssertNumQueries

from annotation.actions.people import invite, take_seat
from annotation.actions.starting import StartRefused, start
from annotation.core.margins import Margins
from annotation.core.strata import Stratum
from annotation.core.study_file import design_of
from annotation.models import Assignment, ConsentText, Item, Seat, Study
from annotation.models.eligible import eligibility
from benchmark.core import text
from benchmark.models import Account, ImportBatch, Judgment, Rollout

pytestmark = pytest.mark.django_db


def counted(study: Study) -> tuple[int, dict[str, int]]:
    found = eligibility(design_of(study.design), study.noticed_rule)
    return found.eligible, dict(found.refused)


def test_every_reason_keeps_a_rollout_out_and_is_counted(
    make_draft: Callable[..., Study], make_rollout: Callable[..., Rollout]
) -> None:
    study = make_draft()
    make_rollout(status="running")
    make_rollout(end="model_error")
    make_rollout(excluded="an observation carried a ToolExecutionError")
    make_rollout(end="")
    make_rollout(noticed=None)
    make_rollout(noticed_rule="noticed/0")
    failed = make_rollout()
    failed.judgments.update(label="judge_error")
    make_rollout().judgments.update(judge="somebody/9")
    assert counted(study) == (
        24,
        {
            "unfinished": 1,
            "invalid": 1,
            "excluded": 1,
            "no_end": 1,
            "no_noticed": 1,
            "other_rule": 1,
            "judge_failed": 1,
            "not_judged": 1,
        },
    )


def test_a_study_with_one_question_needs_only_its_label(
    make_draft: Callable[..., Study], make_rollout: Callable[..., Rollout]
) -> None:
    make_rollout(noticed=None)
    study = make_draft(labels=("result",))
    assert counted(study) == (25, {})


def test_eligibility_takes_one_query_however_many_rollouts(
    make_draft: Callable[..., Study],
    make_pool: Callable[..., ImportBatch],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    study = make_draft()
    make_pool(models=3, each=20)
    with django_assert_num_queries(1):
        eligibility(design_of(study.design), study.noticed_rule)


def test_strata_without_model_or_condition_are_called_none(
    make_draft: Callable[..., Study], make_rollout: Callable[..., Rollout]
) -> None:
    study = make_draft()
    make_rollout(model=None, condition="")
    held = eligibility(design_of(study.design), study.noticed_rule).held
    assert held[Stratum("none", "none")] == 1
    assert held[Stratum("model-0", "correct")] == 4


def test_the_start_draws_the_margins_and_deals_every_item_to_the_planned_number_of_seats(
    make_started: Callable[..., Study],
) -> None:
    study = make_started()
    assert study.status == "running"
    assert Counter(study.items.values_list("condition", flat=True)) == {"correct": 4, "explicit": 4, "implicit": 4}
    seats = Counter(Assignment.objects.values_list("item", flat=True))
    assert set(seats.values()) == {2}
    assert Counter(Assignment.objects.values_list("seat__number", flat=True)) == {1: 8, 2: 8, 3: 8}


def test_the_same_seed_draws_the_same_rollouts(make_started: Callable[..., Study], make_pool: Callable) -> None:
    batch = make_pool()
    one, other = make_started(batch=batch), make_started(batch=batch)
    assert set(one.items.values_list("rollout")) == set(other.items.values_list("rollout"))
    plans = [
        set(Assignment.objects.filter(item__study=study).values_list("item__rollout", "seat__number", "order"))
        for study in (one, other)
    ]
    assert plans[0] == plans[1]


def test_nothing_that_happens_to_a_rollout_later_changes_the_frozen_labels(make_started: Callable[..., Study]) -> None:
    study = make_started()
    item = study.items.first()
    Judgment.objects.create(rollout=item.rollout, judge="rule/1", label="solved", rationale="second thoughts")
    Rollout.objects.filter(pk=item.rollout_id).update(noticed=True, labels="{}")
    item = Item.objects.get(pk=item.pk)
    assert (item.auto_result, item.auto_noticed, item.result_rationale) == (False, False, "The answer is wrong.")


def test_the_newest_successful_judgment_of_the_judge_is_frozen(
    make_draft: Callable[..., Study], make_pool: Callable[..., ImportBatch]
) -> None:
    batch = make_pool()
    for rollout in batch.rollouts.all():
        Judgment.objects.create(
            rollout=rollout, judge="rule/1", label="solved", rationale="R2 gives the value; P9 not."
        )
        Judgment.objects.create(rollout=rollout, judge="rule/1", label="judge_error")
        Judgment.objects.create(rollout=rollout, judge="other/1", label="unsolved")
    study = make_draft(batch=batch)
    start(study=study, who=study.owner)
    item = study.items.first()
    assert item.auto_result is True
    assert item.result_evidence == ["R2"]
    assert text.parse(item.automatic)["results"] == [
        {"judge": "rule/1", "label": "solved", "rationale": "R2 gives the value; P9 not."}
    ]


def test_the_order_of_storage_follows_neither_stratum_nor_rollout(make_started: Callable[..., Study]) -> None:
    study = make_started()
    stored = list(study.items.order_by("pk").values_list("rollout", "condition"))
    assert stored != sorted(stored)
    assert [condition for _, condition in stored] != sorted(condition for _, condition in stored)
    ids = list(study.items.order_by("public_id").values_list("rollout", flat=True))
    assert ids != sorted(ids)


def test_a_refused_start_names_everything_that_is_wrong_and_changes_nothing(make_draft: Callable[..., Study]) -> None:
    study = make_draft(margins=Margins(condition={"correct": 99, "none": 5}))
    with pytest.raises(StartRefused) as refused:
        start(study=study, who=study.owner)
    said = " ".join(refused.value.problems)
    assert "condition correct 99 are wanted, but 8" in said
    assert "condition none 5 are wanted, but no eligible rollouts" in said
    study.refresh_from_db()
    assert study.status == "draft"
    assert not Item.objects.exists()


def test_a_start_without_a_consent_text_is_refused(make_draft: Callable[..., Study]) -> None:
    study = make_draft()
    ConsentText.objects.all().delete()
    with pytest.raises(StartRefused, match="consent"):
        start(study=study, who=study.owner)


def test_a_second_start_is_refused(make_started: Callable[..., Study]) -> None:
    study = make_started()
    with pytest.raises(StartRefused, match="started before"):
        start(study=study, who=study.owner)
    assert study.items.count() == 12


def test_who_has_opened_the_review_of_a_unit_is_dealt_no_item_of_it_in_the_next_study(
    make_draft: Callable[..., Study], make_started: Callable[..., Study], make_account: Callable[..., Account]
) -> None:
    first = make_started()
    person = make_account()
    seat = first.seats.get(number=1)
    Seat.objects.filter(pk=seat.pk).update(account=person)
    Assignment.objects.filter(seat=seat).update(review_opened_at=first.started_at)
    seen = set(Assignment.objects.filter(seat=seat).values_list("item__matched_group", flat=True))
    second = make_draft(
        batch=ImportBatch.objects.get(), margins=Margins(condition={"correct": 8, "explicit": 8, "implicit": 8})
    )
    made = invite(study=second, seats=[2], who=second.owner)
    take_seat(secret=made[0].secret, account=person)
    start(study=second, who=second.owner)
    dealt = Assignment.objects.filter(item__study=second)
    assert not seen & set(dealt.filter(seat__number=2).values_list("item__matched_group", flat=True))
    assert set(Counter(dealt.values_list("item", flat=True)).values()) == {2}


def test_a_start_is_refused_when_nobody_may_take_what_a_person_has_seen(
    make_draft: Callable[..., Study], make_started: Callable[..., Study], make_account: Callable[..., Account]
) -> None:
    first = make_started()
    person = make_account()
    Seat.objects.filter(study=first, number=1).update(account=person)
    Assignment.objects.filter(seat__account=person).update(review_opened_at=first.started_at)
    second = make_draft(batch=ImportBatch.objects.get(), labels_per_item=3, margins=Margins(condition={"correct": 8}))
    made = invite(study=second, seats=[1], who=second.owner)
    take_seat(secret=made[0].secret, account=person)
    with pytest.raises(StartRefused, match="A1 have seen the automatic labels"):
        start(study=second, who=second.owner)
