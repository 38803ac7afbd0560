"""Did a call fail? One function decides for every format, so that no record holds a second truth about it.

RITE's own envelope is asked first, then the rules E1 to E6; the first that fits decides:

E1  a typed flag of the source format (Anthropic `is_error`, MCP `isError`): final, whichever way it says
E2  a text that starts with `Error:`, `Error executing`, `Exception:` or a Python traceback's first line
E3  an object that says nothing but that something failed
E4  no observation was found for the call
E5  an empty answer ("", null, [], {}): nobody can tell whether the call failed
E6  anything else: it did not fail
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmark.core import text
from benchmark.core.trajectory import ABSENT, Kind, Step, StepError

FLAG = "is_error"
RULES = ("envelope", "E1", "E2", "E3", "E4", "E5", "E6")

_LONGEST_MESSAGE = 500
_FAILING_TEXT = re.compile(r"\s*(Error:|Error executing|Exception:|Traceback \(most recent call last\))")
_RAISED = re.compile(r"([A-Za-z_][\w.]*): ?(.*)", re.DOTALL)
_FAILING_WORDS = frozenset({"error", "failed"})
_SIGNS = frozenset({"error", "errors", "exception", "success", "ok", "status", "status_code", "code"})
_REPORTING = frozenset(
    {"detail", "details", "field", "hint", "message", "msg", "path", "reason", "request_id", "retry_after"}
    | {"stack", "timestamp", "trace_id", "traceback", "type"}
)
_CARRYING = frozenset({"data", "result", "results"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a call failed (None: nobody can tell), the rule that decided, and the error where it did."""

    failed: bool | None
    rule: str
    error: StepError | None = None


def verdict(observation: Any, flag: Any = ABSENT) -> Verdict:
    """Decide one call. `flag` is what the source format itself says: True, False, a message, {type, message} or ABSENT."""
    if _is_envelope(observation):
        return _envelope(observation)
    if flag is ABSENT and isinstance(observation, dict) and isinstance(observation.get("isError"), bool):
        flag = observation["isError"]
    if flag is not ABSENT and flag is not None:
        return _typed(observation, flag)
    if observation is ABSENT:
        return _failed("missing", "no observation was found for this call", "E4")
    if isinstance(observation, str) and _FAILING_TEXT.match(observation):
        return _failed(*_raised(observation), "E2")
    if isinstance(observation, dict) and _only_reports(observation) and (told := _reported(observation)):
        return _failed(*told, "E3")
    if observation is None or observation in ("", [], {}):
        return Verdict(None, "E5")
    return Verdict(False, "E6")


def error_of(step: Step) -> StepError | None:
    """The error of a step as its observation and its source's own flag tell it; a message step has none.

    The flag is kept under `is_error` among the step's extra keys, or is the E1 error that the step holds already.
    """
    if step.kind is not Kind.CALL:
        return None
    flag = step.extra.get(FLAG, ABSENT)
    if flag is ABSENT and step.error and step.error.rule == "E1":
        flag = {"type": step.error.type, "message": step.error.message}
    return verdict(step.observation, flag).error


def _is_envelope(observation: Any) -> bool:
    if not isinstance(observation, dict):
        return False
    error = observation.get("error")
    return observation.get("status") == "error" and isinstance(error, dict) and isinstance(error.get("type"), str)


def _envelope(observation: Mapping[str, Any]) -> Verdict:
    error = observation["error"]
    return _failed(error["type"], _words(error.get("message", "")), "envelope")


def _typed(observation: Any, flag: Any) -> Verdict:
    if flag is False:
        return Verdict(False, "E1")
    if isinstance(flag, Mapping):
        return _failed(_words(flag.get("type", "error")), _words(flag.get("message", "")), "E1")
    if isinstance(flag, str):
        return _failed("error", flag, "E1")
    return _failed("error", "" if observation is ABSENT else text.plain(observation), "E1")


def _only_reports(observation: Mapping[str, Any]) -> bool:
    """Whether an object tells of success or failure and holds no other payload: an order with `"status": "failed"` is an order, not a failed call."""
    if _SIGNS.isdisjoint(observation):
        return False
    carried = (key for key in observation if key not in _SIGNS and key not in _REPORTING)
    return all(key in _CARRYING and not observation[key] for key in carried)


def _reported(observation: Mapping[str, Any]) -> tuple[str, str] | None:
    message = _words(observation.get("message") or observation.get("msg") or observation.get("detail") or "")
    for key in ("error", "errors", "exception"):
        if told := observation.get(key):
            return _named(key, told, message)
    for key in ("success", "ok"):
        if observation.get(key) is False:
            return f"{key}: false", message
    status = observation.get("status")
    if isinstance(status, str) and status.casefold() in _FAILING_WORDS:
        return status, message
    for key in ("status_code", "code"):
        if _is_failing_code(observation.get(key)):
            return f"HTTP {observation[key]}", message
    return None


def _named(key: str, told: Any, message: str) -> tuple[str, str]:
    if isinstance(told, dict):
        kind = told.get("type") or told.get("code") or told.get("name") or key
        return _words(kind), _words(told.get("message") or told)
    return (_words(told), message) if message else (key, _words(told))


def _is_failing_code(code: Any) -> bool:
    if isinstance(code, str):
        return len(code) == 3 and code.isascii() and code.isdigit() and code >= "400"
    return isinstance(code, int | float) and not isinstance(code, bool) and 400 <= code <= 599


def _raised(observation: str) -> tuple[str, str]:
    observation = observation.strip()
    if observation.startswith("Traceback"):
        observation = observation.rpartition("\n")[2]
    found = _RAISED.match(observation)
    return (found[1], found[2]) if found else ("Error", observation)


def _words(value: Any) -> str:
    return text.plain(value)


def _failed(kind: str, message: str, rule: str) -> Verdict:
    return Verdict(True, rule, StepError(_cut(kind, 80), _cut(message, _LONGEST_MESSAGE), rule))


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else words[: longest - 1] + "…"
