"""One label's report: references, breakdowns, reviews, and what happens when the data do not define a figure."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.core.comparing.agreement_export import as_csv, as_json
from benchmark.core.comparing.agreement_report import (
    LabelAgreement,
    Manifest,
    agreement_report,
    judgments_sha256,
    label_agreement,
)
from benchmark.core.comparing.agreement_tables import report_tables
from benchmark.core.comparing.breakdowns import Shift
from benchmark.core.comparing.figures import KINDS, Figure, Undefined
from benchmark.core.comparing.patterns import Confusion
from benchmark.core.comparing.ratings import BadRatings, Judgment
from benchmark.core.comparing.tables import as_latex, as_text

Rate = Callable[..., list[Judgment]]

answers = st.sampled_from([True, False, None])
any_rows = st.lists(
    st.tuples(
        st.sampled_from("abcdefgh"),
        st.sampled_from(["A1", "A2", "A3", "A4"]),
        answers,
        st.sampled_from(["agree", "disagree", "unsure", None]),
        st.sampled_from(["x", "y", ""]),
    ),
    max_size=32,
    unique_by=lambda row: row[:2],
)
automatic_labels = st.dictionaries(st.sampled_from("abcdefgh"), answers)


def rows_of(drawn: list[tuple], automatic: dict[str, bool | None]) -> list[Judgment]:
    """Judgments whose automatic label and stratum belong to their item."""
    stratum: dict[str, str] = {}
    return [
        Judgment(item, who, human, automatic.get(item), review, {"s": stratum.setdefault(item, value)})
        for item, who, human, review, value in drawn
    ]


def value(label: LabelAgreement, name: str) -> float:
    """The value of a defined figure."""
    figure = label.figures[name]
    assert isinstance(figure, Figure), figure
    return figure.value


def why(label: LabelAgreement, name: str) -> str:
    """The reason of an undefined one."""
    figure = label.figures[name]
    assert isinstance(figure, Undefined), figure
    return figure.why


def test_tied_and_short_items_are_listed_with_their_reason(rate: Rate) -> None:
    label = label_agreement(rate(("1111", "1"), ("1100", "1"), ("0000", "0"), ("110-", "0")))
    assert [(entry.item, entry.why) for entry in label.without_reference] == [
        ("item-001", "is tied 2 to 2"),
        ("item-003", "has 3 of 4 planned labels"),
    ]
    assert label.confusion == Confusion(tp=1, fp=0, fn=0, tn=1)


def test_items_without_an_automatic_label_are_listed(rate: Rate) -> None:
    label = label_agreement(rate(("111", "-"), ("000", "0")))
    assert [(entry.item, entry.why) for entry in label.without_automatic] == [("item-000", "has no automatic label")]
    assert label.confusion.n == 1


def test_planned_labels_are_the_most_frequent_number_unless_told(rate: Rate) -> None:
    rows = rate(("111", "1"), ("000", "0"), ("11", "1"))
    assert label_agreement(rows).planned == 3
    assert len(label_agreement(rows).without_reference) == 1
    assert len(label_agreement(rows, planned=2).without_reference) == 0
    assert len(label_agreement(rows, planned=4).without_reference) == 3


def test_fleiss_leaves_out_unequal_items_and_says_how_many_it_used(rate: Rate) -> None:
    figures = label_agreement(rate(("111", "1"), ("000", "0"), ("100", "0"), ("11", "1"))).figures
    fleiss, alpha = figures["fleiss_kappa"], figures["krippendorff_alpha"]
    assert isinstance(fleiss, Figure)
    assert isinstance(alpha, Figure)
    assert (fleiss.n, alpha.n) == (3, 4)


def test_an_annotator_who_labels_an_item_twice_is_refused() -> None:
    with pytest.raises(BadRatings, match="A1 labels the item i twice"):
        label_agreement([Judgment("i", "A1", True), Judgment("i", "A1", False)])


def test_two_automatic_labels_of_an_item_are_refused() -> None:
    with pytest.raises(BadRatings, match="two different automatic labels"):
        label_agreement([Judgment("i", "A1", True, True), Judgment("i", "A2", False, False)])


def test_without_rows_every_figure_says_why() -> None:
    label = label_agreement([])
    assert label.items == 0
    assert {why(label, name) for name in KINDS} == {
        "There are no human labels.",
        "There are no automatic labels.",
        "There are no review answers.",
        "No review follows a blind label that contradicts the automatic label.",
    }


def test_equal_labels_give_no_chance_corrected_figure_and_no_false_one(rate: Rate) -> None:
    label = label_agreement(rate(*[("111", "1")] * 12))
    for name in (
        "cohen_kappa",
        "kappa_ceiling",
        "gwet_ac1_judge",
        "fleiss_kappa",
        "krippendorff_alpha",
        "gwet_ac1_humans",
    ):
        assert "always positive" in why(label, name) or "Every label is positive" in why(label, name)
    raw = label.figures["raw_agreement"]
    assert isinstance(raw, Figure)
    assert raw.value == 1
    assert raw.low == pytest.approx(0.7575, abs=5e-4)


def test_a_constant_automatic_label_gives_no_kappa_of_zero(rate: Rate) -> None:
    label = label_agreement(rate(*[("111", "1")] * 6, *[("000", "1")] * 6))
    assert why(label, "cohen_kappa") == (
        "Here the automatic label is always positive, so agreement beyond chance cannot be told."
    )
    assert value(label, "precision") == 0.5


def test_perfect_agreement_has_no_interval_of_false_certainty(rate: Rate) -> None:
    figure = label_agreement(rate(*[("111", "1")] * 6, *[("000", "0")] * 6)).figures["cohen_kappa"]
    assert isinstance(figure, Figure)
    assert (figure.value, figure.low, figure.high) == (1, None, None)
    assert "cannot show the uncertainty" in figure.no_interval


def test_one_annotator_is_compared_with_the_automatic_label_only(rate: Rate) -> None:
    label = label_agreement(rate(("1", "1"), ("0", "0"), ("1", "0")))
    assert value(label, "cohen_kappa") == pytest.approx(0.4)
    assert why(label, "fleiss_kappa") == "No item was labelled by two people, so people cannot be compared."
    assert why(label, "unanimous") == why(label, "fleiss_kappa")


def test_annotators_without_a_shared_item_are_counted_not_compared() -> None:
    label = label_agreement([Judgment("i", "A1", True, True), Judgment("j", "A2", False, False)])
    assert label.pairs == []
    assert label.pairs_without_shared_item == 1
    assert "two people" in why(label, "krippendorff_alpha")


def test_a_silent_annotator_changes_no_figure(published: Sequence[Judgment]) -> None:
    silent = [Judgment(row.item, "B9", None, row.automatic, None, row.strata) for row in published[::3]]
    assert label_agreement([*published, *silent]) == label_agreement(published)


def test_undefined_draws_are_dropped_and_counted(rate: Rate) -> None:
    figure = label_agreement(rate(*[("111", "1")] * 9, ("000", "0"), ("000", "1"))).figures["fleiss_kappa"]
    assert isinstance(figure, Figure)
    share_of_one_sided_draws = (9 / 11) ** 11
    assert figure.undefined_draws / 2000 == pytest.approx(share_of_one_sided_draws, abs=0.03)


def test_each_annotator_is_compared_with_the_majority_of_the_others(rate: Rate) -> None:
    label = label_agreement(rate(*[("1110", "1")] * 10, *[("0001", "0")] * 2, ("1100", "1")), planned=4)
    odd_one = label.by_annotator[3]
    assert odd_one.annotator == "A4"
    assert odd_one.against_others.confusion == Confusion(tp=0, fp=2, fn=11, tn=0)
    first = label.by_annotator[0]
    assert (first.labels, first.positive, first.tied) == (13, 11, 0)
    assert first.against_others.confusion == Confusion(tp=10, fp=1, fn=0, tn=2)


def test_an_annotator_beside_a_tie_is_not_compared(rate: Rate) -> None:
    first, second, third = label_agreement(rate(("110", "1"))).by_annotator
    assert (first.tied, second.tied, third.tied) == (1, 1, 0)
    assert third.against_others.confusion.n == 1


def test_pairs_keep_their_own_n_and_small_ones_show_a_fraction(rate: Rate) -> None:
    label = label_agreement(rate(*[("11-", "1")] * 8, *[("00-", "0")] * 4, *[("1-0", "1")] * 3))
    (first, small) = label.pairs
    assert (first.first, first.second, first.agreement.confusion.n) == ("A1", "A2", 12)
    assert small.agreement.figures["raw_agreement"] == Undefined("Fewer than 10 cases give no rate.", "0/3")
    assert label.pairs_without_shared_item == 1


def test_strata_below_ten_items_show_the_raw_fraction_only(rate: Rate) -> None:
    rows = [
        replace(row, strata={"condition": "implicit" if row.item < "item-003" else ""})
        for row in rate(("111", "1"), ("111", "0"), ("000", "0"), *[("111", "1")] * 6, *[("000", "0")] * 6)
    ]
    small, large = label_agreement(rows).strata
    assert (small.key, small.value, small.items) == ("condition", "implicit", 3)
    assert small.figures == {"raw_agreement": Undefined("Fewer than 10 cases give no rate.", "2/3")}
    assert (large.value, large.items) == ("none", 12)
    assert large.figures["precision"] == Undefined("Fewer than 10 cases give no rate.", "6/6")
    raw = large.figures["raw_agreement"]
    assert isinstance(raw, Figure)
    assert raw.value == 1


def test_reviews_are_set_against_the_own_blind_label() -> None:
    rows = [
        Judgment("i", "A1", True, False, "agree"),
        Judgment("i", "A2", True, False, "disagree"),
        Judgment("i", "A3", False, False, "agree"),
        Judgment("j", "A1", True, True, "unsure"),
        Judgment("j", "A2", True, True, "agree"),
        Judgment("j", "A3", False, True, "agree"),
    ]
    label = label_agreement(rows)
    assert label.shift == [
        Shift(True, True, agree=1, disagree=0, unsure=1),
        Shift(True, False, agree=1, disagree=1, unsure=0),
        Shift(False, True, agree=1, disagree=0, unsure=0),
        Shift(False, False, agree=1, disagree=0, unsure=0),
    ]
    assert value(label, "review_agreement") == pytest.approx(4 / 6)
    assert value(label, "anchoring_rate") == pytest.approx(2 / 3)


def test_disagreements_come_first_where_the_automatic_label_is_contradicted(rate: Rate) -> None:
    entries = label_agreement(rate(("110", "1"), ("111", "0"), ("000", "0"))).disagreements
    assert [(entry.item, entry.against_automatic) for entry in entries] == [("item-001", True), ("item-000", False)]
    assert entries[1].positive == ("A1", "A2")
    assert entries[1].negative == ("A3",)


def test_one_sided_disagreement_without_skew_is_read_as_bias(rate: Rate) -> None:
    rows = rate(*[("111", "1")] * 20, *[("111", "0")] * 30, *[("000", "0")] * 30)
    first, second = label_agreement(rows).reading
    assert "low mainly because of one-sided bias" in first
    assert "stricter" in second


def test_balanced_agreement_needs_no_explanation(rate: Rate) -> None:
    assert label_agreement(rate(*[("111", "1")] * 20, *[("000", "0")] * 20, ("111", "0"))).reading == []


@given(any_rows, automatic_labels, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(
    drawn: list[tuple], automatic: dict[str, bool | None], random: Random
) -> None:
    rows = rows_of(drawn, automatic)
    shuffled = random.sample(rows, len(rows))
    assert label_agreement(shuffled, draws=50) == label_agreement(rows, draws=50)
    assert judgments_sha256({"x": shuffled}) == judgments_sha256({"x": rows})


@given(any_rows, automatic_labels, st.permutations("abcdefgh"), st.permutations(["A1", "A2", "A3", "A4"]))
def test_the_names_of_items_and_annotators_change_no_figure(
    drawn: list[tuple], automatic: dict[str, bool | None], items: list[str], people: list[str]
) -> None:
    rows = rows_of(drawn, automatic)
    item_names, names = (
        dict(zip("abcdefgh", items, strict=True)),
        dict(zip(["A1", "A2", "A3", "A4"], people, strict=True)),
    )
    renamed = [replace(row, item=item_names[row.item], annotator=names[row.annotator]) for row in rows]
    before, after = label_agreement(rows, draws=50), label_agreement(renamed, draws=50)
    assert after.figures == before.figures
    assert after.strata == before.strata


@given(any_rows, automatic_labels)
def test_every_figure_is_a_number_or_a_reason_in_every_format(
    drawn: list[tuple], automatic: dict[str, bool | None]
) -> None:
    report = agreement_report({"result": rows_of(drawn, automatic)}, draws=50)
    manifest = Manifest("drawn", "0" * 64, "test")
    label = json.loads(as_json(report, manifest))["labels"]["result"]
    for name in {*KINDS, "review_agreement_result"} - {"review_agreement"}:
        figure = label[name]
        assert (set(figure) >= {"value", "low", "high", "n"}) if figure["value"] is not None else figure["why"]
    written = (
        as_csv(report, manifest) + as_text(report_tables(report, manifest)) + as_latex(report_tables(report, manifest))
    )
    assert "nan" not in written.lower().replace("unanimous", "")


@given(any_rows, automatic_labels)
def test_the_same_seed_gives_the_same_digits(drawn: list[tuple], automatic: dict[str, bool | None]) -> None:
    rows = {"result": rows_of(drawn, automatic)}
    manifest = Manifest("drawn", "0" * 64, "test")
    assert as_json(agreement_report(rows, draws=50), manifest) == as_json(agreement_report(rows, draws=50), manifest)


def test_another_seed_moves_the_interval_and_not_the_value(published: Sequence[Judgment]) -> None:
    one, other = (label_agreement(published, seed=seed).figures["cohen_kappa"] for seed in (1, 2))
    assert isinstance(one, Figure)
    assert isinstance(other, Figure)
    assert one.value == other.value
    assert one.low != other.low
    assert one.low == pytest.approx(other.low, abs=0.03)
