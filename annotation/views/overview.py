"""The first page of everyone who may read trajectories."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.report import overview as report
from benchmark.models import Rollout
from benchmark.permissions import Right, SignedInRequest, requires


@requires(Right.READ)
@require_safe
def overview(request: SignedInRequest) -> HttpResponse:
    """What to do next, studies in progress, recent imports."""
    researcher = request.user.has_perm(Right.RESEARCH.permission)
    studies = list(report.studies_in_progress()) if researcher else []
    imports = list(report.recent_imports()) if researcher else []
    context = {
        "studies": studies,
        "imports": imports,
        "waiting": list(report.waiting(studies, imports)) if researcher else [],
        "anything": Rollout.objects.exists(),
    }
    return render(request, "annotation/overview.html", context)
