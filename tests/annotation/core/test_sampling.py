"""Which rollouts are drawn: the wanted numbers, uniformly, units apart."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.core.margins import Margins
from annotation.core.sampling import Candidate, SampleShort, available, sample
from annotation.core.strata import Stratum

PAPER = Margins({"correct": 28, "explicit": 35, "implicit": 37}, {f"m{number}": 10 for number in range(10)})


def release(units, models="ab", conditions=("correct", "implicit")):
    """Every unit under every condition by every model."""
    return [
        Candidate(f"{unit}-{model}-{condition}", model, condition, f"u{unit}")
        for unit in range(units)
        for model in models
        for condition in conditions
    ]


def test_the_published_margins_are_drawn_with_a_hundred_different_units():
    drawn = sample(release(104, PAPER.model, PAPER.condition), PAPER, 20260817)
    assert Counter(item.condition for item in drawn) == PAPER.condition
    assert Counter(item.model for item in drawn) == PAPER.model
    assert len({item.group for item in drawn}) == 100


def test_cells_are_drawn_as_asked():
    cells = {Stratum("a", "correct"): 3, Stratum("b", "implicit"): 2}
    assert available(sample(release(9), cells, 1)) == cells


def test_what_has_no_model_or_condition_is_drawn_from_the_stratum_none():
    pool = [Candidate("1", None, "correct"), Candidate("2", "", None), Candidate("3", "a", "correct")]
    assert [item.id for item in sample(pool, {Stratum("none", "none"): 1, Stratum("none", "correct"): 1}, 1)] == [
        "1",
        "2",
    ]


def test_margins_may_leave_the_model_free():
    drawn = sample(release(20), Margins(condition={"correct": 5, "implicit": 7}), 1)
    assert Counter(item.condition for item in drawn) == {"correct": 5, "implicit": 7}
    assert len({item.model for item in drawn}) == 2


def test_every_stratum_that_is_short_is_named_with_what_it_has():
    cells = {Stratum("a", "correct"): 3, Stratum("b", "correct"): 2, Stratum("c", "implicit"): 1}
    with pytest.raises(SampleShort) as short:
        sample(release(1) + [Candidate("x", "b", "correct")], cells, 1)
    assert short.value.problems == (
        "Model a × condition correct: 3 wanted, 1 eligible rollout.",
        "Model c × condition implicit: 1 wanted, no eligible rollouts.",
    )


def test_a_candidate_listed_twice_is_refused():
    with pytest.raises(ValueError, match="some id occurs twice"):
        sample(release(2) * 2, {Stratum("a", "correct"): 1}, 1)


def test_each_candidate_of_a_stratum_is_as_likely_as_any_other():
    pool = [Candidate(f"r{number}", "a", "correct", f"u{number}") for number in range(6)]
    draws = Counter(item.id for seed in range(3_000) for item in sample(pool, {Stratum("a", "correct"): 2}, seed))
    # expected 1000, standard deviation √(3000·⅓·⅔) ≈ 26
    assert all(880 < draws[item.id] < 1120 for item in pool)


def test_each_pair_of_candidates_is_as_likely_as_any_other():
    pool = [Candidate(f"r{number}", "a", "correct") for number in range(4)]
    draws = Counter(sample(pool, {Stratum("a", "correct"): 2}, seed) for seed in range(3_000))
    assert len(draws) == 6
    assert all(400 < count < 600 for count in draws.values())


def test_a_unit_is_taken_twice_only_when_its_stratum_leaves_no_other():
    repeats = [Candidate(f"r{unit}-{epoch}", "a", "correct", f"u{unit}") for unit in range(5) for epoch in range(4)]
    for seed in range(20):
        drawn = sample(repeats, {Stratum("a", "correct"): 7}, seed)
        assert sorted(Counter(item.group for item in drawn).values()) == [1, 1, 1, 2, 2]


wishes = st.dictionaries(
    st.builds(Stratum, st.sampled_from("ab"), st.sampled_from(["correct", "implicit"])), st.integers(0, 6), min_size=1
)


@settings(deadline=None)
@given(wishes, st.integers(), st.randoms(use_true_random=False))
def test_a_draw_has_the_wanted_numbers_no_repeats_and_forgets_the_input_order(cells, seed, shuffle):
    pool = release(6)
    drawn = sample(pool, cells, seed)
    assert available(drawn) == Counter({stratum: count for stratum, count in cells.items() if count})
    assert len(set(drawn)) == len(drawn)
    assert drawn == sample(shuffle.sample(pool, len(pool)), cells, seed)
