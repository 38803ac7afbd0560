"""The formats RITE tells apart, each with the rule that tells it: which keys a record or document has, never a file name."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from benchmark.core.formats.messages import MESSAGE_LISTS, are_messages


class Support(Enum):
    """Whether RITE reads a format, and what is said where it does not."""

    READ = ""
    LATER = "recognised, not read yet"
    NO = "recognised, but not a format that RITE reads"
    DISPLAY_ONLY = "tool names and arguments are not in this file"


@dataclass(frozen=True, slots=True)
class Known:
    """A format by its short name, its name in words, and whether it is read."""

    format: str
    title: str
    support: Support


@dataclass(frozen=True, slots=True)
class View:
    """What is known of a document or of a file's first record: its top-level keys, the text under `format`, and its value
    where it could be read whole."""

    keys: frozenset[str]
    format: str = ""
    value: Any = None


CHAT = Known("chat", "Chat messages with tool calls", Support.READ)
AGENTCHECK = Known("agentcheck", "AgentCheck runs", Support.READ)
ROLLOUT = Known("rite.rollout/1", "RITE rollouts", Support.READ)
INSPECT = Known("inspect", "Inspect AI log", Support.LATER)
TAU2 = Known("tau2", "τ²-bench results", Support.LATER)
OTLP = Known("otlp", "OpenTelemetry spans", Support.LATER)
LANGFUSE = Known("langfuse", "Langfuse export", Support.LATER)
DIFY_RUN = Known("dify-run", "Dify workflow run", Support.LATER)
DIFY_DSL = Known("dify-dsl", "Dify app", Support.LATER)
TRANSCRIPT = Known("display", "Transcript for display", Support.DISPLAY_ONLY)
N8N = Known("n8n", "n8n workflow", Support.NO)
UNREAD_OWN = {
    "rite.unit/1": Known("rite.unit/1", "RITE units", Support.LATER),
    "rite.labels/1": Known("rite.labels/1", "RITE labels", Support.LATER),
}

READ_IN_WORDS = "chat messages with tool calls (τ-bench shape too), AgentCheck runs, and rite.rollout/1"
TOLD_IN_WORDS = "Inspect AI, τ²-bench, OpenTelemetry, Langfuse, Dify and n8n files"


def told(view: View) -> tuple[Known, str] | None:
    """The format of a document or first record, with the rule that told it in words; None for what nobody here knows."""
    if own := _own(view):
        return own
    for known, keys, holds in _RULES:
        if keys <= view.keys and (holds is None or holds(view)):
            return known, f"the keys {_listed(keys)}" if len(keys) > 1 else f"the key {_listed(keys)}"
    for key in MESSAGE_LISTS:
        if key in view.keys and (view.value is None or are_messages(view.value[key])):
            return CHAT, f"messages under the key {key}"
    return None


def _own(view: View) -> tuple[Known, str] | None:
    if not view.format.startswith("rite."):
        return None
    name = view.format[:32]
    known = ROLLOUT if name == ROLLOUT.format else UNREAD_OWN.get(name)
    return known or Known(name, "A RITE format unknown to this version", Support.NO), f'"format": "{name}"'


def _listed(keys: frozenset[str]) -> str:
    *most, last = sorted(keys)
    return f"{', '.join(most)} and {last}" if most else last


def _rows_have(key: str, *wanted: str) -> Callable[[View], bool]:
    def holds(view: View) -> bool:
        rows = view.value.get(key) if isinstance(view.value, dict) else None
        return isinstance(rows, list) and any(isinstance(row, dict) and row.keys() & set(wanted) for row in rows[:5])

    return holds


def _has_graph(view: View) -> bool:
    workflow = view.value.get("workflow") if isinstance(view.value, dict) else None
    return isinstance(workflow, dict) and "graph" in workflow


def _is_atif(view: View) -> bool:
    return isinstance(view.value, dict) and str(view.value["schema_version"]).startswith("ATIF")


def _rule(known: Known, *keys: str, holds: Callable[[View], bool] | None = None) -> tuple[Known, frozenset[str], Any]:
    return known, frozenset(keys), holds


_RULES = (
    _rule(INSPECT, "version", "eval", "status"),
    _rule(TAU2, "simulations", "tasks"),
    _rule(OTLP, "resourceSpans"),
    _rule(LANGFUSE, "trace", "observations"),
    _rule(LANGFUSE, "observations", holds=_rows_have("observations", "traceId", "parentObservationId")),
    _rule(LANGFUSE, "parentObservationId"),
    _rule(DIFY_RUN, "data", holds=_rows_have("data", "predecessor_node_id", "node_execution")),
    _rule(DIFY_RUN, "predecessor_node_id"),
    _rule(DIFY_DSL, "workflow", holds=_has_graph),
    _rule(AGENTCHECK, "fault_type", "steps"),
    _rule(N8N, "nodes", "connections"),
    _rule(Known("agentdojo", "AgentDojo run", Support.NO), "suite_name", "user_task_id", "messages"),
    _rule(Known("langsmith", "LangSmith runs", Support.NO), "run_type", "dotted_order"),
    _rule(Known("swe-agent", "SWE-agent trajectory", Support.NO), "trajectory", "history", "info"),
    _rule(Known("atif", "Harbor ATIF trajectory", Support.NO), "schema_version", "steps", holds=_is_atif),
    _rule(Known("claude-code", "Claude Code session", Support.NO), "sessionId", "type", "uuid"),
    _rule(TRANSCRIPT, "messages_display"),
)
