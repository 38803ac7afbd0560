"""Addresses of the benchmark's pages."""

from django.urls import path

from benchmark.views import health, home

app_name = "benchmark"

urlpatterns = [
    path("", home.home, name="home"),
    path("theme/", home.theme, name="theme"),
    path("health", health.health_page, name="health"),
    path("health.json", health.health_probe, name="health-probe"),
]
