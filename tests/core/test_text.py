"""JSON and Unicode as RITE keeps them."""

import copy
import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.core import text

ANY_TEXT = st.text(st.characters(codec=None), max_size=40)
NUMBER = st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?", fullmatch=True)
JSON = st.recursive(
    st.none() | st.booleans() | ANY_TEXT | NUMBER.map(text.parse),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON)
def test_a_value_written_and_read_again_is_written_the_same(value):
    source = text.write(value)
    again = text.parse(source)
    assert again == value
    assert text.write(again) == source


@settings(deadline=None)
@given(st.lists(NUMBER, min_size=1, max_size=5))
def test_numbers_come_out_as_they_were_written(numbers):
    source = "[" + ",".join(numbers) + "]"
    assert text.write(text.parse(source)) == source
    assert text.canonical(text.parse(source)) == source


@settings(deadline=None)
@given(JSON)
def test_every_database_and_file_can_hold_what_was_written(value):
    source = text.write(value)
    source.encode("utf-8")
    assert not any(ord(character) < 32 for character in source)


@settings(deadline=None)
@given(st.dictionaries(ANY_TEXT, NUMBER.map(text.parse), max_size=5))
def test_key_order_does_not_change_a_records_identity(record):
    backwards = dict(reversed(record.items()))
    assert text.sha256(record) == text.sha256(backwards)


def test_a_price_with_a_trailing_zero_is_another_record_but_an_equal_value():
    assert text.parse("321.10") == text.parse("321.1")
    assert text.sha256(text.parse("321.10")) != text.sha256(text.parse("321.1"))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ('{"a":1,"a":2}', "the key 'a' stands twice"),
        ("[NaN]", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        (b'"\xff"', "not UTF-8 text (byte 1)"),
        ("", "Expecting value (line 1, column 1)"),
        ('{"a":1}{', "Extra data (line 1, column 8)"),
        ("[1e99999999999999999999]", "out of any range"),
    ],
)
def test_json_that_cannot_be_kept_is_refused_in_words(source, reason):
    with pytest.raises(text.BadJson, match=reason.replace("(", r"\(").replace(")", r"\)")):
        text.parse(source)


def test_a_number_beyond_every_float_is_kept_as_text_and_still_compares():
    huge = text.parse("1e400")
    assert text.write(huge) == "1e400"
    assert huge != 1
    assert huge == text.parse("1" + "0" * 400)


def test_a_number_of_many_digits_is_kept_whole():
    digits = "9" * 20_000
    assert text.write(text.parse(digits)) == digits


def test_a_written_number_survives_copying_and_pickling():
    number = text.parse("1.50")
    for twin in (copy.copy(number), copy.deepcopy(number), pickle.loads(pickle.dumps(number))):
        assert text.write(twin) == "1.50"


def test_a_value_that_is_no_json_is_a_mistake_and_not_written():
    with pytest.raises(TypeError, match="set is not a JSON value"):
        text.write({"a": {1}})


def test_control_characters_and_lone_surrogates_come_out_escaped_and_everything_else_as_it_is():
    value = text.parse(r'"NUL \u0000, half \ud83d, whole \ud83d\ude00, 中文, \u202e"')
    assert text.write(value) == r'"NUL \u0000, half \ud83d, whole 😀, 中文, ' + '\u202e"'


def test_a_value_is_found_in_the_middle_of_a_longer_text():
    longer = '[{"a": 1.50}, {"b": 2}]'
    value, end = text.parse_at(longer, 1)
    assert (text.write(value), longer[end:]) == ('{"a":1.50}', ', {"b": 2}]')
    with pytest.raises(text.BadJson, match="character 12"):
        text.parse_at(longer, 12)


def test_an_observation_is_shown_as_the_agent_saw_it():
    assert text.plain("Error: user not found") == "Error: user not found"
    assert text.plain(text.parse("54.10")) == "54.10"
    assert text.plain({"名": "值"}) == '{"名":"值"}'


@pytest.mark.parametrize(
    ("hidden", "visible"),
    [
        ("a\x00b", "a␀b"),
        ("pay\u202egpj", "pay⟨U+202E⟩gpj"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("a\rb", "a␍b"),
        ("\ud800", "⟨U+D800⟩"),
        ("line\r\nline\tend", "line\r\nline\tend"),
        ("👩\u200d👩\u200d👧 نمی\u200cشود ❤\ufe0f", "👩\u200d👩\u200d👧 نمی\u200cشود ❤\ufe0f"),
    ],
)
def test_what_a_reader_cannot_see_is_made_visible_and_scripts_stay_whole(hidden, visible):
    assert text.shown(hidden) == visible


@pytest.mark.parametrize(
    ("one", "other"),
    [("ＡＢＣ１２３", "abc123"), ("Straße", "STRASSE"), ("a \n b", "a b"), ("❤\ufe0f", "❤"), ("e\u0301", "é")],
)
def test_folding_makes_equal_what_only_looks_different(one, other):
    assert text.norm(one) == text.norm(other)


@settings(deadline=None)
@given(JSON)
def test_our_text_is_json_to_every_other_reader(value):
    json.loads(text.write(value))
