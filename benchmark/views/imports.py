"""Bringing trajectories: drop files, look at what they are, go ahead, watch, read the report."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from benchmark.actions import imports as actions
from benchmark.forms.imports import LICENCES, GoAheadForm, UploadForm
from benchmark.models import ImportBatch, WorkerBeat
from benchmark.permissions import HtmxRequest, Right, SignedInRequest, requires
from benchmark.report.preview import first_cases

PAGE = 30


@requires(Right.RESEARCH)
@require_http_methods(["GET", "POST"])
def import_list(request: SignedInRequest) -> HttpResponse:
    """The files brought so far, newest first, and the place to drop new ones."""
    form = UploadForm(request.POST or None, request.FILES or None) if request.method == "POST" else UploadForm()
    if request.method == "POST" and form.is_valid():
        brought = [actions.receive(upload=upload, who=request.user) for upload in form.cleaned_data["uploads"]]
        if len(brought) == 1:
            return redirect("benchmark:import-detail", brought[0].pk)
        return redirect("benchmark:imports")
    before = request.GET.get("before", "")
    batches = ImportBatch.objects.select_related("who").defer("report")
    if before.isdecimal():
        batches = batches.filter(pk__lt=int(before))
    page = list(batches[: PAGE + 1])
    context = {"form": form, "batches": page[:PAGE], "older": page[PAGE - 1].pk if len(page) > PAGE else None}
    return render(request, "benchmark/import_list.html", context, status=422 if form.errors else 200)


@requires(Right.RESEARCH)
@require_GET
def import_detail(request: HtmxRequest, pk: int) -> HttpResponse:
    """One file: what it is, how far it is, what it would bring or has brought."""
    batch = get_object_or_404(ImportBatch.objects.select_related("who"), pk=pk)
    return _render(request, batch, GoAheadForm(batch=batch))


@requires(Right.RESEARCH)
@require_POST
def import_go_ahead(request: HtmxRequest, pk: int) -> HttpResponse:
    """Start the import of a file that was scanned and looked at."""
    batch = get_object_or_404(ImportBatch, pk=pk)
    form = GoAheadForm(request.POST, batch=batch)
    if not form.is_valid():
        return _render(request, batch, form, status=422)
    said = form.cleaned_data
    try:
        actions.go_ahead(
            batch=batch,
            source=said["source"],
            licence=said["licence"],
            model_name=said.get("model_name", ""),
            mask=said.get("mask", False),
        )
    except actions.NotNow as reason:
        messages.warning(request, str(reason))
    return redirect("benchmark:import-detail", pk)


@requires(Right.RESEARCH)
@require_POST
def import_cancel(request: HtmxRequest, pk: int) -> HttpResponse:
    """Stop a scan or an import, or discard a file that waits; nothing of it stays."""
    batch = get_object_or_404(ImportBatch, pk=pk)
    try:
        actions.cancel(batch=batch)
    except actions.NotNow as reason:
        messages.warning(request, str(reason))
    return redirect("benchmark:import-detail", pk)


def _render(request: HtmxRequest, batch: ImportBatch, form: GoAheadForm, status: int = 200) -> HttpResponse:
    waiting = batch.status == ImportBatch.Status.WAITING
    working = batch.status in (ImportBatch.Status.SCANNING, ImportBatch.Status.RUNNING)
    swap = request.htmx.target == "import-state"
    context = {
        "batch": batch,
        "form": form,
        "licences": LICENCES,
        "working": working,
        "no_worker": working and not WorkerBeat.objects.alive().exists(),
        "cases": first_cases(batch) if waiting else [],
        "percent": 100 * batch.bytes_done // max(batch.size, 1),
    }
    template = "benchmark/_import_state.html" if swap else "benchmark/import_detail.html"
    return render(request, template, context, status=status)
