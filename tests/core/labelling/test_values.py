"""Typed equality at a slot, quantities, pointers, canonical arguments and tool names."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.core.labelling import quantities
from benchmark.core.labelling.calls import canonical_arguments
from benchmark.core.labelling.names import ToolNames
from benchmark.core.labelling.pointers import bundle, resolve, scalars
from benchmark.core.labelling.values import Names, equal, equal_bundle, same
from benchmark.core.text import Written, parse
from benchmark.core.trajectory import ABSENT, Tool

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_every_value_equals_itself(value: Any) -> None:
    assert equal(value, value)


@given(JSON, JSON)
def test_equality_has_no_direction(first: Any, second: Any) -> None:
    assert equal(first, second) == equal(second, first)


@pytest.mark.parametrize(
    ("observed", "recorded", "name", "is_equal"),
    [
        ("p_0412", "p_0412 ", "product_id", True),
        ("p_0412", "P_0412", "product_id", False),
        ("19122", "19122.0", "zip_id", False),
        (479, 479.004, "price_cny", True),
        (479, 479.006, "price_cny", False),
        (4.6, 4.600001, "avg_rating", True),
        (4.6, 4.7, "avg_rating", False),
        (1787916387, 1787916388, "start_sec", False),
        (Written("321.10"), 321.1, "total", True),
        (Decimal("0.5"), 0.5, "weight", True),
        (True, 1, "flag", False),
        (None, "", "level", False),
        ("C0301", ABSENT, "category_id", False),
        (["a", "b"], ["b", "a"], "terms", False),
    ],
)
def test_a_slots_value_is_compared_by_its_type(observed: Any, recorded: Any, name: str, is_equal: bool) -> None:
    assert equal(observed, recorded, name) is is_equal


def test_of_an_id_with_its_names_the_id_decides() -> None:
    pointers = ("/data/category_id", "/data/path")
    assert equal_bundle(["C0301", "财经/股票"], ["C0301", "Finance/Stocks"], pointers)
    assert not equal_bundle(["C0302", "Finance/Stocks"], ["C0301", "Finance/Stocks"], pointers)
    assert equal_bundle([ABSENT, "finance/stocks"], ["C0301", "Finance/Stocks"], pointers)


def test_any_other_bundle_must_agree_in_every_member() -> None:
    pointers = ("/data/start_sec", "/data/end_sec")
    assert equal_bundle([1, 2], [1, 2], pointers)
    assert not equal_bundle([1, 3], [1, 2], pointers)


def test_a_name_that_stands_for_two_ids_stands_for_none() -> None:
    names = Names(lambda: [{"product_id": "p_1", "title": "Kettle"}, {"product_id": "p_2", "title": "Kettle"}])
    assert not same("Kettle", "p_1", "entity", names=names) or not same("Kettle", "p_2", "entity", names=names)
    assert names.id_of("Kettle") is None


def test_an_id_inside_a_longer_name_is_the_id_where_it_is_the_only_one() -> None:
    assert same("p_0412 (Yunfeng Trail 3)", "p_0412", "entity")
    assert not same("p_0412 or p_0413", "p_0412", "entity")


@given(st.integers(min_value=0, max_value=10**9), st.sampled_from(["{}", "¥{}", "{} 元", " {}.00"]))
def test_a_written_amount_is_read_back(number: int, form: str) -> None:
    for digits in (str(number), f"{number:,}"):
        quantity = quantities.read(form.format(digits))
        assert quantity is not None
        assert quantity.number == number


@given(st.text(max_size=80))
def test_reading_a_quantity_never_fails(text: str) -> None:
    quantities.read(text)
    quantities.moment(text)


@pytest.mark.parametrize("text", ["1" * 59 + "x", "1 2", "12 apples", "9.4 % of it", "2024-W03", "", "p_0412"])
def test_a_text_that_says_more_than_a_quantity_is_none(text: str) -> None:
    assert quantities.read(text) is None


def test_pointers_follow_rfc_6901() -> None:
    document = parse('{"foo":["bar","baz"],"":0,"a/b":1,"m~n":8," ":7}')
    found = [
        resolve(document, pointer) for pointer in ("", "/foo/0", "/", "/a~1b", "/m~0n", "/ ", "/foo/2", "/foo/-", "/x")
    ]
    assert found == [document, "bar", 0, 1, 8, 7, ABSENT, ABSENT, ABSENT]


def test_a_bundle_is_named_by_last_tokens_or_where_they_repeat_by_whole_pointers() -> None:
    assert bundle({"id": 1, "name": "a"}, ("/x/id", "/x/name")) == [1, "a"]
    assert bundle({"/x/id": 1, "/y/id": 2}, ("/x/id", "/y/id")) == [1, 2]
    assert bundle({"id": 1}, ("/x/id",)) == [{"id": 1}]
    assert bundle(ABSENT, ("/x", "/y")) == [ABSENT, ABSENT]


def test_scalars_come_in_order_and_without_null() -> None:
    assert list(scalars({"a": [1, {"b": "x"}, None], "c": False})) == [1, "x", False]


@pytest.mark.parametrize(
    ("first", "second", "schema"),
    [
        ({"b": 1, "a": 2}, {"a": 2.0, "b": 1}, None),
        ({"limit": 20}, {}, {"properties": {"limit": {"type": "integer", "default": 20}}}),
        ({"n": "20"}, {"n": 20}, {"properties": {"n": {"type": "integer"}}}),
        ({"s": "e\u0301"}, {"s": "\u00e9"}, None),
        ({"ids": ["b", "a"]}, {"ids": ["a", "b"]}, {"properties": {"ids": {"type": "array", "x-set": True}}}),
        ({"q": 1, "trace": "x"}, {"q": 1, "trace": "y"}, {"x-ignore": ["trace"]}),
        (None, {}, None),
    ],
)
def test_equal_calls_have_equal_canonical_arguments(first: Any, second: Any, schema: Any) -> None:
    assert canonical_arguments(first, schema) == canonical_arguments(second, schema)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"n": "20"}, {"n": 20}),
        ({"ids": ["b", "a"]}, {"ids": ["a", "b"]}),
        ({"f": True}, {"f": 1}),
        ({"s": "A"}, {"s": "a"}),
    ],
)
def test_other_calls_do_not(first: Any, second: Any) -> None:
    assert canonical_arguments(first) != canonical_arguments(second)


def test_a_tool_is_one_tool_however_it_is_spelled() -> None:
    names = ToolNames([Tool(name="GetUserProfile", aliases=("fetch_profile",))])
    spellings = ["get_user_profile", "GetUserProfileV2", "wf03.GetUserProfile", "FETCH_PROFILE", "getUserProfile"]
    assert {names.canonical(spelling) for spelling in spellings} == {"GetUserProfile"}
    assert names.canonical("get_order") == names.canonical("GetOrder")
    assert names.canonical("GetOrderV2") != names.canonical("GetOrder")
    assert names.canonical(None) == ""
