"""From margins to a table: found where one exists, refused with the margin and the number where none does."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.core.margins import Margins, MarginsUnmet, meet_margins
from annotation.core.strata import Stratum

CONDITIONS, MODELS = ("correct", "explicit", "implicit"), ("a", "b")


def all_tables(held, margins):
    """Every table of the held rollouts that meets the margins, by trying all."""
    cells = [Stratum(model, condition) for model in MODELS for condition in CONDITIONS]
    for numbers in product(*(range(held.get(cell, 0) + 1) for cell in cells)):
        table = dict(zip(cells, numbers, strict=True))
        if all(sum(table[Stratum(m, c)] for m in MODELS) == margins.condition[c] for c in CONDITIONS) and all(
            sum(table[Stratum(m, c)] for c in CONDITIONS) == margins.model[m] for m in MODELS
        ):
            yield table


def unevenness(table, margins):
    total = margins.total
    return sum(
        (total * table.get(Stratum(model, condition), 0) - margins.condition[condition] * margins.model[model]) ** 2
        for model in MODELS
        for condition in CONDITIONS
    )


held_tables = st.fixed_dictionaries({Stratum(m, c): st.integers(0, 3) for m in MODELS for c in CONDITIONS})


@settings(deadline=None, max_examples=60)
@given(held_tables, st.tuples(*[st.integers(0, 4)] * 3), st.integers(0, 12), st.integers(0, 99))
def test_a_nearest_table_is_found_exactly_where_one_exists(held, wanted, first_model, seed):
    total = sum(wanted)
    first_model = min(first_model, total)
    margins = Margins(dict(zip(CONDITIONS, wanted, strict=True)), {"a": first_model, "b": total - first_model})
    tables = list(all_tables(held, margins))
    if not tables:
        with pytest.raises(MarginsUnmet):
            meet_margins(held, margins, seed)
        return
    found = {cell: number for cell, number in meet_margins(held, margins, seed).items() if number}
    assert found in [{cell: number for cell, number in table.items() if number} for table in tables]
    assert unevenness(found, margins) == min(unevenness(table, margins) for table in tables)


def test_the_published_margins_give_two_to_four_rollouts_a_cell():
    margins = Margins({"correct": 28, "explicit": 35, "implicit": 37}, {f"m{number}": 10 for number in range(10)})
    held = {Stratum(model, condition): 104 for model in margins.model for condition in margins.condition}
    table = meet_margins(held, margins, 20260817)
    for condition, cells in {"correct": {2, 3}, "explicit": {3, 4}, "implicit": {3, 4}}.items():
        numbers = [table[Stratum(model, condition)] for model in margins.model]
        assert sum(numbers) == margins.condition[condition]
        assert set(numbers) == cells
    assert all(sum(table[Stratum(model, c)] for c in margins.condition) == 10 for model in margins.model)


def test_each_margin_that_cannot_be_met_is_named_with_what_is_missing():
    held = {Stratum("a", "correct"): 9, Stratum("b", "correct"): 2, Stratum("a", "implicit"): 1}
    margins = Margins({"correct": 6, "implicit": 4}, {"a": 5, "b": 5})
    with pytest.raises(MarginsUnmet) as unmet:
        meet_margins(held, margins, 1)
    # implicit: one of a, none of b; b: its two correct ones; correct: five of a and two of b would do
    assert unmet.value.problems == (
        "Of condition implicit 4 are wanted, but 1 eligible rollout can be had within the wanted numbers per model: 3 too few.",
        "Of model b 5 are wanted, but 2 eligible rollouts can be had within the wanted numbers per condition: 3 too few.",
    )


def test_margins_that_fail_only_together_are_named_together():
    # correct and explicit exist for model a alone, which wants five; each by itself would fit
    held = {
        Stratum("a", "correct"): 9,
        Stratum("a", "explicit"): 9,
        Stratum("b", "implicit"): 9,
        Stratum("c", "implicit"): 9,
    }
    margins = Margins({"correct": 3, "explicit": 3, "implicit": 4}, {"a": 5, "b": 3, "c": 2})
    with pytest.raises(MarginsUnmet) as unmet:
        meet_margins(held, margins, 1)
    assert unmet.value.problems == (
        "Of the conditions correct and explicit 6 rollouts are wanted in all, but only 5 can be had: the wanted numbers "
        "of the models a leave no room for more, and the other models hold too few. 1 too few.",
    )


def test_sides_that_add_up_to_different_numbers_are_refused():
    with pytest.raises(MarginsUnmet, match="The conditions add up to 3 and the models to 4"):
        meet_margins({}, Margins({"correct": 3}, {"a": 4}), 1)


def test_a_large_table_with_a_scarce_cell_is_met():
    margins = Margins(
        {"correct": 6_000, "explicit": 7_000, "implicit": 7_000}, {f"m{number}": 1_000 for number in range(20)}
    )
    held = {Stratum(model, condition): 5_000 for model in margins.model for condition in margins.condition}
    held[Stratum("m3", "correct")] = 20
    table = meet_margins(held, margins, 1)
    assert table[Stratum("m3", "correct")] == 20
    assert all(sum(table[Stratum(model, c)] for c in margins.condition) == 1_000 for model in margins.model)
    assert all(
        sum(table[Stratum(m, condition)] for m in margins.model) == n for condition, n in margins.condition.items()
    )
