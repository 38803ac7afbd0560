"""Addresses of the benchmark's pages."""

from django.urls import path

from benchmark.views import health

app_name = "benchmark"

urlpatterns = [
    path("health", health.health_page, name="health"),
    path("health.json", health.health_probe, name="health-probe"),
]
