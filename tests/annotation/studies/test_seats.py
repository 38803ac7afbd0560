"""People come and go: places are dealt again, never to who had them; labels stay or are made void, never changed."""

from collections import Counter
from collections.abc import Callable

import pytest

from annotation.actions import seats as actions
from annotation.actions.studies import close, pause
from annotation.models import Assignment, BlindLabel, Draft, Seat, Study
from annotation.models.standing import standing
from benchmark.models import Account

pytestmark = pytest.mark.django_db


def loads(study: Study) -> Counter[int]:
    places = Assignment.objects.held().filter(item__study=study, blind_label__void__isnull=True)
    return Counter(places.values_list("seat__number", flat=True))


def has_no_second_place(study: Study) -> bool:
    pairs = Counter(Assignment.objects.filter(item__study=study).values_list("item", "seat"))
    return set(pairs.values()) == {1}


def test_what_a_leaver_had_open_goes_to_others_and_what_they_submitted_stays(
    make_started: Callable[..., Study], label_all: Callable
) -> None:
    study = make_started(annotators=4)
    seat = study.seats.get(number=1)
    first = seat.assignments.first()
    label_all(study)
    kept = BlindLabel.objects.filter(assignment__seat=seat).count()
    dealt = actions.leave(seat=seat, who=study.owner)
    assert dealt.moved == ()
    assert BlindLabel.objects.filter(assignment__seat=seat).count() == kept
    assert Assignment.objects.get(pk=first.pk).released_at is None


def test_a_leavers_places_are_dealt_so_that_loads_differ_by_at_most_one(make_started: Callable[..., Study]) -> None:
    study = make_started(annotators=4)
    seat = study.seats.get(number=1)
    Draft.objects.create(assignment=seat.assignments.first(), result=True)
    dealt = actions.leave(seat=seat, who=study.owner)
    assert len(dealt.moved) == 6
    assert dealt.open == ()
    assert loads(study) == {2: 8, 3: 8, 4: 8}
    assert has_no_second_place(study)
    assert not Draft.objects.exists()
    assert not Assignment.objects.held().filter(seat=seat).exists()


def test_new_places_stand_at_the_end_of_the_order(make_started: Callable[..., Study]) -> None:
    study = make_started(annotators=4)
    actions.leave(seat=study.seats.get(number=1), who=study.owner)
    for seat in study.seats.filter(left_at__isnull=True):
        assert list(seat.assignments.values_list("order", flat=True)) == list(range(8))


def test_a_place_nobody_may_take_is_open_and_a_new_seat_takes_it(make_started: Callable[..., Study]) -> None:
    study = make_started(annotators=2, labels_per_item=2)
    dealt = actions.leave(seat=study.seats.get(number=2), who=study.owner)
    assert (len(dealt.moved), len(dealt.open)) == (0, 12)
    actions.add_seat(study=study, who=study.owner)
    dealt = actions.deal_open_places(study=study, who=study.owner)
    assert (len(dealt.moved), len(dealt.open)) == (12, 0)
    assert loads(study) == {1: 12, 3: 12}


def test_pair_counts_before_and_after_are_kept(make_started: Callable[..., Study]) -> None:
    study = make_started(annotators=4)
    assert set(standing(study).balance().pairs.values()) == {2}
    actions.leave(seat=study.seats.get(number=1), who=study.owner, reason="ill")
    event = study.events.get(verb="left")
    assert event.reason == "ill"
    assert event.details["dealt"] == {"A2": 2, "A3": 2, "A4": 2}
    assert event.details["pairs"] == {"A2–A3": [2, 4], "A2–A4": [2, 4], "A3–A4": [2, 4]}


