"""Long values opened piece by piece."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmark.core import text
from benchmark.report.observation import CHILDREN, CHUNK, OPENED, Node, chunk, find, is_table, look, node, table

ROWS = [{"id": number, "name": f"n{number}"} for number in range(130)]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=30,
)


def count(place: Node) -> int:
    return 1 + sum(count(child) for child in place.children or ())


def test_a_small_value_is_a_tree_that_is_open_to_the_leaves() -> None:
    tree = node({"a": {"b": [1, "two"]}, "c": None})
    assert [(child.key, child.kind, child.value) for child in tree.children or ()] == [
        ("a", "object", ""),
        ("c", "number", "null"),
    ]
    inner = (tree.children or ())[0].children
    assert inner
    assert [leaf.value for leaf in inner[0].children or ()] == ["1", "two"]


def test_a_huge_value_opens_a_bounded_number_of_places() -> None:
    huge = {str(key): {str(inner): list(range(50)) for inner in range(50)} for key in range(50)}
    assert count(node(huge)) <= OPENED + CHILDREN + 1
    assert count(node(list(range(1_000_000)))) == CHILDREN + 1


def test_deep_nesting_is_opened_step_by_step() -> None:
    deep: Any = "end"
    for _ in range(500):
        deep = {"k": deep}
    place, depth = node(deep), 0
    while place.children:
        place, depth = place.children[0], depth + 1
    assert place.children is None
    assert depth < 20
    assert node(deep["k"]["k"], "/k/k").pointer == "/k/k"


@given(JSON)
def test_every_place_of_a_tree_is_found_again_by_its_pointer(value: Any) -> None:
    seen = look(json.dumps(value), {"view": "tree"})
    places = [seen.node] if seen and seen.node else []
    while places:
        place = places.pop()
        again = look(json.dumps(value), {"view": "text", "at": place.pointer})
        assert again is not None
        if place.kind in ("text", "number") and not place.left:
            assert again.chunk is not None
            assert again.chunk.words == place.value
        places.extend(place.children or ())


def test_children_beyond_a_hundred_follow_from_where_they_ended() -> None:
    first = node(list(range(250)))
    rest = node(list(range(250)), "", first.upto)
    assert (first.upto, first.more) == (100, 150)
    assert [child.value for child in rest.children or ()][:2] == ["100", "101"]


def test_a_list_of_flat_objects_is_a_table() -> None:
    assert is_table(ROWS)
    assert not is_table(ROWS[:1])
    assert not is_table([{"a": 1}, {"a": {"b": 2}}])
    assert not is_table([1, 2])
    seen = look(json.dumps(ROWS), {})
    assert seen is not None
    assert (seen.view, seen.views) == ("table", ("tree", "table", "text"))


def test_a_table_pages_on_and_shows_a_missing_cell_as_nothing_and_null_as_null() -> None:
    shown = table([{"a": 1, "b": None}, {"b": "x"}, *ROWS])
    assert shown is not None
    assert shown.columns == ("a", "b", "id", "name")
    assert shown.rows[0] == (0, ("1", "null", "", ""))
    assert shown.rows[1] == (1, ("", "x", "", ""))
    assert (shown.upto, shown.total) == (50, 132)
    following = table(ROWS, "", 100)
    assert following is not None
    assert [number for number, _ in following.rows] == list(range(100, 130))


def test_a_row_that_is_no_object_far_down_a_table_still_shows() -> None:
    shown = table([*ROWS, "stray"], "", 130)
    assert shown is not None
    assert shown.rows == ((130, ("stray", "")),)


def test_a_table_inside_an_envelope_is_offered() -> None:
    source = json.dumps({"status": "ok", "data": {"rows": ROWS}})
    seen = look(source, {"view": "table"})
    assert seen is not None
    assert seen.table is not None
    assert seen.table.pointer == "/data/rows"


def test_json_inside_a_string_is_a_tree_and_its_text_stays_what_the_agent_saw() -> None:
    said = '{"user": "noah",  "n": 1.50}'
    seen = look(json.dumps(said), {})
    assert seen is not None
    assert seen.view == "tree"
    plain = look(json.dumps(said), {"view": "text"})
    assert plain is not None
    assert plain.chunk is not None
    assert plain.chunk.words == said


def test_a_text_comes_in_chunks_that_join_without_a_gap() -> None:
    plain = "0123456789" * 4_321
    words, at = "", 0
    while at < len(plain):
        part = chunk(plain, at)
        words, at = words + part.words, part.upto
        assert len(part.words) <= CHUNK
    assert words == plain


def test_finding_counts_every_place_and_shows_the_first_fifty() -> None:
    found = find("Ab " * 200, "aB")
    assert (found.count, len(found.matches)) == (200, 50)
    assert (found.matches[1].start, found.matches[1].found, found.matches[1].before) == (3, "Ab", "Ab ")
    assert find("a+b", "a+b").count == 1
    assert find("中文中文", "文中").count == 1


def test_a_pointer_to_nothing_is_nothing() -> None:
    assert look('{"a":1}', {"view": "tree", "at": "/b"}) is None
    assert look(text.write("x"), {"at": "/0"}) is None


def test_an_address_with_nonsense_in_it_shows_the_beginning() -> None:
    seen = look(json.dumps(ROWS), {"view": "table", "from": "-5"})
    assert seen is not None
    assert seen.table is not None
    assert seen.table.rows[0][0] == 0
