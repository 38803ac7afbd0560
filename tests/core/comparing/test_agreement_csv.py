"""Label files that people bring: what is read, and the sentence for each that cannot be."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from benchmark.core.comparing.agreement_csv import LARGEST_MB, AgreementFile, BadAgreementFile, read_agreement_csv
from benchmark.core.comparing.ratings import Judgment

HEADER = "item,annotator,human_result,auto_result,review_result,model\n"
Read = Callable[[str | bytes], AgreementFile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a file and read it as labels."""

    def write_and_read(content: str | bytes) -> AgreementFile:
        path = tmp_path / "labels.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_agreement_csv(path)

    return write_and_read


@pytest.mark.parametrize(
    ("written", "meant"),
    [("1", True), ("TRUE", True), ("Yes", True), ("solved", True), ("0", False), ("false", False), ("NO", False)]
    + [("Unsolved", False), ("", None), ("  ", None)],
)
def test_every_way_to_write_a_label_is_read(read: Read, written: str, meant: bool | None) -> None:
    (row,) = read(f"{HEADER}i,A1,{written},{written},,m\n").judgments["result"]
    assert (row.human, row.automatic) == (meant, meant)


def test_a_row_becomes_a_judgment_with_its_strata(read: Read) -> None:
    assert read(f"{HEADER} i1 ,A1,1,0,Unsure,m-1\n").judgments["result"] == [
        Judgment("i1", "A1", True, False, "unsure", {"model": "m-1"})
    ]


def test_any_label_name_and_several_labels_are_read(read: Read) -> None:
    file = read("annotator,human_noticed,human_result,auto_noticed,item\nA1,1,0,1,i\n")
    assert list(file.judgments) == ["noticed", "result"]
    assert file.judgments["noticed"] == [Judgment("i", "A1", True, True)]
    assert file.judgments["result"] == [Judgment("i", "A1", False, None)]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_byte_order_mark_line_ends_and_blank_lines_do_not_matter(read: Read, mark: bytes, end: str) -> None:
    text = f"{HEADER}\n直播🛒,A1,1,0,,m\n".replace("\n", end)
    (row,) = read(mark + text.encode()).judgments["result"]
    assert row.item == "直播🛒"


def test_the_digest_is_that_of_the_file(read: Read) -> None:
    content = f"{HEADER}i,A1,1,0,,m\n".encode()
    assert read(content).sha256 == sha256(content).hexdigest()


def test_a_column_that_varies_within_an_item_is_no_stratum_and_is_said(read: Read) -> None:
    file = read("item,annotator,human_x,seconds,model\ni,A1,1,30,m\ni,A2,1,41,\n")
    assert file.notes == ["Column seconds is no stratum: it varies within the item i."]
    assert [row.strata for row in file.judgments["x"]] == [{"model": "m"}, {"model": "m"}]


def test_a_column_without_a_name_is_left_out_and_said(read: Read) -> None:
    file = read(",item,annotator,human_x\n0,i,A1,1\n")
    assert file.notes == ["A column without a name is not used."]
    assert file.judgments["x"] == [Judgment("i", "A1", True)]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "labels.csv, line 1: the file is empty."),
        ("\n\n", "labels.csv, line 1: the file is empty."),
        (HEADER, "labels.csv, line 2: there are no rows under the header."),
        ("item,human_x\ni,1\n", "line 1: no column annotator."),
        ("item,annotator\ni,A1\n", "line 1: no column human_<label>."),
        ("item;annotator;human_x\ni;A1;1\n", "separated by semicolons: save with commas."),
        ("item,annotator,human_x,auto_y\ni,A1,1,1\n", "line 1: auto_y has no human_<label> column of its label."),
        ("item,item,annotator,human_x\n", "line 1: two columns are called item."),
        (f"{HEADER}i,A1,1,0,,m\ni,A2,1\n", "line 3: 3 values stand under 6 column names."),
        (f"{HEADER}i,A1,maybe,0,,m\n", "line 2, column human_result: 'maybe' is none of 1/0, true/false"),
        (f"{HEADER}i,A1,1,0,agreed,m\n", "line 2, column review_result: 'agreed' is none of agree, disagree, unsure."),
        (f"{HEADER},A1,1,0,,m\n", "line 2, column item: the value is missing."),
        (f"{HEADER}i,A1,1,0,,m\n\ni,A1,0,0,,m\n", "lines 2 and 4, column annotator: A1 labels the item i twice."),
        (f"{HEADER}i,A1,1,0,,m\ni,A2,1,,,m\ni,A3,1,yes,,m\n", "lines 2 and 4, column auto_result: the item i has two"),
        (f'{HEADER}i,"A1,1,0,,m\n', "line 2: this row cannot be read as CSV (unexpected end of data)."),
        (
            f"{HEADER}i,{'x' * 200_000},1,0,,m\n",
            "line 2: this row cannot be read as CSV (field larger than field limit",
        ),
        (f"{HEADER}i,A1,1,0,,\0\n", "line 2: a NUL byte stands here."),
        (f"{HEADER}i,A1,1,0,,café\n".encode("latin-1"), "line 2: this is not UTF-8 text."),
        (f"{HEADER}i,A1,1,0,,m\n".encode("utf-16"), "line 1: this is UTF-16 text."),
    ],
)
def test_what_cannot_be_read_is_refused_with_file_line_and_column(
    read: Read, content: str | bytes, sentence: str
) -> None:
    with pytest.raises(BadAgreementFile) as refusal:
        read(content)
    assert sentence in str(refusal.value)
    assert str(refusal.value).startswith("labels.csv, line")


def test_the_line_is_right_below_a_value_with_line_breaks(read: Read) -> None:
    with pytest.raises(BadAgreementFile, match="line 4, column human_result"):
        read(f'{HEADER}"two\nlines",A1,1,0,,m\ni,A1,x,0,,m\n')


def test_control_characters_of_a_file_do_not_reach_the_terminal(read: Read) -> None:
    with pytest.raises(BadAgreementFile) as refusal:
        read(f"{HEADER}\x1b[31mi,A1,1,0,,m\n\x1b[31mi,A1,1,0,,m\n")
    assert "\x1b" not in str(refusal.value)


def test_a_file_too_large_for_labels_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(LARGEST_MB * 2**20 + 1)
    with pytest.raises(BadAgreementFile, match="larger than 16 MB"):
        read_agreement_csv(path)
