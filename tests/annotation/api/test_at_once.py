"""Ten programs at once: a key is carried out once and all get its answer; without one the first label stands."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.models import Assignment, BlindLabel, Study
from benchmark.models import Account, ImportBatch, KeptAnswer
from tests.annotation.test_races import AT_ONCE, together
from tests.api_clients import Caller

pytestmark = pytest.mark.django_db(transaction=True)


def callers(account: Account) -> list[Caller]:
    return [Caller(account) for _ in range(AT_ONCE)]


def test_one_key_sent_ten_times_at_once_is_carried_out_once(make_study: Callable[..., Study]) -> None:
    place = Assignment.objects.filter(item__study=make_study()).first()
    path, body, key = f"items/{place.public_id}/blind", {"result": True, "noticed": False}, {"Idempotency-Key": "k"}
    said = together([lambda one=one: one.post(path, body, **key) for one in callers(place.seat.account)])
    assert {(answer.status_code, answer.content) for answer in said} == {(200, said[0].content)}
    assert (BlindLabel.objects.count(), KeptAnswer.objects.count()) == (1, 1)


def test_one_key_with_ten_bodies_at_once_belongs_to_one_of_them(make_study: Callable[..., Study]) -> None:
    place = Assignment.objects.filter(item__study=make_study()).first()
    path = f"items/{place.public_id}/blind"
    bodies = [{"result": True, "noticed": True, "seconds": number} for number in range(AT_ONCE)]
    pairs = zip(callers(place.seat.account), bodies, strict=True)
    said = together([lambda one=one, b=b: one.post(path, b, **{"Idempotency-Key": "k"}) for one, b in pairs])
    assert sorted(answer.status_code for answer in said) == [200] + [422] * (AT_ONCE - 1)


def test_ten_different_submits_at_once_leave_one_label_and_nine_refusals(make_study: Callable[..., Study]) -> None:
    place = Assignment.objects.filter(item__study=make_study()).first()
    path = f"items/{place.public_id}/blind"
    bodies: list[dict[str, Any]] = [{"result": number % 2 == 0, "noticed": True} for number in range(AT_ONCE)]
    pairs = zip(callers(place.seat.account), bodies, strict=True)
    said = together([lambda one=one, b=b: one.post(path, b) for one, b in pairs])
    label = BlindLabel.objects.get()
    for body, answer in zip(bodies, said, strict=True):
        assert answer.status_code == (200 if body["result"] == label.result else 409)


def test_ten_cancels_at_once_discard_a_file_once(make_account: Callable[..., Account]) -> None:
    batch = ImportBatch.objects.create(file_name="a.json", status=ImportBatch.Status.WAITING)
    said = together([lambda one=one: one.post(f"imports/{batch.pk}/cancel") for one in callers(make_account("admin"))])
    assert sorted(answer.status_code for answer in said) == [202] + [409] * (AT_ONCE - 1)
