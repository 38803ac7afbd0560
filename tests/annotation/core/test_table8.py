"""The printed figures of table 8 determine its counts, and the rebuilt study has exactly these."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from annotation.actions.rebuilt import PRINTED, ROLLOUTS
from annotation.core.table8 import (
    NotDetermined,
    Printed,
    counts_behind,
    read_printed,
    rebuilt_items,
    rebuilt_labels,
    records,
)
from benchmark.core.formats.rite import write_line
from benchmark.core.taxonomy import ResultLabel


@pytest.fixture(scope="module")
def printed() -> Printed:
    return read_printed(PRINTED.read_text(encoding="utf-8"))


def test_the_printed_figures_allow_the_published_counts_and_no_others(printed: Printed) -> None:
    counts = counts_behind(printed)
    assert counts.confusion._asdict() == {"tp": 67, "fp": 2, "fn": 22, "tn": 9}
    assert counts.votes == (73, 16, 4, 7)
    assert counts.agreeing == 252


def test_figures_that_leave_a_choice_are_refused(printed: Printed) -> None:
    loose = replace(printed, figures={**printed.figures, "recall": printed.figures["raw_agreement"]})
    with pytest.raises(NotDetermined, match="met by 0 tables"):
        counts_behind(loose)
    only_people = {name: printed.figures[name] for name in ("raw_agreement", "fleiss_kappa", "unanimous")}
    with pytest.raises(NotDetermined, match=r"met by [0-9]{2,} tables"):
        counts_behind(replace(printed, figures=only_people))


def test_items_keep_both_margins_and_every_count(printed: Printed) -> None:
    items = rebuilt_items(printed)
    assert Counter(item.condition for item in items) == {"correct": 28, "explicit": 35, "implicit": 37}
    assert set(Counter(item.model for item in items).values()) == {10}
    assert len({item.model for item in items}) == 10
    assert Counter(item.positive for item in items) == {3: 73, 2: 16, 1: 4, 0: 7}
    assert Counter((item.positive > 1, item.automatic) for item in items) == {
        (True, True): 67, (True, False): 22, (False, True): 2, (False, False): 9,
    }  # fmt: skip


def test_labels_give_each_item_its_votes_and_252_reviews_that_agree(printed: Printed) -> None:
    items = rebuilt_items(printed)
    seats = {item.record_id: [1, 3, 6] for item in items}
    labels = rebuilt_labels(items, seats, agreeing=252)
    votes = Counter(label.record_id for label in labels if label.result)
    assert len({(label.record_id, label.seat) for label in labels}) == 300
    assert all(votes[item.record_id] == item.positive for item in items)
    assert sum(label.agrees for label in labels) == 252
    automatic = {item.record_id: item.automatic for item in items}
    assert all(label.agrees for label in labels if label.result == automatic[label.record_id])


def test_the_same_seed_draws_the_same_study_and_another_one_another(printed: Printed) -> None:
    assert rebuilt_items(printed, 1) == rebuilt_items(printed, 1)
    assert rebuilt_items(printed, 1) != rebuilt_items(printed, 2)


def test_the_file_of_rollouts_is_what_its_command_writes(printed: Printed) -> None:
    assert ROLLOUTS.read_text(encoding="utf-8") == "".join(map(write_line, records(printed)))


def test_a_record_holds_no_step_and_says_that_its_label_is_drawn(printed: Printed) -> None:
    for record, item in zip(records(printed), rebuilt_items(printed), strict=True):
        assert not record.prefix
        assert not record.steps
        assert record.task
        assert record.task.query.startswith(f"Not published. This stands for rollout {item.number} of the 100")
        assert record.labels
        (judged,) = record.labels.results
        assert judged.label is (ResultLabel.SOLVED if item.automatic else ResultLabel.UNSOLVED)
        assert judged.rationale.startswith("Not published.")


def test_every_way_to_split_the_items_is_tried_once() -> None:
    from annotation.core.table8 import _tables

    by_hand = {split for split in product(range(6), repeat=3) if sum(split) == 5}
    tried = [tuple(int(count) for count in row) for row in _tables(5, parts=3)]
    assert len(tried) == len(by_hand)
    assert set(tried) == by_hand
