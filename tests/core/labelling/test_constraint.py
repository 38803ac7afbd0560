"""The constraint grammar: every operation, its words, and what is refused."""

from typing import Any

import pytest

from benchmark.core.labelling.constraint import OPS, BadConstraint, clauses, holds, in_words, keys_of
from benchmark.core.trajectory import ABSENT


def met(op: str, value: Any, asserted: Any, *, part: str = "required", **more: Any) -> bool:
    item = {"key": "k", "op": op, "value": value, **more}
    return holds(clauses({part: [item]})[0], asserted)


@pytest.mark.parametrize(
    ("op", "value", "more", "right", "wrong"),
    [
        ("eq", "Finance", {"norm": "text"}, " finance", "Finances"),
        ("eq", True, {"norm": "bool"}, "yes", "no"),
        ("eq", 1787920006, {"norm": "ts"}, 1787920006, 1787920007),
        ("eq", 1788192000, {"norm": "ts"}, "2026-09-01T00:00:00+08:00", "2026-09-01T00:00:00Z"),
        ("eq", ["a", "b"], {"norm": "text"}, ["A", "b"], ["b", "a"]),
        ("ne", "Pet", {"norm": "text"}, "Finance", "pet"),
        ("in", ["fix", "reject"], {"norm": "text"}, "Reject", "accept"),
        ("not_in", ["fix", "reject"], {"norm": "text"}, "accept", "fix"),
        ("set_eq", ["a", "b"], {"norm": "text"}, ["b", "a", "A"], ["a", "b", "c"]),
        ("set_eq", ["a", "b"], {"norm": "text"}, "b, a", "a"),
        ("superset", ["a", "b"], {"norm": "text"}, ["c", "b", "a"], ["a", "c"]),
        ("subset", ["a", "b"], {"norm": "text"}, ["b"], []),
        ("subset", ["a", "b"], {"norm": "text"}, ["a", "b"], ["a", "c"]),
        ("overlap_ge", ["a", "b", "c"], {"norm": "text", "n": 2}, ["a", "c", "x"], ["a", "a", "x"]),
        ("jaccard_ge", ["a", "b"], {"norm": "text", "t": 0.5}, ["a"], ["a", "c", "d"]),
        ("range", [300, 500], {"norm": "money"}, "¥479.00", 500.5),
        ("range", ABSENT, {"lo": 2, "hi": 3}, 2, 3.001),
        ("approx", 312.4, {"norm": "money"}, "312.404", "312.41"),
        ("approx", 4.6, {"norm": "ratio", "abs": 0.05}, 4.65, 4.66),
        ("approx", 0.094, {"norm": "percent"}, "9.4%", "9.5 %"),
        ("approx", 64, {"norm": "duration"}, "1 min 4 s", "65 s"),
        ("prefix_order", ["a", "b"], {"norm": "text"}, ["A", "B", "c"], ["b", "a"]),
        ("regex", r"^cm_\d{7}$", {}, "cm_0004821", "cm_482"),
    ],
)
def test_each_operation_tells_right_from_wrong(
    op: str, value: Any, more: dict[str, Any], right: Any, wrong: Any
) -> None:
    assert met(op, value, right, **more)
    assert not met(op, value, wrong, **more)


@pytest.mark.parametrize("op", sorted(OPS - {"absent"}))
def test_a_key_that_is_not_given_meets_nothing(op: str) -> None:
    value = {"range": [1, 2], "regex": "a", "approx": 1, "eq": 1, "ne": 1}.get(op, ["a"])
    assert not met(op, value, ABSENT, n=0, t=0)


@pytest.mark.parametrize("empty", [ABSENT, None, "", [], {}])
def test_only_nothing_is_absent(empty: Any) -> None:
    assert met("absent", ABSENT, empty)
    assert not met("absent", ABSENT, "x")


