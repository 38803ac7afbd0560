"""YAML that people write, read strictly."""

import pytest

from benchmark.core import strict_yaml
from benchmark.core.strict_yaml import FileKind, YamlRefused

KIND = FileKind("test file", first_key="name", most_bytes=500, deepest=4)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("no", "no"),
        ("2026-09-01", "2026-09-01"),
        ("1_000", "1_000"),
        ("012", "012"),
        (".5", ".5"),
        ("0x1f", "0x1f"),
        (".nan", ".nan"),
        ("9" * 30, "9" * 30),
        ('"5"', "5"),
        ("5", 5),
        ("-0.45", -0.45),
        ("1e3", 1000.0),
        ("true", True),
        ("True", "True"),
        ("null", None),
        ("", None),
    ],
)
def test_only_what_json_calls_a_number_or_a_word_is_more_than_text(source: str, value: object) -> None:
    read = strict_yaml.read(f"name: {source}".encode(), KIND, strict_yaml.as_json).value["name"]
    assert (type(read), read) == (type(value), value)


def test_without_asking_for_more_everything_is_text() -> None:
    assert strict_yaml.read(b"name: [5, true, null]", KIND).value == {"name": ["5", "true", "null"]}


def test_each_place_has_its_line_and_an_unknown_one_that_of_what_is_around_it() -> None:
    lines = strict_yaml.read(b"name:\n  - a\n  - b: c\n", KIND).lines
    assert strict_yaml.line_of(("name", 2, "b"), lines) == 3
    assert strict_yaml.line_of(("name", 2, "missing"), lines) == 3
    assert strict_yaml.line_of(("other",), lines) is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name: a\nname: b", "line 2: Write this key once; it stands in line 1 already."),
        (b"name: &a b", "line 1: This is not a test file in YAML: anchors and aliases (& and *) are not used here."),
        (b"name: [[[[a]]]]", "line 1: This is not a test file in YAML: this is nested too deeply."),
        (b"? [a]\n: b", "line 1: Use plain text as a key."),
        (b"", "The file is empty; begin with `name:`."),
        (b"name: \xff", "Save the file as UTF-8; byte 7 is not."),
        (b"name: \x01", "Take out the control character U+0001 at position 7."),
        (b"#" * 501, "A test file has at most 500 bytes, this one has 501."),
    ],
)
def test_what_is_not_used_here_is_refused_with_its_line(content: bytes, said: str) -> None:
    with pytest.raises(YamlRefused) as refused:
        strict_yaml.read(content, KIND)
    assert str(refused.value) == said
