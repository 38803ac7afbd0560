"""The report as files: nothing lost, nothing that breaks a terminal, a spreadsheet or LaTeX."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmark.core.comparing.agreement_export import as_csv, as_json
from benchmark.core.comparing.agreement_report import Manifest, agreement_report
from benchmark.core.comparing.agreement_tables import report_tables
from benchmark.core.comparing.ratings import Judgment
from benchmark.core.comparing.tables import Table, as_latex, as_text

Rate = Callable[..., list[Judgment]]
MANIFEST = Manifest("labels.csv", "ab" * 32, "v1", ["2 void labels are in no figure."])


def test_text_shows_value_interval_and_n_of_each_label(published: Sequence[Judgment]) -> None:
    text = as_text(report_tables(agreement_report({"result": published, "noticed": published}), MANIFEST))
    kappa = next(line for line in text.splitlines() if line.startswith("Cohen's κ"))
    assert kappa.split().count("0.318") == 2
    assert kappa.split().count("100") == 2
    assert "20260817" in text
    assert "2 void labels are in no figure." in text


def test_json_keeps_small_p_values_and_whole_counts(published: Sequence[Judgment]) -> None:
    label = json.loads(as_json(agreement_report({"result": published}), MANIFEST))["labels"]["result"]
    assert 3e-5 < label["mcnemar_p"]["value"] < 4e-5
    assert label["human_positive_majority"]["value"] == 89
    assert "result,table,,human_positive_majority,89,81.36" in as_csv(agreement_report({"result": published}), MANIFEST)


def test_csv_has_one_width_and_holds_what_json_holds(published: Sequence[Judgment]) -> None:
    report = agreement_report({"result": published})
    rows = list(csv.reader(io.StringIO(as_csv(report, MANIFEST))))
    assert {len(row) for row in rows} == {9}
    label = json.loads(as_json(report, MANIFEST))["labels"]["result"]
    written = {row[3]: row for row in rows if row[1:3] == ["table", ""]}
    assert float(written["cohen_kappa"][4]) == label["cohen_kappa"]["value"]
    assert float(written["cohen_kappa"][5]) == label["cohen_kappa"]["low"]
    assert len([row for row in rows if row[1] == "disagreement"]) == 5 * len(label["disagreements"])


def test_a_fraction_is_no_date_in_a_spreadsheet(rate: Rate) -> None:
    rows = [replace(row, strata={"model": "m"}) for row in rate(("111", "1"), ("000", "1"), ("111", "1"))]
    written = as_csv(agreement_report({"x": rows}), MANIFEST)
    assert "x,stratum,model=m,raw_agreement,,,,,2/3. Fewer than 10 cases give no rate." in written


def test_latex_escapes_what_has_a_meaning_there() -> None:
    latex = as_latex([Table("a_b", "50 % & more", ["κ"], [["[1] \\input{x}_#$"]], ["~^"])])
    assert r"50 \% \& more" in latex
    assert r"{[}1{]} \textbackslash{}input\{x\}\_\#\$" in latex
    assert r"\textasciitilde{}\textasciicircum{}" in latex
    assert r"$\kappa$" in latex
    assert r"\label{tab:a-b}" in latex


def test_a_long_table_breaks_over_pages() -> None:
    latex = as_latex([Table("t", "t", ["n"], [[str(number)] for number in range(31)])])
    assert "longtable" in latex.split("\n", 1)[1]
    assert "\\begin{table}" not in latex


def test_text_columns_stand_under_each_other_in_any_script() -> None:
    text = as_text([Table("t", "t", ["item", "n"], [["直播间", "1"], ["plain\x1b[0m", "2"]])])
    wide, plain = text.splitlines()[4:6]
    assert "\x1b" not in plain
    assert plain.index("2") == wide.index("1") + 3


def test_a_capped_list_says_how_much_it_shows(rate: Rate) -> None:
    report = agreement_report({"x": rate(*[("110", "1")] * 201)})
    text = as_text(report_tables(report, MANIFEST))
    assert "Showing 200 of 201 rows; the CSV and JSON formats hold all." in text
    assert len(json.loads(as_json(report, MANIFEST))["labels"]["x"]["disagreements"]) == 201
