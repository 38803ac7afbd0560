"""Addresses of the API below /api/v1/; the human validation adds its own."""

from django.urls import path

from benchmark.api.views import documents, imports, rollouts

app_name = "benchmark-api"

urlpatterns = [
    path("docs", documents.docs, name="docs"),
    path("schema", documents.Schema.as_view(), name="schema"),
    path("imports", imports.ImportList.as_view(), name="imports"),
    path("imports/<int:pk>", imports.ImportDetail.as_view(), name="import"),
    path("imports/<int:pk>/go-ahead", imports.GoAhead.as_view(), name="import-go-ahead"),
    path("imports/<int:pk>/cancel", imports.Cancel.as_view(), name="import-cancel"),
    path("rollouts", rollouts.RolloutList.as_view(), name="rollouts"),
    path("rollouts/<int:pk>", rollouts.RolloutDetail.as_view(), name="rollout"),
    path("rollouts/<int:pk>/steps", rollouts.StepList.as_view(), name="steps"),
    path("rollouts/<int:pk>/steps/<int:index>/observation", rollouts.Observation.as_view(), name="observation"),
    path("rollouts/<int:pk>/judgments", rollouts.JudgmentList.as_view(), name="judgments"),
]
