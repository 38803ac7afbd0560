"""The benchmark app."""

from django.apps import AppConfig


class BenchmarkConfig(AppConfig):
    """Traces, units, rollouts, labels, reports."""

    name = "benchmark"
