"""Groups of annotators are used evenly, whatever the numbers."""

from collections import Counter
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.core.groups import even_groups, listed_groups
from benchmark.core.seeds import seeded


def spread_of(counts):
    return max(counts) - min(counts)


def check(seats, size, count, seed=1):
    """Both promises: every group and every seat is used equally often or once more."""
    dealt = even_groups(seats, size, count, seeded(seed, "groups"))
    assert len(dealt) == count
    assert all(len(group) == size and group <= set(range(1, seats + 1)) for group in dealt)
    uses, loads = Counter(dealt), Counter(seat for group in dealt for seat in group)
    assert spread_of([uses[group] for group in listed_groups(seats, size)]) <= 1
    assert spread_of([loads[seat] for seat in range(1, seats + 1)]) <= 1


@pytest.mark.parametrize("seats", range(2, 13))
def test_groups_and_loads_are_even_for_every_number_of_labels(seats):
    for size in range(1, seats + 1):
        total = comb(seats, size)
        for count in {0, 1, 2, 7, 100, total // 3, total // 2, total - 1, total, total + 1, 2 * total + total // 2}:
            check(seats, size, count)


@settings(deadline=None)
@given(
    st.integers(2, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n))), st.integers(0, 600), st.integers()
)
def test_groups_and_loads_are_even_for_any_count_and_seed(numbers, count, seed):
    check(*numbers, count, seed)


def test_twenty_triples_of_six_are_dealt_five_times_each_to_a_hundred_items():
    dealt = even_groups(6, 3, 100, seeded(20260817, "groups"))
    assert set(Counter(dealt).values()) == {5}
    assert len(set(dealt)) == 20


@pytest.mark.parametrize(("seats", "size", "count"), [(40, 4, 3_000), (500, 3, 2_000), (200, 20, 500), (25, 5, 50_000)])
def test_where_groups_are_too_many_to_list_each_is_dealt_at_most_once_and_loads_are_even(seats, size, count):
    dealt = even_groups(seats, size, count, seeded(3, "groups"))
    assert comb(seats, size) > 10_000
    assert len(set(dealt)) == count
    loads = Counter(seat for group in dealt for seat in group)
    assert spread_of([loads[seat] for seat in range(1, seats + 1)]) <= 1


def test_more_items_than_groups_too_many_to_list_still_uses_groups_evenly():
    check(16, 6, comb(16, 6) + 5_000)
