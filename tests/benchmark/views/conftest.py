"""The import fixture, for this folder."""

from tests.benchmark.records import imported  # noqa: F401
