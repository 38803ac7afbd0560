"""The study file: read strictly, every mistake said with its line, written back equal."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.core.margins import Margins
from annotation.core.strata import Stratum
from annotation.core.study_design import StudyDesign
from annotation.core.study_file import DesignRefused, StudyFileRefused, design_of, parse_study_file, to_yaml

GOOD = """\
name: Paper study 论文
rollouts: {runs: [1, 2], imports: []}
labels: [result, noticed]
judge: rule/1
margins:
  condition: {correct: 28, explicit: 35, implicit: 37}
  model: {a: 50, "no": 50}
annotators: 6
labels_per_item: 3
seed: 20260817
review: per_item
guidelines: rules.md
"""
DESIGN = StudyDesign(
    name="Paper study 论文",
    runs=(1, 2),
    judge="rule/1",
    margins=Margins({"correct": 28, "explicit": 35, "implicit": 37}, {"a": 50, "no": 50}),
    annotators=6,
    labels_per_item=3,
    guidelines="rules.md",
)


def problems_of(text):
    content = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(StudyFileRefused) as refused:
        parse_study_file(content, "s.yaml")
    return list(refused.value.problems)


def test_a_study_file_is_read():
    assert parse_study_file(GOOD.encode(), "s.yaml") == DESIGN
    assert DESIGN.size == 100


def test_cells_are_read_and_the_rest_has_defaults():
    text = """
name: Imports
rollouts: {imports: [4]}
judge: tau-bench/reward
cells:
  - {model: none, condition: none, n: 12}
  - {model: gpt-4o, condition: none, n: 8}
