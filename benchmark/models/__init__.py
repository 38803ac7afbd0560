"""Rows of the benchmark: accounts, imports, units, rollouts, steps, judgments."""

from benchmark.models.account import Account, ApiToken, ResetLink
from benchmark.models.imports import ImportBatch
from benchmark.models.rollout import AgentModel, DiagnosisEdit, Judgment, MechanismNote, Rollout, Step
from benchmark.models.unit import Unit
from benchmark.models.worker import WorkerBeat

__all__ = [
    "Account",
    "AgentModel",
    "ApiToken",
    "DiagnosisEdit",
    "ImportBatch",
    "Judgment",
    "MechanismNote",
    "ResetLink",
    "Rollout",
    "Step",
    "Unit",
    "WorkerBeat",
]
