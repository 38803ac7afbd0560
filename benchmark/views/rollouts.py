"""Reading trajectories: the list, one case box, long values on demand; and what researchers write about a rollout."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from benchmark.actions import notes
from benchmark.core import text
from benchmark.forms.notes import DiagnosisForm, MechanismForm
from benchmark.forms.rollouts import RolloutFilter
from benchmark.models import Rollout
from benchmark.permissions import Right, SignedInRequest, requires
from benchmark.report import rollouts as listing
from benchmark.report.case import case_of_rollout, diagnosis_of, mechanism_of
from benchmark.report.observation import look, plain_text
from benchmark.report.steps import step_index, whole_of_step

CASE_PARTS = {"task": "task", "goal": "goal", "answer": "final_answer"}


@requires(Right.READ)
@require_safe
def rollouts(request: SignedInRequest) -> HttpResponse:
    """All rollouts that pass the filters of the address, 30 a page."""
    form = RolloutFilter(request.GET)
    form.is_valid()
    found = listing.narrowed(form.cleaned_data)
    before = request.GET.get("before", "")
    count = listing.counted(found)
    context = {
        "form": form,
        "listed": listing.page(found, int(before) if before.isdecimal() and len(before) < 19 else None),
        "count": count,
        "most": listing.COUNTED,
        "filters": _without(request, "before"),
        "anything": count > 0 or Rollout.objects.arrived().exists(),
    }
    swap = request.htmx.target == "rollouts"
    return render(request, "benchmark/_rollouts.html" if swap else "benchmark/rollout_list.html", context)


@requires(Right.READ)
@require_safe
def rollout(request: SignedInRequest, pk: int) -> HttpResponse:
    """One case box."""
    row = get_object_or_404(Rollout.objects.arrived().select_related("model", "unit", "batch", "batch__who"), pk=pk)
    siblings = Rollout.objects.arrived().filter(batch=row.batch_id).order_by("pk").values_list("pk", flat=True)
    context = _place(request, pk) | {
        "rollout": row,
        "case": case_of_rollout(row),
        "newer": siblings.filter(pk__gt=pk).first(),
        "older": siblings.filter(pk__lt=pk).last(),
    }
    return render(request, "benchmark/rollout_detail.html", context)


@requires(Right.READ)
@require_safe
def whole(request: SignedInRequest, pk: int, part: str) -> HttpResponse:
    """The whole of a long value, opened piece by piece: `task`, `goal`, `answer`, or a step's, `observation-R4`."""
    columns = [CASE_PARTS[part]] if part in CASE_PARTS else []
    row = get_object_or_404(Rollout.objects.arrived().only("prefix_count", "step_count", *columns), pk=pk)
    source = text.write(getattr(row, columns[0])) if columns else whole_of_step(row, part)
    if source is None or source == text.write(None):
        raise Http404
    if request.GET.get("view") in ("raw", "download"):
        return _raw(source, f"rollout-{pk}-{part}.txt", request.GET["view"])
    seen = look(source, request.GET)
    if seen is None:
        raise Http404
    back = f"{reverse('benchmark:rollout', args=[pk])}#{part.rpartition('-')[2]}"
    context = {**seen.context(request.path, part), "back": back, "can_copy": True}
    return render(request, seen.template(bool(request.htmx), request.htmx.target), context)


@requires(Right.RESEARCH)
@require_http_methods(["GET", "HEAD", "POST"])
def diagnosis(request: SignedInRequest, pk: int, number: str) -> HttpResponse:
    """Word a step's diagnosis differently. `?keep` shows it as it stands."""
    row = get_object_or_404(Rollout.objects.arrived().only("prefix_count", "step_count", "reading"), pk=pk)
    index = step_index(number, row.prefix_count, row.step_count)
    noted = None if index is None else diagnosis_of(row, index)
    if index is None or noted is None:
        raise Http404
    form = DiagnosisForm(request.POST if request.method == "POST" else None, initial={"words": noted.said})
    if form.is_valid():
        notes.edit_diagnosis(rollout=row, index=index, words=form.cleaned_data["words"], who=request.user)
        return redirect(f"{request.path}?keep=saved")
    context = _place(request, pk) | {"noted": noted, "form": form, "settled": request.GET.get("keep") == "saved"}
    return _written(request, "diagnosis", f"{context['back']}#{number}", context, status=422 if form.is_bound else 200)


@requires(Right.RESEARCH)
@require_http_methods(["GET", "HEAD", "POST"])
def mechanism(request: SignedInRequest, pk: int) -> HttpResponse:
    """Say why a rollout failed. `?keep` shows what stands."""
    row = get_object_or_404(Rollout.objects.arrived().only("pk"), pk=pk)
    told = mechanism_of(row)
    form = MechanismForm(request.POST if request.method == "POST" else None, initial={"words": told.words})
    if form.is_valid():
        notes.write_mechanism(rollout=row, words=form.cleaned_data["words"], who=request.user)
        return redirect(f"{request.path}?keep=saved")
    context = _place(request, pk) | {"mechanism": told, "form": form, "settled": request.GET.get("keep") == "saved"}
    return _written(request, "mechanism", f"{context['back']}#mechanism", context, status=422 if form.is_bound else 200)


def _place(request: SignedInRequest, pk: int) -> dict[str, Any]:
    """What the parts of a case box need to know of where they stand."""
    back = reverse("benchmark:rollout", args=[pk])
    return {
        "pk": pk,
        "back": back,
        "steps": f"{back}steps/",
        "whole": f"{back}whole/",
        "may_write": request.user.has_perm(Right.RESEARCH.permission),
    }


def _written(request: SignedInRequest, noun: str, place: str, context: dict[str, Any], status: int) -> HttpResponse:
    """The form, or with `?keep` the words that stand: as a fragment for htmx, else as a page of its own."""
    keep = "keep" in request.GET
    if keep and not request.htmx:
        return redirect(place)
    if request.htmx:
        return render(request, f"benchmark/_{noun}{'' if keep else '_form'}.html", context, status=status)
    return render(
        request,
        "benchmark/rollout_write.html",
        context | {"form_template": f"benchmark/_{noun}_form.html"},
        status=status,
    )


def _raw(source: str, name: str, view: str) -> HttpResponse:
    response = HttpResponse(plain_text(source), content_type="text/plain; charset=utf-8")
    response.headers["Content-Disposition"] = f'{"attachment" if view == "download" else "inline"}; filename="{name}"'
    return response


def _without(request: SignedInRequest, name: str) -> str:
    """The address's filters as a query string, without one of them and without the empty ones."""
    kept = request.GET.copy()
    for key, value in list(kept.items()):
        if key == name or not value:
            del kept[key]
    return kept.urlencode()