annotators: 3
labels_per_item: 2
"""
    design = parse_study_file(text.encode(), "s.yaml")
    assert design.cells == {Stratum("none", "none"): 12, Stratum("gpt-4o", "none"): 8}
    assert (design.labels, design.seed, design.review, design.guidelines) == (
        ("result", "noticed"),
        20260817,
        "per_item",
        None,
    )


def test_a_study_may_ask_only_whether_the_agent_noticed_and_then_needs_no_judge():
    text = GOOD.replace("[result, noticed]", "[noticed]").replace("judge: rule/1\n", "")
    assert parse_study_file(text.encode(), "s.yaml").labels == ("noticed",)


def test_every_mistake_is_said_with_file_line_and_key():
    text = GOOD.replace("rule/1", '""').replace("correct: 28", "corect: 28").replace("a: 50", "a: 49")
    text = text.replace("labels_per_item: 3", "labels_per_item: 7").replace("per_item\ng", "later\ng")
    assert problems_of(text) == [
        "s.yaml, line 4, judge: Write something here; it is empty.",
        "s.yaml, line 11, review: Choose one of per_item, at_end.",
        "s.yaml, line 6, margins.condition.corect: Choose one of correct, implicit, explicit, none.",
        "s.yaml, line 5, margins: Make both sides add up to the same; the conditions add up to 100, the models to 99.",
        "s.yaml, line 9, labels_per_item: 7 labels a rollout need 7 annotators, but there are only 6: "
        "plan more annotators or fewer labels.",
    ]


def test_values_of_the_wrong_kind_and_unknown_keys_are_said_together():
    text = GOOD.replace("annotators: 6", "annotators: six").replace("runs: [1, 2]", "runs: 1") + "colour: red\n"
    assert problems_of(text) == [
        "s.yaml, line 13, colour: Take this key out or mend its name; the known keys are name, rollouts, labels, judge, "
        "cells, margins, annotators, labels_per_item, seed, review, guidelines.",
        "s.yaml, line 2, rollouts.runs: Write a list here, such as [a, b], not “1”.",
        "s.yaml, line 8, annotators: Give a whole number, not “six”.",
    ]


def test_missing_keys_are_named():
    assert problems_of("seed: 1\n") == [
        f"s.yaml, {key}: Add this key; it is missing." for key in ("name", "rollouts", "annotators", "labels_per_item")
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("seed: 20260817", "seed: 1e3", "line 10, seed: Give a whole number, not “1e3”."),
        (
            "seed: 20260817",
            "seed: 9223372036854775808",
            "line 10, seed: Give a whole number from 0 to 9223372036854775807.",
        ),
        ("seed: 20260817", "seed:", "line 10, seed: Give a whole number, not nothing."),
        ("annotators: 6", "annotators: 1", "line 8, annotators: A study needs at least two annotators, not 1."),
        ("annotators: 6", "annotators: 5000", "line 8, annotators: Plan at most 1000 annotators, not 5000."),
        ("runs: [1, 2]", "runs: []", "line 2, rollouts: Name at least one run or import to sample from."),
        ("runs: [1, 2]", "runs: [2, 2]", "line 2, rollouts.runs: Name each only once."),
        ("[result, noticed]", "[result, mood]", "line 3, labels: Name one or both of result, noticed, each once."),
        ("name: Paper study 论文", 'name: "a\\0b"', "line 1, name: Use one line without control characters."),
        ("name: Paper study 论文", "name: " + "x" * 201, "line 1, name: Use at most 200 characters, not 201."),
        (
            "guidelines: rules.md",
            "guidelines: ../../etc/passwd",
            "line 12, guidelines: Name a Markdown file (.md) that lies beside the study file, without folders.",
        ),
        (
            "review: per_item",
            "cells: [{model: a, condition: correct, n: 1}]",
            "line 5, margins: Give either `cells` or `margins`, not both.",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_line(old, new, sentence):
    assert problems_of(GOOD.replace(old, new)) == [f"s.yaml, {sentence}"]


def test_neither_cells_nor_margins_is_a_problem():
    text = "name: a\nrollouts: {runs: [1]}\njudge: rule/1\nannotators: 3\nlabels_per_item: 2\n"
    assert problems_of(text) == ["s.yaml, margins: Say what to sample, either as `cells` or as `margins`."]


def test_a_cell_must_be_whole_and_stand_once():
    cell = "{model: a, condition: correct, n: 1}"
    text = (
        GOOD[: GOOD.index("margins")]
        + f"cells: [{cell}, {cell}, {{model: a, n: 2}}]\nannotators: 3\nlabels_per_item: 2\n"
    )
    assert problems_of(text) == [
        "s.yaml, line 5, cells.2: Write each pair of model and condition once; this one stands above already.",
        "s.yaml, line 5, cells.3: Add condition; write `none` where the rollouts have no model or condition.",
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "s.yaml: The file is empty; begin with `name:`."),
        (b"[]", "s.yaml: Write keys and values, such as `name: …`, not a list."),
        (b"\xff\xfe", "s.yaml: Save the file as UTF-8; byte 1 is not."),
        (b"name: a\x00b", "s.yaml: Take out the control character U+0000 at position 8."),
        (b"name: a\nname: b", "s.yaml, line 2, name: Write this key once; it stands in line 1 already."),
        (b"? [a]\n: 1", "s.yaml, line 1, ?: Use plain text as a key."),
        (b"a: 1\nb: c: d", "s.yaml, line 2: This is not a study file in YAML: mapping values are not allowed here."),
        (b"a: 1\n--- 2", "s.yaml, line 2: This is not a study file in YAML: but found another document."),
        (
            b"a: &x [1]\nb: [*x, *x]",
            "s.yaml, line 1: This is not a study file in YAML: anchors and aliases (& and *) are not used here.",
        ),
        (b"[" * 100_000, "s.yaml, line 1: This is not a study file in YAML: this is nested too deeply."),
        (b"#" * 200_000, "s.yaml: A study file has at most 131072 bytes, this one has 200000."),
    ],
)
def test_files_that_are_no_study_files_are_refused_in_one_sentence(content, sentence):
    assert problems_of(content) == [sentence]


def test_a_file_that_names_a_python_object_makes_none():
    assert any("name: Write text here, not a list." in said for said in problems_of("name: !!python/tuple [ls]"))


def test_a_byte_order_mark_does_no_harm():
    assert parse_study_file(b"\xef\xbb\xbf" + GOOD.encode(), "s.yaml") == DESIGN


def test_the_stored_design_is_read_back_from_json():
    assert design_of(json.loads(json.dumps(DESIGN.as_data()))) == DESIGN


def test_true_is_no_number():
    with pytest.raises(DesignRefused, match="annotators: Give a whole number, not “True”."):
        design_of(DESIGN.as_data() | {"annotators": True})


def test_a_designers_form_gets_the_same_problems_by_field():
    problems = replace(DESIGN, name=" ", annotators=1).problems()
    assert [(problem.key, problem.text) for problem in problems] == [
        ("name", "Write something here; it is empty."),
        ("annotators", "A study needs at least two annotators, not 1."),
    ]


names = st.one_of(
    st.sampled_from(
        ["no", "null", "~", "1", "1e3", "2026-12-01", "- x", "a: b", "# c", " spaced ", "'", '"', "😀", "!!int"]
    ),
    st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=30).filter(str.strip),
)
conditions = st.sampled_from(["correct", "implicit", "explicit", "none"])
samples = st.one_of(
    st.builds(
        lambda cells: {"cells": cells},
        st.dictionaries(st.builds(Stratum, names, conditions), st.integers(1, 50), min_size=1, max_size=4),
    ),
    st.builds(
        lambda margin: {"margins": Margins(model=margin)},
        st.dictionaries(names, st.integers(1, 50), min_size=1, max_size=4),
    ),
)
designs = st.builds(
    lambda name, sources, labels, judge, wanted, seed, review: StudyDesign(
        name=name, runs=sources[0], imports=sources[1], labels=labels, judge=judge, seed=seed, review=review,
        annotators=5, labels_per_item=2, **wanted,
    ),
    names,
    st.sampled_from([((1,), ()), ((), (3, 2)), ((7, 5), (1,))]),
    st.sampled_from([("result",), ("noticed",), ("noticed", "result")]),
    names,
    samples,
    st.integers(0, 2**63 - 1),
    st.sampled_from(["per_item", "at_end"]),
)  # fmt: skip


@settings(deadline=None)
@given(designs)
def test_a_design_written_as_a_study_file_is_read_back_equal(design):
    assert parse_study_file(to_yaml(design).encode(), "s.yaml") == design
