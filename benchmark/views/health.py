"""Is everything running? A page for people, a short answer for probes."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from benchmark.permissions import Right, requires
from benchmark.report.health import findings, workers


@requires(Right.RESEARCH)
@never_cache
@require_GET
def health_page(request: HttpRequest) -> HttpResponse:
    """Each thing looked at with what to do about it, and the workers with their last heartbeat."""
    found = findings()
    reachable = found[0].ok
    context = {"findings": found, "ok": all(f.ok for f in found), "workers": workers() if reachable else []}
    return render(request, "benchmark/health.html", context)


@never_cache
@require_GET
def health_probe(request: HttpRequest) -> HttpResponse:
    """Yes or no for each thing, for anyone; status 503 when pages cannot be served. A missing worker alone is no 503."""
    found = findings()
    body = {"ok": all(finding.ok for finding in found), **{finding.key: finding.ok for finding in found}}
    stopped = any(finding.stops_pages and not finding.ok for finding in found)
    return JsonResponse(body, status=503 if stopped else 200)
