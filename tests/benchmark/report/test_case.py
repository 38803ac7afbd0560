"""The case box as a value: setup, marked steps, judgment; from rows and from a plain record alike."""

from collections.abc import Callable
from dataclasses import replace

from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmark.core.formats import rite
from benchmark.core.labelling.diagnoses import label_and_read
from benchmark.models import DiagnosisEdit, Judgment, MechanismNote, Rollout
from benchmark.report.case import Case, case_of_record, case_of_rollout
from benchmark.report.setup import world_time
from tests.benchmark.records import call, record, silent_case

Imported = Callable[..., list[Rollout]]


def words(case: Case, number: str) -> list[str]:
    step = next(step for step in (*case.prefix, *case.continuation) if step.step.number == number)
    return [tag.word for tag in step.tags]


def test_the_marks_of_a_silent_case_stand_at_their_steps(imported: Imported) -> None:
    case = case_of_rollout(imported(silent_case())[0])
    assert words(case, "P1") == ["slot"]
    assert words(case, "R1") == ["new", "first polluted use"]
    assert words(case, "R2") == ["refetch", "new", "signal", "remedial"]
    assert [step.css for step in (*case.prefix, *case.continuation)] == ["is-slot", "", "is-refetch", ""]


def test_every_mark_has_a_word_so_that_none_needs_its_colour(imported: Imported) -> None:
    case = case_of_rollout(imported(silent_case())[0])
    assert all(tag.word for step in (*case.prefix, *case.continuation) for tag in step.tags)


def test_the_setup_names_what_was_done_to_which_value(imported: Imported) -> None:
    facts = {fact.name: fact.words or fact.pairs for fact in case_of_rollout(imported(silent_case())[0]).facts}
    assert facts == {
        "Model": "model-a",
        "Condition": "implicit",
        "Unit": "stock-s1",
        "Workflow": "wf01",
        "World clock": "2026-08-29 16:00 Asia/Shanghai",
        "Affected producer": "GetStock",
        "Slot": "/on_hand",
        "Feeds": "Reserve",
        "Place": "tool output · middle · f = 0.25",
        "Kind of error": "numeric bucket shift",
        "Gold value": (("", "217"),),
        "Polluted value": (("", "4108"),),
        "Unchanged": "The warehouse.",
        "Why it is silent": "Both are plausible counts.",
    }


def test_world_clocks_are_shown_in_the_world_s_zone() -> None:
    assert world_time(0) == "1970-01-01 08:00 Asia/Shanghai"
    assert world_time(None) == ""


def test_each_label_leads_to_its_evidence(imported: Imported) -> None:
    verdicts = {verdict.name: verdict for verdict in case_of_rollout(imported(silent_case())[0]).verdicts}
    assert (verdicts["Producer refetch"].answer, verdicts["Producer refetch"].evidence) == ("yes", (("R2", ""),))
    assert (verdicts["Observation state"].answer, verdicts["Observation state"].evidence) == (
        "recovered",
        (("R2", ""),),
    )
    assert verdicts["Noticed"].evidence == (("R2", "signal"), ("R2", "action"))
    assert verdicts["Final task success"].answer == "not judged"


def test_the_state_goes_from_polluted_over_gold_to_its_use(imported: Imported) -> None:
    chips = case_of_rollout(imported(silent_case())[0]).chips
    assert [(chip.stage, chip.tone, chip.step) for chip in chips[:3]] == [
        ("prefix", "injected", "P1"),
        ("verification", "gold", "R2"),
        ("downstream use", "gold", "R3"),
    ]


def test_a_plain_record_makes_the_same_box_as_its_row(imported: Imported) -> None:
    source = silent_case()
    from_row = case_of_rollout(imported(source)[0])
    value = rite.from_record(source)
    from_record = case_of_record(value, *label_and_read(value))
    assert replace(from_row, pk=None) == from_record


def test_a_judge_s_error_does_not_hide_its_earlier_label(imported: Imported) -> None:
    rollout = imported(silent_case())[0]
    for label in ("unsolved", "solved", "judge_error"):
        Judgment.objects.create(rollout=rollout, judge="llm/1", label=label)
    Judgment.objects.create(rollout=rollout, judge="llm/2", label="judge_error")
    answers = {verdict.name: verdict.answer for verdict in case_of_rollout(rollout).verdicts}
    assert answers["Final task success · llm/1"] == "solved"
    assert answers["Final task success · llm/2"] == "judge error"


def test_a_researcher_s_newest_words_stand_and_empty_ones_give_the_rule_back(
    imported: Imported, make_account: Callable
) -> None:
    rollout, who = imported(silent_case())[0], make_account("researcher", "ada")
    for text in ("First.", "Second."):
        DiagnosisEdit.objects.create(rollout=rollout, step_index=1, text=text, who=who)
    step = case_of_rollout(rollout).continuation[0]
    assert step.said == "Second."
    assert step.edits.standing is not None
    assert step.edits.standing.who == "ada"
    DiagnosisEdit.objects.create(rollout=rollout, step_index=1, text="", who=who)
    step = case_of_rollout(rollout).continuation[0]
    assert step.said == step.diagnosis == "Uses the polluted value “4108”."
    assert [one.words for one in step.edits.history] == ["First.", "Second.", ""]


def test_reasoning_is_a_chip_only_when_a_researcher_wrote_it(imported: Imported, make_account: Callable) -> None:
    rollout = imported(silent_case())[0]
    assert "reasoning" not in [chip.stage for chip in case_of_rollout(rollout).chips]
    MechanismNote.objects.create(rollout=rollout, text="Kept the old value in mind.", who=make_account("researcher"))
    chips = case_of_rollout(rollout).chips
    assert [chip.words for chip in chips if chip.stage == "reasoning"] == ["Kept the old value in mind."]


def test_a_rollout_that_stopped_without_an_answer_says_so(imported: Imported) -> None:
    case = case_of_rollout(imported(record("budget", [call("A", {}, "b")], final=None, end="budget"))[0])
    assert (case.answer, case.end) == (None, "budget")


def test_the_box_costs_the_same_queries_for_200_steps_as_for_10(imported: Imported, make_account: Callable) -> None:
    who, counts = make_account("researcher"), []
    for length in (10, 200):
        rollout = imported(record(f"of-{length}", [call("A", {"n": n}, {"n": n}) for n in range(length)]))[0]
        for index in range(length):
            DiagnosisEdit.objects.create(rollout=rollout, step_index=index, text="x", who=who)
        loaded = Rollout.objects.select_related("model", "unit").get(pk=rollout.pk)
        with CaptureQueriesContext(connection) as queries:
            case_of_rollout(loaded)
        counts.append(len(queries))
    assert counts == [4, 4]
