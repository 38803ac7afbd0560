"""The study and import fixtures, for this folder."""

from tests.benchmark.records import imported  # noqa: F401
from tests.studies import make_rollout, make_study  # noqa: F401
