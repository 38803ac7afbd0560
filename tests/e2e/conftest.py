"""The study fixtures, for this folder."""

from tests.studies import make_rollout, make_study  # noqa: F401
