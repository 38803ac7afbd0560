"""Rows of the benchmark: accounts, workflows, traces, units, releases, imports, rollouts, judgments, given answers."""

from benchmark.models.account import Account, ApiToken, ResetLink
from benchmark.models.answer import KeptAnswer
from benchmark.models.imports import ImportBatch
from benchmark.models.release import Release, ReleaseFile, ReleaseNote
from benchmark.models.rollout import AgentModel, DiagnosisEdit, Judgment, MechanismNote, Rollout, Step
from benchmark.models.trace import LogRecord, Snapshot, Trace
from benchmark.models.unit import GateResult, Instance, Slot, Unit, UnitNote
from benchmark.models.worker import WorkerBeat
from benchmark.models.workflow import Workflow, WorkflowVersion

__all__ = [
    "Account",
    "AgentModel",
    "ApiToken",
    "DiagnosisEdit",
    "GateResult",
    "ImportBatch",
    "Instance",
    "Judgment",
    "KeptAnswer",
    "LogRecord",
    "MechanismNote",
    "Release",
    "ReleaseFile",
    "ReleaseNote",
    "ResetLink",
    "Rollout",
    "Slot",
    "Snapshot",
    "Step",
    "Trace",
    "Unit",
    "UnitNote",
    "WorkerBeat",
    "Workflow",
    "WorkflowVersion",
]
