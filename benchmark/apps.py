"""The benchmark app."""

from django.apps import AppConfig


class BenchmarkConfig(AppConfig):
    """Traces, units, rollouts, labels, reports."""

    name = "benchmark"

    def ready(self) -> None:
        """Register the system check that names a Python without full-text search."""
        from benchmark import checks  # noqa: F401
