"""All labels of one rollout, computed from its trajectory alone: never from a judge, the condition's name or the model."""

from collections.abc import Mapping
from typing import Any

from benchmark.core.labelling import judges
from benchmark.core.labelling.examination import Examination, examine, why_invalid
from benchmark.core.labelling.noticing import Notice
from benchmark.core.labelling.slot_use import SlotUse
from benchmark.core.labelling.state import Observed
from benchmark.core.labelling.trail import Trail
from benchmark.core.taxonomy import State
from benchmark.core.trajectory import Judged, Labels, Rollout

NOTICED_RULE = "noticed/1"
JUDGE = judges.JUDGE

ENVIRONMENT_FAULT = "ToolExecutionError"
TOO_DEEP = "an argument or observation is nested too deeply to be compared"
_ALL = ("noticed", "producer_refetch", "refetch_valid", "state")
_OURS = frozenset(
    {"noticed_rule", "notice_target", "notice_distance", "signals", "unrelated_signals", "start_state", "state_step"}
    | {"O_literal", "grounded", "refetch_steps", "refetch_same_args", "refetch_same_entity", "refetch_rounds"}
    | {"refetch_distance", "carrier_state", "answer_rests_on"}
)


def label(rollout: Rollout) -> Labels:
    """Every automatic label of a rollout, with its evidence and diagnostics.

    A label that cannot be computed is None and `why_null` says why. Results and diagnostics given by the rollout's
    source are kept; the rule judge's own result is added where the unit has a constraint or the rollout ended without
    an answer. Nothing depends on the condition, the intervention or the model.
    """
    invalid = why_invalid(rollout)
    if invalid:
        return unlabelled(rollout, invalid)
    try:
        return labels_of(examine(rollout))
    except RecursionError:
        return unlabelled(rollout, TOO_DEEP)


def unlabelled(rollout: Rollout, why: str) -> Labels:
    """The labels of a rollout that gets none, each with the reason; what its source said of the result is kept."""
    given = rollout.labels or Labels()
    return Labels(
        why_null={**given.why_null, **dict.fromkeys(_ALL, why)},
        results=given.results,
        diagnostics=_given(given),
        extra=given.extra,
    )


def labels_of(examined: Examination) -> Labels:
    """The labels that an examination comes to."""
    trail, observed = examined.trail, examined.observed
    given = trail.rollout.labels or Labels()
    refetch = any(trail.is_producer(place) for place in trail.own) if trail.producers else None
    return Labels(
        noticed=examined.notice.value,
        noticed_evidence=examined.notice.evidence(),
        producer_refetch=refetch,
        refetch_valid=any(call.state for call in observed.refetches) if observed and refetch is not None else None,
        state=observed.state if observed else None,
        excluded=_exclusion(trail),
        why_null=_why_null(examined, given, refetch),
        results=_results(examined, given),
        diagnostics=_given(given) | _diagnostics(examined),
        extra=given.extra,
    )


def _why_null(examined: Examination, given: Labels, refetch: bool | None) -> dict[str, str]:
    found = {name: why for name, why in given.why_null.items() if name not in (*_ALL, "excluded")}
    if examined.notice.value is None:
        silent = "the agent wrote no thought and no message before its answer"
        found["noticed"] = silent if examined.trail.places else "the record holds no step"
    if not examined.trail.slot:
        return found | dict.fromkeys(("producer_refetch", "refetch_valid", "state", "excluded"), "no slot")
    if refetch is None:
        found |= dict.fromkeys(("producer_refetch", "refetch_valid"), "the slot names no producer")
    if examined.observed is None:
        found["state"] = examined.why_unobserved
        found.setdefault("refetch_valid", examined.why_unobserved)
    return found


def _exclusion(trail: Trail) -> str | None:
    """The paper's exclusion: an observation of the continuation carries a tool-execution error, so the environment failed."""
    if trail.slot is None:
        return None
    for place in trail.own:
        error = place.step.error
        if error and error.type == ENVIRONMENT_FAULT:
            return f"{place.number}: {ENVIRONMENT_FAULT}" + (f" ({error.message})" if error.message else "")
    return None


def _results(examined: Examination, given: Labels) -> tuple[Judged, ...]:
    if examined.verdict is None:
        return given.results
    return (*(result for result in given.results if result.judge != JUDGE), examined.verdict)


def _given(given: Labels) -> dict[str, Any]:
    return {name: value for name, value in given.diagnostics.items() if name not in _OURS}


def _diagnostics(examined: Examination) -> dict[str, Any]:
    found: dict[str, Any] = {"noticed_rule": NOTICED_RULE, **_of_notice(examined.notice)}
    if examined.observed:
        found |= _of_slot(examined.trail, examined.use, examined.observed)
    if examined.rests_on:
        found["answer_rests_on"] = examined.rests_on.value
    return found


def _of_notice(notice: Notice) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    if notice.pair:
        heard, action = notice.pair
        found["notice_target"] = heard.target.value
        found["notice_distance"] = action.place.order - heard.place.order
    if notice.heard:
        found["signals"] = [heard.place.number for heard in notice.heard]
    if notice.unrelated:
        found["unrelated_signals"] = [place.number for place, _, _ in notice.unrelated]
    return found


def _of_slot(trail: Trail, use: SlotUse, observed: Observed) -> dict[str, Any]:
    found: dict[str, Any] = {
        "start_state": observed.start_state.value,
        "state_step": observed.latest.number if observed.latest else None,
        "O_literal": observed.literal.value,
        "grounded": observed.is_grounded,
    }
    if observed.refetches:
        found |= {
            "refetch_steps": [call.place.number for call in observed.refetches],
            "refetch_same_args": any(call.same_arguments for call in observed.refetches),
            "refetch_same_entity": any(call.same_entity for call in observed.refetches),
            "refetch_rounds": observed.rounds,
            "refetch_distance": observed.refetches[0].place.order - trail.first_own + 1,
        }
    carriers = [place for place in trail.own if place.is_call and trail.consumer and place.tool == trail.consumer]
    if carriers:
        found["carrier_state"] = (use.carried(carriers[-1]) or State.NEITHER).value
    return found
