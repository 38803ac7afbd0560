"""Why a workflow is not fit for the benchmark: the rules, and a reason as a value."""

from enum import StrEnum
from typing import NamedTuple


class Rule(StrEnum):
    """The rules of the screening. Kept are complete deterministic graphs with explicit control flow, nothing else."""

    AGENT = "autonomous agent"
    PERSON = "waits for a person"
    WRAPPER = "atomic retrieval wrapper"
    SHORT = "short utility graph"
    AB_TEST = "A/B-test fragment"
    DANGLING = "dangling reference"
    INCOMPLETE = "incomplete graph"
    UNREACHABLE = "unreachable node"
    CYCLE = "cycle outside a loop"


class Reason(NamedTuple):
    """One reason to refuse: the rule that is broken, and a sentence that says where and by what."""

    rule: Rule
    text: str
