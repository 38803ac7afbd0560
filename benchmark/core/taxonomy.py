"""The closed vocabularies of the benchmark: conditions, loci, leaves, ends, states."""

from enum import StrEnum


class Condition(StrEnum):
    """What stands at the slot of a prefix: the recorded value, a silent substitute, or an overt failure."""

    CORRECT = "correct"
    IMPLICIT = "implicit"
    EXPLICIT = "explicit"


class Locus(StrEnum):
    """Where the substitute is written: the producer's observation or a later call's argument."""

    TOOL_OUTPUT = "tool_output"
    TOOL_INPUT = "tool_input"


class Leaf(StrEnum):
    """The kind of change a substitute makes to the gold value. `temporal_staleness` belongs to the extension set."""

    CATEGORY_SIBLING_DRIFT = "category_sibling_drift"
    CATEGORY_GRANULARITY_MISMATCH = "category_granularity_mismatch"
    ENTITY_NEAR_DUPLICATE = "entity_near_duplicate"
    PROFILE_ATTRIBUTE_DRIFT = "profile_attribute_drift"
    NUMERIC_BUCKET_SHIFT = "numeric_bucket_shift"
    SEMANTIC_SYNONYM_DRIFT = "semantic_synonym_drift"
    TEMPORAL_STALENESS = "temporal_staleness"


class Position(StrEnum):
    """Where in the workflow's node order the slot stands: early f ≤ 0.20, middle f ≤ 0.46, late above."""

    EARLY = "early"
    MIDDLE = "middle"
    LATE = "late"


class End(StrEnum):
    """How a rollout ended."""

    ANSWERED = "answered"
    BUDGET = "budget"
    PARSE_LIMIT = "parse_limit"
    MODEL_ERROR = "model_error"
    ENVIRONMENT_ERROR = "environment_error"
    CANCELLED = "cancelled"


class State(StrEnum):
    """What the latest valid producer observation shows: gold, polluted, or neither."""

    RECOVERED = "recovered"
    RESIDUAL = "residual"
    NEITHER = "neither"


class ResultLabel(StrEnum):
    """A judge's verdict on the final answer; `judge_error` is its own outcome, never unsolved."""

    SOLVED = "solved"
    UNSOLVED = "unsolved"
    JUDGE_ERROR = "judge_error"


class ModelKind(StrEnum):
    """What produced a trajectory: a language model, a scripted policy, or a recording of unknown make."""

    LLM = "llm"
    SCRIPTED = "scripted"
    RECORDED = "recorded"
