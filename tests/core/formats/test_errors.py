"""Whether a call failed, and by which rule."""

import pytest

from benchmark.core.formats.errors import error_of, verdict
from benchmark.core.trajectory import ABSENT, Kind, Step, StepError

ENVELOPE = {"status": "error", "error": {"type": "ToolExecutionError", "message": "boom", "trace_id": "t1"}}


def test_our_envelope_is_asked_before_every_other_rule():
    assert verdict(ENVELOPE).error == StepError("ToolExecutionError", "boom", "envelope")
    assert verdict(ENVELOPE, flag=False).error == StepError("ToolExecutionError", "boom", "envelope")
    assert verdict({**ENVELOPE, "data": None}).rule == "envelope"


@pytest.mark.parametrize(
    ("observation", "flag", "failed", "rule", "error"),
    [
        ("all fine", True, True, "E1", StepError("error", "all fine", "E1")),
        ("Error: only said so", False, False, "E1", None),
        ("", {"type": "timeout", "message": "30 s"}, True, "E1", StepError("timeout", "30 s", "E1")),
        (
            {"content": [], "isError": True},
            ABSENT,
            True,
            "E1",
            StepError("error", '{"content":[],"isError":true}', "E1"),
        ),
        ({"content": [], "isError": False}, ABSENT, False, "E1", None),
        ("Error: user not found", ABSENT, True, "E2", StepError("Error", "user not found", "E2")),
        ("Error executing tool: x", ABSENT, True, "E2", StepError("Error", "Error executing tool: x", "E2")),
        (
            "Traceback (most recent call last):\n  File …\nKeyError: 'sku'",
            ABSENT,
            True,
            "E2",
            StepError("KeyError", "'sku'", "E2"),
        ),
        (
            {"error": "timeout", "code": 408, "message": "Tool timed out"},
            ABSENT,
            True,
            "E3",
            StepError("timeout", "Tool timed out", "E3"),
        ),
        ({"error": "down", "code": "500"}, ABSENT, True, "E3", StepError("error", "down", "E3")),
        ({"error": {"code": "no_row", "message": "gone"}}, ABSENT, True, "E3", StepError("no_row", "gone", "E3")),
        ({"success": False, "msg": "no"}, ABSENT, True, "E3", StepError("success: false", "no", "E3")),
        ({"status_code": 503, "data": None}, ABSENT, True, "E3", StepError("HTTP 503", "", "E3")),
        ({"status": "FAILED"}, ABSENT, True, "E3", StepError("FAILED", "", "E3")),
        (ABSENT, ABSENT, True, "E4", StepError("missing", "no observation was found for this call", "E4")),
        ("", ABSENT, None, "E5", None),
        (None, ABSENT, None, "E5", None),
        ([], ABSENT, None, "E5", None),
        ({}, ABSENT, None, "E5", None),
        (0, ABSENT, False, "E6", None),
        (False, ABSENT, False, "E6", None),
        ({"status": "ok", "data": []}, ABSENT, False, "E6", None),
    ],
)
def test_the_first_rule_that_fits_decides(observation, flag, failed, rule, error):
    found = verdict(observation, flag)
    assert (found.failed, found.rule, found.error) == (failed, rule, error)


@pytest.mark.parametrize(
    "observation",
    [
        {"order_id": "#W1", "status": "failed", "total": 3},
        {"product": "lamp", "error_code": None},
        {"error": None, "code": 200},
        {"error": "none of it fits", "items": [{"sku": "A1"}]},
        {"code": 4001, "message": "article number"},
        {"success": False, "data": {"sku": "A1"}},
        {"errors": [], "ok": True},
        {"code": True},
        "The tool said Error: user not found, so I tried again.",
        {"result": {"error": "inner"}},
    ],
)
def test_an_answer_that_only_looks_like_a_failure_is_none(observation):
    assert verdict(observation).error is None


def test_a_megabyte_of_failure_leaves_a_short_message():
    error = verdict("Error: " + "x" * 1_000_000).error
    assert len(error.message) == 500


def test_a_message_step_never_failed():
    assert error_of(Step(kind=Kind.MESSAGE, text="Error: no")) is None


def test_the_sources_own_flag_stays_the_last_word_on_a_stored_step():
    by_flag = Step(tool="t", observation="done", error=StepError("timeout", "30 s", "E1"))
    assert error_of(by_flag) == StepError("timeout", "30 s", "E1")
    cleared = Step(tool="t", observation="Error: harmless", extra={"is_error": False})
    assert error_of(cleared) is None
