"""The rule judge: does the final answer resolve the query? Decided from the unit's constraint alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.core.labelling import assertion
from benchmark.core.labelling.constraint import BadConstraint, Clause, clauses, holds, keys_of, sentence
from benchmark.core.labelling.support import Evidence, names_of
from benchmark.core.labelling.trail import Trail
from benchmark.core.taxonomy import End, ResultLabel, State
from benchmark.core.text import plain
from benchmark.core.trajectory import ABSENT, Final, Judged

JUDGE = "rule/1"

_ENDED = {
    End.BUDGET: "The step budget was used up before an answer.",
    End.PARSE_LIMIT: "The rollout ended at the third unreadable reply in a row, without an answer.",
}
_LONGEST_VALUE = 120


@dataclass(frozen=True, slots=True)
class Finding:
    """One clause as it turned out. `holds` is what a right answer needs: for a forbidden clause, that it is not met."""

    clause: Clause
    holds: bool
    why: str


@dataclass(frozen=True, slots=True)
class Weighed:
    """A final answer against its constraint: every clause's finding, and what else speaks against the answer."""

    findings: tuple[Finding, ...]
    objections: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_solved(self) -> bool:
        """All required clauses hold, no forbidden one is met, and every claim is supported."""
        return all(finding.holds for finding in self.findings) and not self.objections

    @property
    def rests_on(self) -> State:
        """Gold if all required clauses hold and no forbidden one is met, the substitute if one is met, else neither."""
        if any(not finding.holds for finding in self.findings if finding.clause.part == "forbidden"):
            return State.RESIDUAL
        required = [finding.holds for finding in self.findings if finding.clause.part == "required"]
        return State.RECOVERED if required and all(required) else State.NEITHER


def judge(trail: Trail) -> tuple[Judged | None, State | None]:
    """The rule judge's label with its rationale, and what the answer rests on; None where there is nothing to judge by.

    Solved iff the values that the answer asserts satisfy every required clause and no forbidden one, the text does not
    contradict them, and every task-critical claim is supported by the reference evidence or a new observation. A
    rollout that used up its budget or its readable replies is unsolved by rule. A constraint that is not well formed
    is a judge error, never an unsolved rollout.
    """
    end = trail.rollout.end
    if end in _ENDED:
        return Judged(judge=JUDGE, label=ResultLabel.UNSOLVED, rationale=_ENDED[end]), None
    constraint = trail.unit.constraint if trail.unit else None
    if not constraint:
        return None, None
    try:
        weighed = weigh(trail, constraint, trail.rollout.final)
    except BadConstraint as error:
        told = f"The constraint cannot be judged: {error}."
        return Judged(judge=JUDGE, label=ResultLabel.JUDGE_ERROR, rationale=told), None
    label = ResultLabel.SOLVED if weighed.is_solved else ResultLabel.UNSOLVED
    return Judged(judge=JUDGE, label=label, rationale=_rationale(weighed)), weighed.rests_on


def weigh(trail: Trail, constraint: Mapping[str, Any], final: Final | None) -> Weighed:
    """Test a final answer clause by clause; raise BadConstraint where the constraint is not well formed."""
    found = clauses(constraint)
    if final is None:
        return Weighed((), ("There is no final answer.",))
    names = names_of(trail)
    keys = keys_of(constraint)
    asserted = assertion.read(final, keys, found, names)
    evidence = Evidence(trail, names)
    findings = [_tested(clause, asserted, names) for clause in found if clause.part != "evidence"]
    findings += [_shown(clause, evidence) for clause in found if clause.part == "evidence" and evidence.has_reference]
    met = {finding.clause.key for finding in findings if finding.clause.part == "forbidden" and not finding.holds}
    unmet = [clause for clause in found if clause.key not in met]
    objections = _contradictions(final, unmet, names) + _unsupported(keys, asserted, found, evidence)
    notes = (
        ()
        if evidence.has_reference
        else ("The record brings no reference evidence; support was not checked against it.",)
    )
    return Weighed(tuple(findings), tuple(objections), notes)


def _tested(clause: Clause, asserted: assertion.Asserted, names: Any) -> Finding:
    value = asserted.get(clause.key)
    is_met = holds(clause, value, names)
    stated = (
        f"the answer gives {_brief(value)}"
        if value is not ABSENT
        else asserted.notes.get(clause.key, "the answer does not give it")
    )
    return Finding(clause, is_met is (clause.part == "required"), stated)


def _shown(clause: Clause, evidence: Evidence) -> Finding:
    is_met = evidence.supports(clause)
    return Finding(clause, is_met, "the evidence shows it" if is_met else "no reference or new observation shows it")


def _contradictions(final: Final, found: Sequence[Clause], names: Any) -> list[str]:
    if final.result is None:
        return []
    against = assertion.contradiction(final.answer, found, names)
    if against is None:
        return []
    return [f"The text asserts {_brief(against[1])} for {against[0]}, against the result object."]


def _unsupported(
    keys: Sequence[str], asserted: assertion.Asserted, found: Sequence[Clause], evidence: Evidence
) -> list[str]:
    if not evidence.has_reference:
        return []
    required = [clause for clause in found if clause.part == "required"]
    objections = []
    for key in keys:
        missing = evidence.unsupported(key, asserted.get(key), required)
        if missing:
            claims = ", ".join(_brief(claim) for claim in missing[:3])
            objections.append(
                f"Nothing in the reference evidence or the new observations supports {claims} under {key}."
            )
    return objections


def _rationale(weighed: Weighed) -> str:
    failed = [
        f"{sentence(finding.clause)} Not met: {finding.why}." for finding in weighed.findings if not finding.holds
    ]
    if failed or weighed.objections:
        return " ".join([*failed, *weighed.objections, *weighed.notes])
    kept = [
        f"{sentence(finding.clause)} Met: {finding.why}."
        for finding in weighed.findings
        if finding.clause.part == "required"
    ]
    return " ".join([*kept, "No forbidden value is asserted and every claim is supported.", *weighed.notes])


def _brief(value: Any) -> str:
    told = f"“{value}”" if isinstance(value, str) else plain(value)
    return told if len(told) <= _LONGEST_VALUE else told[: _LONGEST_VALUE - 1] + "…"
