"""What happens to the places of someone who left, and of labels that were voided."""

from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.core.assignment import deal
from annotation.core.balance import pair_counts
from annotation.core.redeal import Move, Place, redeal
from annotation.core.sampling import Candidate


def test_a_leaver_of_the_published_design_leaves_sixty_items_to_each_other_and_no_place_open():
    items = [Candidate(f"r{number:03}", "m", "correct", f"u{number}") for number in range(100)]
    plan = deal(items, 6, 3, 20260817)
    places = [Place(item, 3, "") for item, seats in plan.assignments.items() if 3 in seats]
    outcome = redeal(places, plan.assignments, dict.fromkeys([1, 2, 4, 5, 6], 50), set(), 20260817)
    assert outcome.open == ()
    assert Counter(move.seat for move in outcome.moves) == dict.fromkeys([1, 2, 4, 5, 6], 10)
    after = {item: set(seats) - {3} for item, seats in plan.assignments.items()}
    for move in outcome.moves:
        assert move.seat not in plan.assignments[move.place.item]
        after[move.place.item].add(move.seat)
    assert {len(seats) for seats in after.values()} == {3}
    assert set(pair_counts(plan.assignments, [1, 2, 4, 5, 6]).values()) == {20}
    # 300 places shared in pairs by five people: 100 items × 3 pairs over 10 pairs
    assert sum(pair_counts(after, [1, 2, 4, 5, 6]).values()) == 300


def test_whoever_ever_had_the_item_does_not_get_it_again_and_the_place_stays_open():
    place = Place("r1", 1, "u1")
    outcome = redeal([place], {"r1": [1, 2, 3]}, {1: 0, 2: 5, 3: 5}, set(), 1)
    assert outcome.moves == ()
    assert outcome.open == (place,)


def test_the_former_seat_does_not_get_its_void_place_back_even_if_no_holder_is_named():
    assert redeal([Place("r1", 1)], {}, {1: 0, 2: 9}, set(), 1).moves == (Move(Place("r1", 1), 2),)


def test_who_opened_the_review_of_a_unit_gets_no_item_of_it():
    outcome = redeal([Place("r1", 1, "u1")], {"r1": [1]}, {2: 0, 3: 9}, {(2, "u1"), (3, "u2")}, 1)
    assert [move.seat for move in outcome.moves] == [3]


def test_two_places_of_one_item_go_to_two_people():
    outcome = redeal([Place("r1", 1), Place("r1", 2)], {"r1": [1, 2, 3]}, {3: 0, 4: 9, 5: 9}, set(), 1)
    assert sorted(move.seat for move in outcome.moves) == [4, 5]


def test_one_of_two_places_stays_open_where_one_person_is_left_for_the_item():
    outcome = redeal([Place("r1", 1), Place("r1", 2)], {"r1": [1, 2, 3]}, {3: 0, 4: 9}, set(), 1)
    assert outcome.moves == (Move(Place("r1", 1), 4),)
    assert outcome.open == (Place("r1", 2),)


def test_a_new_place_is_passed_on_where_that_evens_the_load():
    # r1 may go to 2 or 3, r2 only to 2: so 2 must leave r1 to 3 although both begin alike
    places = [Place("r1", 1), Place("r2", 1)]
    outcome = redeal(places, {"r1": [1], "r2": [1, 3]}, {2: 4, 3: 4}, set(), 1)
    assert {move.place.item: move.seat for move in outcome.moves} == {"r1": 3, "r2": 2}


def test_with_nobody_active_every_place_is_open():
    assert redeal([Place("r1", 1)], {}, {}, set(), 1).open == (Place("r1", 1),)


def least_uneven(places, holders, loads, barred):
    """By trying everything: the most places that can be taken and the least sum of squared loads at that."""
    wanted = Counter(place.item for place in places)
    choices = []
    for item, count in wanted.items():
        group = next(place.group for place in places if place.item == item)
        had = {*holders[item], *(place.seat for place in places if place.item == item)}
        able = [seat for seat in loads if seat not in had and (seat, group) not in barred]
        choices.append(list(combinations(able, min(count, len(able)))))
    totals = [Counter(loads) + Counter(seat for seats in given_to for seat in seats) for given_to in product(*choices)]
    taken = sum(len(options[0]) for options in choices)
    return taken, min(sum(load * load for load in total.values()) for total in totals)


situations = st.tuples(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 2)), min_size=1, max_size=7, unique=True),
    st.lists(st.sets(st.integers(3, 7)), min_size=6, max_size=6),
    st.fixed_dictionaries({seat: st.integers(1, 4) for seat in range(3, 8)}),
    st.sets(st.tuples(st.integers(3, 7), st.sampled_from(["u0", "u1", "u2"]))),
)


@settings(deadline=None, max_examples=200)
@given(situations, st.integers())
def test_no_other_dealing_takes_more_places_or_evens_loads_further(situation, seed):
    rows, had, loads, barred = situation
    places = [Place(f"r{item}", seat, f"u{item % 3}") for item, seat in rows]
    holders = {f"r{item}": had[item] for item in range(6)}
    outcome = redeal(places, holders, loads, barred, seed)
    assert sorted([*(move.place for move in outcome.moves), *outcome.open]) == sorted(places)
    assert len({(move.place.item, move.seat) for move in outcome.moves}) == len(outcome.moves)
    for place, seat in outcome.moves:
        assert seat not in holders[place.item]
        assert (seat, place.group) not in barred
    after = Counter(loads) + Counter(move.seat for move in outcome.moves)
    best = least_uneven(places, holders, loads, barred)
    assert (len(outcome.moves), sum(load * load for load in after.values())) == best
    assert outcome == redeal(reversed(places), holders, dict(reversed(loads.items())), barred, seed)


@pytest.mark.parametrize("seed", [1, 2])
def test_everyone_free_gets_loads_within_one(seed):
    places = [Place(f"r{number}", 0) for number in range(23)]
    outcome = redeal(places, {}, {1: 3, 2: 7, 3: 0, 4: 5}, set(), seed)
    after = Counter({1: 3, 2: 7, 3: 0, 4: 5}) + Counter(move.seat for move in outcome.moves)
    assert sorted(after.values()) == [9, 9, 10, 10]
