"""The promises of a plan: balanced, spread, reproducible."""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.core.assignment import DealRefused, deal, shuffled_apart
from annotation.core.balance import balance
from annotation.core.sampling import Candidate
from benchmark.core.seeds import seeded

ROOT = Path(__file__).parents[3]
CONDITIONS = ["correct"] * 28 + ["explicit"] * 35 + ["implicit"] * 37


def paper_items(group=lambda number: f"unit {number}"):
    """28 / 35 / 37 rollouts over three conditions, ten from each of ten models."""
    return [
        Candidate(f"r{number:03}", f"m{number * 7 % 10}", condition, group(number))
        for number, condition in enumerate(CONDITIONS)
    ]


def items_of(count, units=None):
    return [
        Candidate(
            f"r{number:05}", f"m{number % 10}", CONDITIONS[number * 37 % 100], f"unit {number % (units or count)}"
        )
        for number in range(count)
    ]


def spreads(table):
    names = {name for row in table.values() for name in row}
    return {name: max(row[name] for row in table.values()) - min(row[name] for row in table.values()) for name in names}


designs = st.integers(2, 12).flatmap(
    lambda seats: st.tuples(
        st.lists(
            st.tuples(
                st.sampled_from([None, "a", "b"]), st.sampled_from([None, "correct", "implicit"]), st.integers(0, 4)
            ),
            max_size=40,
        ),
        st.just(seats),
        st.integers(1, seats),
        st.integers(0, 2**63 - 1),
    )
)


@settings(deadline=None, max_examples=50)
@given(designs)
def test_every_plan_gives_each_item_its_labels_and_each_seat_its_share(design):
    rows, seats, labels, seed = design
    items = [
        Candidate(f"r{n}", model, condition, f"u{unit}" if unit else "")
        for n, (model, condition, unit) in enumerate(rows)
    ]
    plan = deal(items, seats, labels, seed)
    assert set(plan.assignments) == {item.id for item in items}
    assert all(len(set(given_to)) == labels for given_to in plan.assignments.values())
    counts = balance(items, plan.assignments, range(1, seats + 1))
    assert counts.per_seat.high - counts.per_seat.low <= 1
    assert counts.per_group.high - counts.per_group.low <= 1
    for seat, order in plan.order.items():
        assert sorted(order) == sorted(item for item, given_to in plan.assignments.items() if seat in given_to)


@pytest.mark.parametrize("seed", [1, 2, 20260817])
def test_the_published_design_is_dealt_exactly(seed):
    items = paper_items()
    plan = deal(items, seats=6, labels_per_item=3, seed=seed)
    counts = balance(items, plan.assignments, range(1, 7))
    assert set(counts.groups.values()) == {5}
    assert len(counts.groups) == 20
    assert set(counts.loads.values()) == {50}
    assert set(counts.pairs.values()) == {20}
    assert spreads(counts.conditions) == {"correct": 0, "explicit": 1, "implicit": 1}
    assert {row["correct"] for row in counts.conditions.values()} == {14}
    assert {row["explicit"] for row in counts.conditions.values()} == {17, 18}
    assert {row["implicit"] for row in counts.conditions.values()} == {18, 19}
    assert all(set(row.values()) == {5} for row in counts.models.values())
    assert not counts.collisions


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("count", "seats", "labels"), [(90, 6, 3), (70, 6, 3), (100, 12, 3), (60, 5, 2), (30, 4, 2)])
def test_pairs_conditions_and_models_are_spread_where_groups_do_not_divide(count, seats, labels, seed):
    items = items_of(count)
    counts = balance(items, deal(items, seats, labels, seed).assignments, range(1, seats + 1))
    assert counts.per_pair.high - counts.per_pair.low <= 1
    assert max(spreads(counts.conditions).values()) <= 1
    assert max(spreads(counts.models).values()) <= 2


@pytest.mark.parametrize("seed", range(4))
def test_nobody_gets_two_rollouts_of_one_unit_where_others_can_take_them(seed):
    items = paper_items(group=lambda number: f"unit {number % 80}")
    assert not balance(items, deal(items, 6, 3, seed).assignments, range(1, 7)).collisions


def test_where_a_unit_must_come_twice_it_is_shared_out_evenly():
    items = [Candidate(f"r{number}", "m", condition, "unit") for number, condition in enumerate(CONDITIONS[::20])]
    plan = deal(items, seats=5, labels_per_item=2, seed=1)
    assert {len(order) for order in plan.order.values()} == {2}


def test_the_order_of_the_input_does_not_matter():
    items = items_of(40, units=15)
    assert deal(items, 5, 2, 9) == deal(list(reversed(items)), 5, 2, 9)


