"""The demo's studies: half done by scripted answers that say so, and the rebuilt one; made once."""

import time
from collections import Counter

import pytest

from annotation.actions import demo as studies
from annotation.models import Assignment, BlindLabel, Comment, Consent, Draft, LabelVoid, Review, Study
from annotation.report.progress import audit
from benchmark.actions import demo as trajectories
from benchmark.models import Account

pytestmark = pytest.mark.django_db


@pytest.fixture
def half_done() -> Study:
    """Everything the demo loads; gives the study that is half done."""
    trajectories.load()
    assert studies.load() == {}
    return Study.objects.get(origin=studies.ORIGIN)


def test_six_people_have_done_half_of_a_balanced_study(half_done: Study) -> None:
    places = Assignment.objects.filter(item__study=half_done).order_by()
    done = Counter(places.filter(blind_label__isnull=False).values_list("seat__account__username", flat=True))
    assert done == {
        "annotator1": 20, "annotator2": 12, "annotator3": 11, "annotator4": 9, "annotator5": 6, "annotator6": 4,
    }  # fmt: skip
    assert half_done.items.count() == 40
    assert half_done.status == Study.Status.RUNNING
    assert half_done.questions == ["result", "noticed"]
    dealt = Counter(places.exclude(pk__in=_redealt(half_done)).values_list("seat__number", flat=True))
    assert dealt == dict.fromkeys(range(1, 7), 20)


def test_it_holds_every_kind_of_thing_that_pages_show(half_done: Study) -> None:
    assert Draft.objects.filter(assignment__item__study=half_done).count() == 3
    assert Review.objects.filter(assignment__item__study=half_done).exclude(result="agree").exists()
    assert Comment.objects.filter(review__assignment__item__study=half_done).count() == 1
    assert LabelVoid.objects.filter(label__assignment__item__study=half_done).count() == 1
    assert Consent.objects.filter(seat__study=half_done).count() == 6
    assert Assignment.objects.to_review().filter(item__study=half_done).exists()


def test_scripted_answers_mostly_follow_the_automatic_labels_and_sometimes_do_not(half_done: Study) -> None:
    labels = BlindLabel.objects.filter(assignment__item__study=half_done).select_related("assignment__item")
    for question in ("result", "noticed"):
        same = sum(getattr(label, question) == getattr(label.assignment.item, f"auto_{question}") for label in labels)
        assert len(labels) * 0.6 < same < len(labels)


def test_the_study_says_that_nobody_gave_its_labels(half_done: Study) -> None:
    assert "scripted for the demo, not given by people" in half_done.origin


def test_the_script_never_looked_before_it_locked(half_done: Study) -> None:
    assert not [place for place in audit(half_done) if place.early or place.known]


def test_scripted_times_look_like_work(half_done: Study) -> None:
    for label in BlindLabel.objects.filter(assignment__item__study=half_done):
        assert 40 <= label.active_seconds <= (label.submitted - label.first_shown).total_seconds()


def test_a_second_load_makes_no_second_study(half_done: Study) -> None:
    before = (Study.objects.count(), BlindLabel.objects.count(), Review.objects.count())
    assert studies.load() == {}
    assert (Study.objects.count(), BlindLabel.objects.count(), Review.objects.count()) == before == (2, 362, before[2])


def test_without_a_researcher_there_is_nothing_to_load() -> None:
    assert studies.load() == {}
    assert not Study.objects.exists()


def test_the_whole_demo_loads_in_seconds() -> None:
    begun = time.process_time()
    trajectories.load()
    studies.load()
    assert time.process_time() - begun < 20
    assert Account.objects.count() == 9


def _redealt(study: Study) -> list[int]:
    """The places dealt after the void."""
    void = LabelVoid.objects.get(label__assignment__item__study=study)
    return list(Assignment.objects.filter(item__study=study, dealt_at__gte=void.at).values_list("pk", flat=True))
