"""Arguments on one line: nothing a reader could take for something else."""

import pytest

from benchmark.core import text
from benchmark.report.arguments import PAIRS_SHOWN, VALUE_SHOWN, pairs, pretty


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("Rice cookers", "Rice cookers"),
        ("", '""'),
        (" padded ", '" padded "'),
        ("42", '"42"'),
        ("-3.5e7", '"-3.5e7"'),
        ("true", '"true"'),
        ("null", '"null"'),
        (42, "42"),
        (True, "true"),
        (None, "null"),
        ([1, {"a": "b"}], '[1,{"a":"b"}]'),
        ("one\ntwo", "one ⏎ two"),
        ("one\r\ntwo", "one ⏎ two"),
        ("\u202eevil", "⟨U+202E⟩evil"),
    ],
)
def test_a_text_that_reads_like_another_kind_of_value_is_quoted(value: object, shown: str) -> None:
    assert pairs({"key": value}) == (("key", shown),)


def test_numbers_stand_as_they_were_written() -> None:
    assert pairs(text.parse('{"amount": 321.10, "big": 1e5}')) == (("amount", "321.10"), ("big", "1e5"))


def test_arguments_that_are_no_object_have_no_key() -> None:
    assert pairs(["a"]) == (("", '["a"]'),)
    assert pairs(None) == ()


def test_a_long_line_is_cut_with_an_ellipsis() -> None:
    ((_, shown),) = pairs({"content": "x" * 100_000})
    assert shown == "x" * VALUE_SHOWN + "…"
    assert len(pairs({str(number): number for number in range(1_000)})) == PAIRS_SHOWN


def test_pretty_json_keeps_numbers_and_key_order_and_parses_back() -> None:
    source = '{"b":[1.50,{}],"a":{"中":"😀"}}'
    shown = pretty(text.parse(source))
    assert shown == '{\n  "b": [\n    1.50,\n    {}\n  ],\n  "a": {\n    "中": "😀"\n  }\n}'
    assert text.write(text.parse(shown)) == source


def test_json_nested_too_deeply_to_indent_still_shows() -> None:
    assert pretty(text.parse("[" * 600 + "]" * 600)).startswith("[[[")
