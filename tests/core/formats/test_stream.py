"""Records out of long, cut, broken and hostile files."""

import io
import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.core.formats import stream
from benchmark.core.formats.stream import Layout, values

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def told(body: bytes, layout: Layout) -> list:
    """Each record's value, or the reason why it has none."""
    return [found.why or found.value for found in values(io.BytesIO(body), layout)]


@settings(deadline=None)
@given(st.lists(JSON, max_size=6), st.integers(1, 40), st.booleans(), st.sampled_from([None, 1]))
def test_a_list_gives_its_records_wherever_the_pieces_of_the_file_end(records, piece, ascii_only, indent):
    body = json.dumps(records, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "_PIECE", piece)
        found = list(values(io.BytesIO(body), Layout.LIST))
    assert [one.value for one in found] == records
    for one in found:
        begin = json.dumps(one.value, ensure_ascii=ascii_only, indent=indent and None)[:1].encode()
        assert body[one.offset : one.offset + 1] == begin


@settings(deadline=None)
@given(st.lists(JSON, max_size=6))
def test_lines_give_their_records_with_their_line_numbers(records):
    body = b"".join(json.dumps(record).encode() + b"\r\n\n" for record in records)
    found = list(values(io.BytesIO(body), Layout.LINES))
    assert [one.value for one in found] == records
    assert [one.line for one in found] == [2 * number + 1 for number in range(len(records))]


def test_one_bad_record_does_not_cost_the_others():
    body = b'[{"a":1},{"a":1,"a":2},{"b":NaN},{"d":"\xff"},' + b"[" * 5000 + b"]" * 5000 + b',{"c":1 2},{"f":"\\"}{"}]'
    assert told(body, Layout.LIST) == [
        {"a": 1},
        "not JSON that can be read: the key 'a' stands twice in one object",
        "not JSON that can be read: NaN is not a JSON number",
        "not UTF-8 text",
        "not JSON that can be read: nested too deeply",
        "not JSON that can be read: Expecting ',' delimiter (line 1, column 8)",
        {"f": '"}{'},
    ]


def test_bad_lines_are_told_and_the_next_line_is_read():
    body = b'{"a":1}\n{"b":\n{"c":"\xff"}\n{"d":4}\n{"e":'
    assert told(body, Layout.LINES) == [
        {"a": 1},
        "not JSON that can be read: Expecting value (column 6)",
        "not JSON that can be read: not UTF-8 text (byte 6)",
        {"d": 4},
        "not JSON that can be read: Expecting value (column 6); it is the last line, so the file was cut off",
    ]


@pytest.mark.parametrize(
    ("body", "last"),
    [
        (b'[{"a":1},{"b":"tru', "the file ends inside this record: it was cut off"),
        (b'[{"a":1},{"b":"x\\', "the file ends inside this record: it was cut off"),
        (b'[{"a":1},', "the file ends before its list does: it was cut off here"),
        (b'[{"a":1}', "the file ends before its list does: it was cut off here"),
        (b'[{"a":1},oops]', "no JSON value begins here, so nothing from here on was read"),
    ],
)
def test_a_file_that_was_cut_off_gives_what_is_whole_and_says_so(body, last):
    assert told(body, Layout.LIST) == [{"a": 1}, last]


def test_a_file_that_only_opens_brackets_is_given_up_early():
    (found,) = values(io.BytesIO(b"[" + b"[" * 3_000_000), Layout.LIST)
    assert found.why == "nested too deeply, so nothing from here on was read"


def test_values_one_after_another_are_read_over_several_lines():
    assert told(b'{"a":\n1}\n {"b":2}[3]', Layout.VALUES) == [{"a": 1}, {"b": 2}, [3]]


@pytest.mark.parametrize("layout", [Layout.LIST, Layout.LINES])
def test_a_record_beyond_the_limit_is_skipped_and_the_next_one_read(layout, monkeypatch):
    monkeypatch.setattr(stream, "LONGEST_RECORD", 200)
    monkeypatch.setattr(stream, "_PIECE", 64)
    long = json.dumps({"x": '"}]\\' * 100})
    body = f'{{"a":1}}\n{long}\n{{"b":2}}\n' if layout is Layout.LINES else f'[{{"a":1}},{long},{{"b":2}}]'
    assert told(body.encode(), layout) == [{"a": 1}, "longer than 32 MB, the most one record may have", {"b": 2}]


class Endless(io.RawIOBase):
    """A JSON list of 200 MB that is never held: one record repeated."""

    def __init__(self, record: bytes, count: int) -> None:
        self._record, self._left, self._rest = record, count, b"["

    def read(self, size: int = -1) -> bytes:
        while len(self._rest) < size and self._left:
            self._left -= 1
            self._rest += self._record + (b"," if self._left else b"]")
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece


def peak_of_reading(count: int) -> tuple[int, int]:
    record = json.dumps({"traj": [{"role": "user", "content": "x" * 50_000}]}).encode()
    tracemalloc.start()
    seen = sum(found.why is None for found in values(Endless(record, count), Layout.LIST))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return seen, peak


def test_a_list_of_ten_megabytes_is_read_in_a_few():
    seen, peak = peak_of_reading(200)
    assert seen == 200
    assert peak < 8_000_000


@pytest.mark.whole
def test_a_list_of_two_hundred_megabytes_is_read_in_a_few():
    seen, peak = peak_of_reading(4_000)
    assert seen == 4_000
    assert peak < 8_000_000
