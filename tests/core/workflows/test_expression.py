"""Expressions in workflow files."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.core.workflows.expression import (
    BadExpression,
    Call,
    Each,
    First,
    Items,
    Literal,
    Operation,
    Reference,
    functions,
    read_expression,
    read_value,
    references,
)

A, B, C = Reference("a"), Reference("b"), Reference("c")
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
PARTS = st.lists(
    st.one_of(NAMES, st.integers(0, 999), st.just(Each.EACH), st.builds(First, st.integers(0, 999))), max_size=5
)


@given(st.builds(Reference, NAMES, PARTS.map(tuple), st.booleans()))
def test_a_reference_is_read_as_it_is_written(reference: Reference) -> None:
    assert read_expression(str(reference)) == reference


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("$a - $b * 2", Operation("-", (A, Operation("*", (B, Literal(2)))))),
        ("($a - $b) * 2", Operation("*", (Operation("-", (A, B)), Literal(2)))),
        ("$a - $b - $c", Operation("-", (Operation("-", (A, B)), C))),
        ("$a or $b and not $c", Operation("or", (A, Operation("and", (B, Operation("not", (C,))))))),
        ("$a.n + 1 <= 0.5", Operation("<=", (Operation("+", (Reference("a", ("n",)), Literal(1))), Literal(0.5)))),
        ("$a.x? else $b", Operation("else", (Reference("a", ("x",), optional=True), B))),
        ('$a = "Finance"', Operation("=", (A, Literal("Finance")))),
        ("$a != []", Operation("!=", (A, Items(())))),
        ("count($a) < 3", Operation("<", (Call("count", (A,)), Literal(3)))),
        ("LineOf($a, null).id", Call("LineOf", (A, Literal(None)), ("id",))),
    ],
)
def test_an_expression_binds_as_in_school(source: str, value: object) -> None:
    assert read_expression(source) == value


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "Finish it"),
        ("$a <", "Finish it"),
        ("$a $b", "operator or a comma"),
        ("$a < $b < $c", "operator or a comma"),
        ("($a", "Close the bracket"),
        ("count($a", "Close the bracket"),
        ("$a ; $b", "Take out “; $b”"),
        ("and", "a value is needed"),
        ("(" * 60 + "$a" + ")" * 60, "at most 20 brackets"),
    ],
)
def test_what_is_no_expression_is_told_what_to_mend(source: str, said: str) -> None:
    with pytest.raises(BadExpression, match=re.escape(said)):
        read_expression(source)


@given(st.text(alphabet="$ab.[]()<=>+-*/?:,0123456789\"' notreladin", max_size=60))
def test_any_text_is_read_or_refused_and_never_breaks_the_reader(source: str) -> None:
    with suppress(BadExpression):
        read_expression(source)


def test_text_is_text_unless_it_begins_as_an_expression() -> None:
    assert read_value("no $a here") == Literal("no $a here")
    assert read_value("$$5") == Literal("$5")
    assert read_value("= count($a)") == Call("count", (A,))


def test_references_and_functions_are_found_wherever_they_stand() -> None:
    value = read_value({"x": ["$a", {"y": "= Pick($b, max($c, 1))"}]})
    assert list(references(value)) == [A, B, C]
    assert list(functions(value)) == ["Pick", "max"]