@pytest.mark.parametrize(
    ("op", "value", "asserted"),
    [
        ("in", ["Pet"], ["Finance", "Pet"]),
        ("eq", "Pet", ["Finance", "pet"]),
        ("contains_any", ["cat litter"], ["index funds", "Cat litter"]),
        ("contains_any", ["cat litter"], "index funds and cat litter"),
    ],
)
def test_a_forbidden_value_that_is_listed_among_others_is_asserted(op: str, value: Any, asserted: Any) -> None:
    assert met(op, value, asserted, part="forbidden", norm="text")
    assert not met(op, value, ["index funds"], part="forbidden", norm="text")


def test_null_is_equal_to_null_alone() -> None:
    assert met("eq", None, None)
    assert not met("eq", None, "x", norm="text")
    assert not met("eq", "x", None, norm="text")


def test_a_constraint_reads_as_plain_sentences() -> None:
    assert in_words(
        {
            "required": [
                {"key": "domain1", "op": "eq", "value": "Finance", "norm": "category"},
                {"key": "keywords", "op": "overlap_ge", "value": ["a", "b"], "n": 2, "norm": "text"},
                {"key": "total", "op": "approx", "value": 312.4, "norm": "money"},
                {"key": "price", "op": "range", "value": [300, 500], "norm": "money"},
            ],
            "forbidden": [{"key": "domain1", "op": "in", "value": ["Pet"], "norm": "category"}],
            "evidence": [{"tool": "GetCart", "pointer": "/data/total", "op": "eq", "value": 312.4}],
        }
    ) == [
        "The answer's domain1 must equal “Finance”, by id, name or path.",
        "The answer's keywords must list at least 2 of “a”, “b”.",
        "The answer's total must be within 0.005 of 312.4, as an amount of money.",
        "The answer's price must lie between 300 and 500, as an amount of money.",
        "The answer's domain1 must not be “Pet”, by id, name or path.",
        "The evidence of GetCart at /data/total must equal 312.4.",
    ]


@pytest.mark.parametrize("op", sorted(OPS))
def test_every_operation_has_words(op: str) -> None:
    value = {"range": [1, 2], "regex": "a", "approx": 1}.get(op, ["a"])
    assert in_words({"required": [{"key": "k", "op": op, "value": value, "n": 1, "t": 0.5}]})[0].startswith(
        "The answer's k must "
    )


@pytest.mark.parametrize(
    ("part", "item", "said"),
    [
        ("required", {"key": "k", "op": "equals", "value": 1}, "'equals' is not an operation"),
        ("required", {"key": "k", "op": "eq", "value": 1, "norm": "euro"}, "'euro' is not a norm"),
        ("required", {"op": "eq", "value": 1}, "names no key"),
        ("required", {"key": "k", "op": "eq"}, "has no value"),
        ("required", {"key": "k", "op": "in", "value": "a"}, "needs a list"),
        ("required", {"key": "k", "op": "overlap_ge", "value": ["a"]}, "whole number n"),
        ("required", {"key": "k", "op": "jaccard_ge", "value": ["a"], "t": "half"}, "number t"),
        ("required", {"key": "k", "op": "range", "value": [1]}, "lo and hi"),
        ("required", {"key": "k", "op": "regex", "value": "(a+)+$"}, "repeats a repetition"),
        ("required", {"key": "k", "op": "regex", "value": "("}, "broken"),
        ("evidence", {"op": "eq", "value": 1, "tool": "GetCart"}, "no pointer"),
        ("required", "domain1 = Finance", "not an object"),
    ],
)
def test_a_clause_that_cannot_be_judged_is_refused_with_its_place(part: str, item: Any, said: str) -> None:
    with pytest.raises(BadConstraint, match=f"{part} clause 1") as refused:
        clauses({part: [item]})
    assert said in str(refused.value)


def test_the_keys_are_the_declared_ones_and_then_those_that_only_clauses_name() -> None:
    constraint = {"answer_keys": {"b": "id"}, "required": [{"key": "a", "op": "absent"}, {"key": "b", "op": "absent"}]}
    assert keys_of(constraint) == ["b", "a"]
