"""Ten requests at once: one label a place, the first stands, nobody is led to another's item."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse

from annotation.actions import labelling
from annotation.models import Assignment, BlindLabel, Draft, Review, Study
from benchmark.models import Account

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 10


def together(tasks: list[Callable[[], Any]]) -> list[Any]:
    """Run all tasks at the same moment, each in a thread with a connection of its own; what each returned or raised."""
    gate = Barrier(len(tasks))

    def run(task: Callable[[], Any]) -> Any:
        gate.wait()
        try:
            return task()
        except (
            labelling.LockedOtherwise,
            labelling.StaleDraft,
            labelling.ReviewChanged,
            labelling.AlreadyLocked,
        ) as error:
            return type(error)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(tasks)) as threads:
        return list(threads.map(run, tasks))


def answers(number: int) -> dict[str, Any]:
    return {"result": number % 2 == 0, "noticed": number % 3 == 0, "evidence": {}}


def test_ten_submits_of_one_item_leave_the_first_label(make_study: Callable[..., Study]) -> None:
    place = Assignment.objects.filter(item__study=make_study()).first()
    said = together([lambda n=n: labelling.submit_blind(assignment=place, **answers(n)) for n in range(AT_ONCE)])
    label = BlindLabel.objects.get()
    for number, outcome in enumerate(said):
        same = label.says(result=answers(number)["result"], noticed=answers(number)["noticed"])
        assert outcome == (label if same else labelling.LockedOtherwise)


def test_ten_clicks_on_submit_are_one_label_and_ten_successes(
    make_study: Callable[..., Study], signed_in: Callable[..., Client]
) -> None:
    place = Assignment.objects.filter(item__study=make_study()).first()
    clients = [signed_in(place.seat.account) for _ in range(AT_ONCE)]
    url = reverse("annotation:submit", args=[place.public_id])
    said = together([lambda c=c: c.post(url, {"result": "yes", "noticed": "no"}).status_code for c in clients])
    assert said == [302] * AT_ONCE
    assert BlindLabel.objects.count() == 1


def test_drafts_and_submits_at_once_leave_the_label_and_no_draft(make_study: Callable[..., Study]) -> None:
    place = Assignment.objects.filter(item__study=make_study()).first()
    drafts = [lambda n=n: labelling.save_draft(assignment=place, **answers(n), version=0) for n in range(AT_ONCE - 2)]
    together([*drafts, *[lambda: labelling.submit_blind(assignment=place, **answers(1))] * 2])
    assert BlindLabel.objects.get().result is False
    assert not Draft.objects.exists()


def test_ten_drafts_from_ten_tabs_keep_one_and_tell_the_others(make_study: Callable[..., Study]) -> None:
    place = Assignment.objects.filter(item__study=make_study()).first()
    said = together(
        [lambda n=n: labelling.save_draft(assignment=place, **answers(n), version=0) for n in range(AT_ONCE)]
    )
    kept = Draft.objects.get()
    assert kept.version == 1
    for number, outcome in enumerate(said):
        same = {name: getattr(kept, name) for name in ("result", "noticed")} == {
            name: answers(number)[name] for name in ("result", "noticed")
        }
        assert outcome == (kept if same else labelling.StaleDraft)


def test_ten_reviews_at_once_are_one_version(make_study: Callable[..., Study]) -> None:
    place = Assignment.objects.filter(item__study=make_study()).first()
    labelling.submit_blind(assignment=place, **answers(1))
    labelling.open_review(assignment=place)
    said = {"noticed": "agree", "comment": "", "version": 0}
    words = ["agree", "disagree"] * (AT_ONCE // 2)
    together([lambda w=w: labelling.submit_review(assignment=place, result=w, **said) for w in words])
    assert Review.objects.count() == 1


def test_ten_next_requests_of_one_person_lead_to_the_same_item(
    make_study: Callable[..., Study], signed_in: Callable[..., Client]
) -> None:
    study = make_study(rollouts=3)
    first = Assignment.objects.filter(item__study=study).order_by("order").first()
    clients = [signed_in(first.seat.account) for _ in range(AT_ONCE)]
    said = together([lambda c=c: c.get(reverse("annotation:next")).url for c in clients])
    assert set(said) == {reverse("annotation:item", args=[first.public_id])}


def test_ten_people_working_at_once_each_label_their_own_items_once(
    make_study: Callable[..., Study], signed_in: Callable[..., Client], make_account: Callable[..., Account]
) -> None:
    people = [make_account() for _ in range(AT_ONCE)]
    study = make_study(rollouts=3, seats=people)

    def work(client: Client) -> None:
        for _ in range(3):
            url = client.get(reverse("annotation:next")).url
            assert client.post(f"{url}submit/", {"result": "yes", "noticed": "no"}).status_code == 302

    clients = [signed_in(person) for person in people]
    together([lambda c=c: work(c) for c in clients])
    per_seat = Counter(
        BlindLabel.objects.filter(assignment__item__study=study).values_list("assignment__seat", flat=True)
    )
    assert list(per_seat.values()) == [3] * AT_ONCE
    per_item = Counter(BlindLabel.objects.values_list("assignment__item", flat=True))
    assert list(per_item.values()) == [AT_ONCE] * 3
