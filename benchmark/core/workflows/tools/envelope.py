"""The envelope every observation of our tools comes in: ok with data, or error with a type (five classes, never mixed)."""

from typing import Any

ARGUMENT_ERROR = "ArgumentError"
TOOL_EXECUTION_ERROR = "ToolExecutionError"
UNKNOWN_TOOL = "UnknownTool"
NOT_RECORDED = "NotRecorded"
UPSTREAM = ("UpstreamUnavailable", "UpstreamTimeout", "DependencyFailed")
"""Overt failures that only a builder writes, into the explicit prefix."""

Observation = dict[str, Any]


class ArgumentProblem(ValueError):
    """A call's arguments are wrong: the caller's fault, told to it as an ArgumentError with the field."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


def ok(data: Any) -> Observation:
    """A success; `data` may be empty in the business's sense."""
    return {"status": "ok", "data": data}


def argument_error(field: str, message: str) -> Observation:
    """The tool's own refusal of its arguments."""
    return {"status": "error", "error": {"type": ARGUMENT_ERROR, "field": field, "message": message}}


def execution_error(message: str, trace_id: str) -> Observation:
    """The environment failed: a tool raised or took too long. A rollout that sees one is excluded."""
    return {"status": "error", "error": {"type": TOOL_EXECUTION_ERROR, "message": message, "trace_id": trace_id}}


def not_available(kind: str, message: str) -> Observation:
    """No such tool (`UnknownTool`), or no recording and no live tool (`NotRecorded`)."""
    return {"status": "error", "error": {"type": kind, "message": message}}


def upstream_failure(kind: str, message: str) -> Observation:
    """An overt failure as an explicit prefix shows it; `kind` is one of UPSTREAM."""
    return {"status": "error", "error": {"type": kind, "message": message}, "data": None}