def test_a_leaver_who_asks_for_it_has_their_labels_made_void_and_the_items_dealt_again(
    make_started: Callable[..., Study], make_account: Callable[..., Account], label_all: Callable
) -> None:
    study = make_started()
    label_all(study)
    seat = study.seats.get(number=3)
    Seat.objects.filter(pk=seat.pk).update(account=make_account())
    seat.refresh_from_db()
    dealt = actions.leave(seat=seat, who=None, discard=True)
    assert BlindLabel.objects.filter(assignment__seat=seat, void__isnull=True).count() == 0
    assert BlindLabel.objects.filter(assignment__seat=seat).count() == 8
    assert (len(dealt.moved), len(dealt.open)) == (8, 0)
    assert loads(study) == {1: 12, 2: 12}


def test_leaving_twice_is_refused(make_started: Callable[..., Study]) -> None:
    study = make_started()
    actions.leave(seat=study.seats.get(number=1), who=study.owner)
    with pytest.raises(actions.SeatRefused, match="left already"):
        actions.leave(seat=study.seats.get(number=1), who=study.owner)


def test_leaving_a_draft_study_frees_the_seat(make_draft: Callable[..., Study], make_account: Callable) -> None:
    study = make_draft()
    Seat.objects.filter(study=study, number=2).update(account=make_account())
    assert actions.leave(seat=study.seats.get(number=2), who=study.owner) is None
    seat = study.seats.get(number=2)
    assert (seat.account, seat.left_at) == (None, None)


def test_a_closed_study_deals_nothing_when_somebody_leaves(make_started: Callable[..., Study]) -> None:
    study = make_started()
    close(study=study, who=study.owner)
    dealt = actions.leave(seat=study.seats.get(number=1), who=study.owner)
    assert (dealt.moved, len(dealt.open)) == ((), 8)


def test_a_void_label_stays_and_its_place_goes_to_who_never_had_the_item(
    make_started: Callable[..., Study], label_all: Callable
) -> None:
    study = make_started()
    label = label_all(study)[0]
    dealt = actions.void(label=label, who=study.owner, reason="labelled in a noisy room")
    assert BlindLabel.objects.get(pk=label.pk).result is True
    assert label.void.reason == "labelled in a noisy room"
    (item, seat), *others = dealt.moved
    assert (item, others) == (label.assignment.item.public_id, [])
    assert seat not in Assignment.objects.filter(item=label.assignment.item).exclude(seat__number=seat).values_list(
        "seat__number", flat=True
    )
    assert has_no_second_place(study)


def test_a_void_can_leave_the_place_open(make_started: Callable[..., Study], label_all: Callable) -> None:
    study = make_started()
    label = label_all(study)[0]
    assert actions.void(label=label, who=study.owner, reason="a test", again=False) is None
    assert len(standing(study).open_places(2)) == 1


def test_a_label_is_void_once(make_started: Callable[..., Study], label_all: Callable) -> None:
    study = make_started()
    label = label_all(study)[0]
    actions.void(label=label, who=study.owner, reason="a test")
    with pytest.raises(actions.SeatRefused, match="void already"):
        actions.void(label=label, who=study.owner, reason="again")
    assert label.void.reason == "a test"


def test_an_unlabelled_place_is_moved_to_somebody_else(make_started: Callable[..., Study]) -> None:
    study = make_started()
    pause(study=study, who=study.owner)
    place = study.seats.get(number=1).assignments.first()
    dealt = actions.reassign(assignment=place, who=study.owner, reason="knows the shop")
    assert len(dealt.moved) == 1
    assert dealt.moved[0][1] != 1
    assert has_no_second_place(study)


def test_a_place_nobody_may_take_stays_with_its_seat(make_started: Callable[..., Study]) -> None:
    study = make_started(annotators=2, labels_per_item=2)
    place = study.seats.get(number=1).assignments.first()
    with pytest.raises(actions.SeatRefused, match="Nobody may take this place"):
        actions.reassign(assignment=place, who=study.owner, reason="")
    assert Assignment.objects.held().filter(pk=place.pk).exists()


def test_a_labelled_place_is_not_moved(make_started: Callable[..., Study], label_all: Callable) -> None:
    study = make_started()
    label_all(study)
    with pytest.raises(actions.SeatRefused, match="labelled already"):
        actions.reassign(assignment=Assignment.objects.first(), who=study.owner, reason="")