def test_another_seed_gives_another_plan():
    items = items_of(40)
    assert deal(items, 5, 2, 1).assignments != deal(items, 5, 2, 2).assignments


def test_seats_meet_their_items_in_orders_of_their_own():
    orders = deal(items_of(30), seats=3, labels_per_item=3, seed=1).order
    assert len({orders[1], orders[2], orders[3]}) == 3


def test_rollouts_of_one_unit_are_far_apart_in_a_persons_order():
    items = [
        Candidate(f"r{number}", "m", "correct", f"unit {number}" if number > 5 else f"unit {number % 3}")
        for number in range(30)
    ]
    order = shuffled_apart(items, seeded(5, "order", 1))
    for unit in range(3):
        first, second = sorted(order.index(f"r{number}") for number in (unit, unit + 3))
        assert second - first > 12


@settings(deadline=None)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=40), st.integers())
def test_two_rollouts_of_a_pair_never_follow_each_other_while_something_else_can_stand_between(units, seed):
    sizes = Counter(units)
    pairs = {unit for unit, size in sizes.items() if size == 2}
    others = sum(size == 1 for size in sizes.values()) >= 2 or len(pairs) > 1
    unit_of = {f"r{number}": unit for number, unit in enumerate(units)}
    items = [Candidate(item, None, None, f"unit {unit}") for item, unit in unit_of.items()]
    order = shuffled_apart(items, seeded(seed, "order", 1))
    assert sorted(order) == sorted(unit_of)
    if others:
        assert not any(unit_of[one] == unit_of[next_one] and unit_of[one] in pairs for one, next_one in pairwise(order))


@pytest.mark.parametrize(
    ("seats", "labels", "sentence"),
    [
        (1, 1, "A study needs at least two annotators, not 1."),
        (6, 0, "Each rollout needs at least one label, not 0."),
        (3, 4, "4 labels a rollout need 4 annotators, but there are only 3: plan more annotators or fewer labels."),
    ],
)
def test_impossible_numbers_are_refused_in_words(seats, labels, sentence):
    with pytest.raises(DealRefused) as refused:
        deal(items_of(4), seats, labels, 1)
    assert str(refused.value) == sentence


def test_an_item_listed_twice_is_refused():
    with pytest.raises(ValueError, match="some id occurs twice"):
        deal([*items_of(3), items_of(1)[0]], 3, 2, 1)


def test_no_items_make_an_empty_plan():
    assert deal([], 3, 2, 1).order == {1: (), 2: (), 3: ()}


PROGRAM = """
import json
from annotation.core.assignment import deal
from annotation.core.sampling import Candidate, sample
from annotation.core.margins import Margins
pool = [Candidate(f"{unit}-{model}-{condition}", model, condition, f"u{unit}")
        for unit in range(12) for model in "ab" for condition in ("correct", "implicit")]
items = sample(set(pool), Margins({"correct": 7, "implicit": 7}, {"a": 7, "b": 7}), 20260817)
plan = deal(set(items), 4, 2, 20260817)
print(json.dumps([[item.id for item in items], sorted(plan.assignments.items()), sorted(plan.order.items())]))
"""


def run_program(hash_seed):
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, check=True, text=True
    ).stdout


def test_a_seed_gives_the_same_sample_and_plan_in_every_process():
    outputs = {run_program(hash_seed) for hash_seed in ("0", "1", "4242")}
    (output,) = outputs
    sampled, assignments, order = json.loads(output)
    assert sampled[:4] == ["0-a-correct", "1-a-implicit", "10-b-correct", "11-a-implicit"]
    assert assignments[:2] == [["0-a-correct", [2, 3]], ["1-a-implicit", [3, 4]]]
    assert order[0] == [
        1,
        ["4-a-correct", "2-b-correct", "7-b-implicit", "11-a-implicit", "3-b-correct", "6-b-implicit", "8-a-correct"],
    ]
    assert hashlib.sha256(output.encode()).hexdigest()[:16] == "c9156a3c7885894d"


def test_two_thousand_items_are_dealt_within_two_seconds():
    items = items_of(2_000, units=900)
    began = time.process_time()
    counts = balance(items, deal(items, 6, 3, 20260817).assignments, range(1, 7))
    assert time.process_time() - began < 2
    assert set(counts.loads.values()) == {1_000}
    assert max(spreads(counts.conditions).values()) <= 1


def test_five_hundred_annotators_can_be_dealt_to():
    items = items_of(1_000)
    counts = balance(items, deal(items, 500, 3, 20260817).assignments, range(1, 501))
    assert set(counts.loads.values()) == {6}
    assert set(counts.groups.values()) == {1}
    assert max(spreads(counts.conditions).values()) <= 2
