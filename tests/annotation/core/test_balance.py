"""What the designer is told about a plan, worked by hand on five items."""

from annotation.core.balance import balance, design_matrix, pair_counts
from annotation.core.sampling import Candidate

ITEMS = [
    Candidate("a", "gpt", "correct", "u1"),
    Candidate("b", "gpt", "implicit", "u1"),
    Candidate("c", None, "correct", "u2"),
    Candidate("d", "gpt", "correct", ""),
    Candidate("e", "gpt", "correct", ""),
]
ASSIGNMENTS = {"a": (1, 2), "b": (2, 3), "c": (1, 2), "d": (1, 3), "e": (2, 1)}


def test_counts_by_group_seat_pair_and_stratum():
    counts = balance(ITEMS, ASSIGNMENTS, [1, 2, 3])
    assert counts.loads == {1: 4, 2: 4, 3: 2}
    assert counts.groups == {(1, 2): 3, (1, 3): 1, (2, 3): 1}
    assert counts.per_group == (1, 3)
    assert counts.pairs == {(1, 2): 3, (1, 3): 1, (2, 3): 1}
    assert counts.conditions[2] == {"correct": 3, "implicit": 1}
    assert counts.models[1] == {"gpt": 3, "none": 1}
    assert counts.collisions == ((2, "u1", ("a", "b")),)


def test_a_group_without_items_counts_as_none():
    assert balance(ITEMS, ASSIGNMENTS, [1, 2, 3, 4]).per_group == (0, 3)


def test_after_a_seat_left_its_labels_are_not_counted():
    counts = balance(ITEMS, ASSIGNMENTS, [1, 2])
    assert counts.loads == {1: 4, 2: 4}
    assert pair_counts(ASSIGNMENTS, [1, 2]) == {(1, 2): 3}


def test_the_design_matrix_has_a_row_an_item_and_a_column_a_seat():
    assert design_matrix(ASSIGNMENTS, [3, 1, 2]) == [
        ("a", (1, 1, 0)),
        ("b", (0, 1, 1)),
        ("c", (1, 1, 0)),
        ("d", (1, 0, 1)),
        ("e", (1, 1, 0)),
    ]


def test_the_balance_is_said_in_words():
    assert balance(ITEMS, ASSIGNMENTS, [1, 2, 3]).in_words() == (
        "Each annotator labels 2 to 4 rollouts.",
        "Every group of annotators labels 1 to 3 rollouts together.",
        "Every two annotators share 1 to 3 rollouts.",
        "Each annotator sees condition correct 1 to 4 times.",
        "Each annotator sees condition implicit 0 to 1 times.",
        "Each annotator sees model gpt 2 to 3 times.",
        "Each annotator sees model none 0 to 1 times.",
        "1 times an annotator has several rollouts of one unit.",
    )


def test_an_empty_plan_has_a_balance():
    assert balance([], {}, [1, 2]).per_seat == (0, 0)
