"""Rows of the benchmark: accounts, imports, units, rollouts, steps, judgments, answers that were given."""

from benchmark.models.account import Account, ApiToken, ResetLink
from benchmark.models.answer import KeptAnswer
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
    "KeptAnswer",
    "MechanismNote",
    "ResetLink",
    "Rollout",
    "Step",
    "Unit",
    "WorkerBeat",
]
