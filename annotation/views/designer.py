"""The study designer: what to sample, who labels, a live look at what would come of it; drafts from files; the start."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotation.actions.seats import SeatRefused
from annotation.actions.starting import StartRefused, start
from annotation.actions.studies import StudyRefused, change_design, create_study
from annotation.core.shipped import shipped
from annotation.core.strata import Stratum
from annotation.core.study_design import StudyDesign
from annotation.core.study_file import DesignRefused, design_of
from annotation.forms.studies import EVENLY, DesignForm, EvenlyForm, StudyFileForm
from annotation.forms.wanted import CELLS, MARGINS, Typed, evenly, typed_of, typed_of_design, wanted_table
from annotation.models import Study
from annotation.models.eligible import eligibility, sources
from annotation.models.standing import standing
from annotation.report.preview import preview
from annotation.views.access import found_study, study_page
from benchmark.models import ImportBatch
from benchmark.permissions import Right, SignedInRequest, requires

BATCHES_SHOWN = 100
PARTS = {"study-sample": "annotation/_study_sample_look.html", "study-preview": "annotation/_study_preview.html"}


@requires(Right.RESEARCH)
@require_http_methods(["GET", "POST"])
def study_new(request: SignedInRequest) -> HttpResponse:
    """Design a study; nothing is stored until it is saved as a draft."""
    form = _form(request, None)
    if request.POST.get("do") == "save" and form.is_valid() and form.design:
        try:
            study = create_study(
                design=form.design, owner=request.user, guidelines=shipped("guidelines"), consent=shipped("consent")
            )
        except DesignRefused as refused:
            form.refuse(refused)
        else:
            messages.success(request, f"“{study.name}” is saved as a draft.")
            return redirect("annotation:study-design", study.pk)
    return _look(request, form, "annotation/study_new.html", {})


@requires(Right.RESEARCH)
@require_http_methods(["GET", "POST"])
def design(request: SignedInRequest, pk: int) -> HttpResponse:
    """Change a draft's design; once the study has started, read it."""
    study = found_study(pk)
    if study.status != Study.Status.DRAFT:
        return _read(request, study)
    form = _form(request, design_of(study.design))
    if request.POST.get("do") == "save" and form.is_valid() and form.design:
        try:
            change_design(study=study, design=form.design, who=request.user)
        except DesignRefused as refused:
            form.refuse(refused)
        except (StudyRefused, SeatRefused) as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, "The design is saved.")
            return redirect("annotation:study-design", pk)
    return _look(request, form, "annotation/study_design.html", {"study": study})


@requires(Right.RESEARCH)
@require_POST
def study_start(request: SignedInRequest, pk: int) -> HttpResponse:
    """Freeze the labels and deal the plan; a refusal says everything that is wrong."""
    study = found_study(pk)
    try:
        start(study=study, who=request.user)
    except StartRefused as refused:
        if study.status != Study.Status.DRAFT:
            messages.warning(request, str(refused))
            return redirect("annotation:study", pk)
        form = _form(request, design_of(study.design))
        context = {"study": study, "refused": refused.problems}
        return _look(request, form, "annotation/study_design.html", context)
    messages.success(request, f"“{study.name}” has started. Invite its annotators next.")
    return redirect("annotation:study", pk)


@requires(Right.RESEARCH)
@require_http_methods(["GET", "POST"])
def study_from_file(request: SignedInRequest) -> HttpResponse:
    """Make a draft from a study file, with the guidelines it names."""
    form = StudyFileForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        try:
            study = create_study(
                design=form.design,
                owner=request.user,
                guidelines=form.guidelines_text or shipped("guidelines"),
                consent=shipped("consent"),
            )
        except DesignRefused as refused:
            form.add_error("file", [f"{problem.key}: {problem.text}" for problem in refused.problems])
        else:
            messages.success(request, f"“{study.name}” is saved as a draft.")
            return redirect("annotation:study-design", study.pk)
    return render(request, "annotation/study_file.html", {"form": form}, status=422 if form.errors else 200)


def _form(request: SignedInRequest, stored: StudyDesign | None) -> DesignForm:
    """The form as typed, else as stored, else with what a new study begins with; `design` is the sound design, if any."""
    if "do" in request.POST:
        data = request.POST.copy()
        chosen = {int(pk) for pk in data.getlist("imports") if pk.isdecimal()}
        found = sources(chosen)
        if data.get("judge", "") not in found.judges:
            data["judge"] = found.judge
        form = DesignForm(data, batches=_batches(chosen), typed=typed_of(data))
        form.full_clean()
        return form
    if stored is None:
        return DesignForm(batches=_batches(()), typed=Typed())
    initial = stored.as_data() | {"imports": list(stored.imports)}
    initial["sampling"] = CELLS if stored.cells is not None else MARGINS
    form = DesignForm(initial=initial, batches=_batches(stored.imports), typed=typed_of_design(stored))
    form.design = stored
    return form


def _batches(chosen: Iterable[int]) -> list[tuple[int, str]]:
    """The newest finished imports, and the chosen ones however old."""
    done = ImportBatch.objects.filter(status=ImportBatch.Status.DONE).order_by("-pk")
    shown = {*done.values_list("pk", flat=True)[:BATCHES_SHOWN], *chosen}
    named = done.filter(pk__in=shown).annotate(count=Count("rollouts")).values_list("pk", "file_name", "count")
    return [(pk, f"{name}: {count:,} rollouts (import {pk})") for pk, name, count in named]


def _look(request: SignedInRequest, form: DesignForm, template: str, context: dict[str, Any]) -> HttpResponse:
    """The designer with what a start would give; after a change on the page only the part that it changes."""
    asked = _asked(form)
    found = sources(asked.imports)
    eligible = eligibility(asked, found.noticed_rule)
    most = min(EVENLY, eligible.eligible) or EVENLY
    spread = EvenlyForm(form.data if form.data.get("do") == "evenly" else None, initial={"total": most})
    if spread.is_valid():
        form.typed = evenly(spread.cleaned_data["total"], eligible.held)
        form.full_clean()
    would = preview(form.design, found.noticed_rule) if form.design else None
    drawn = would.drawn if would and would.balance else None
    sampling = form["sampling"].value()
    context |= {
        "form": form,
        "spread": spread,
        "found": found,
        "judge": asked.judge,
        "eligible": eligible,
        "table": wanted_table(sampling, form.typed, eligible.held, drawn),
        "preview": would,
    }
    saving = form.data.get("do") == "save"
    status = 422 if context.get("refused") or (saving and form.errors) else 200
    template = PARTS.get(request.htmx.target or "", template)
    if "study" in context:
        return study_page(request, context["study"], template, context, status)
    return render(request, template, context, status=status)


def _asked(form: DesignForm) -> StudyDesign:
    """What eligibility depends on, as far as it is typed: sources, questions, judge."""
    values = (
        form.cleaned_data if form.is_bound else {name: form[name].value() for name in ("imports", "labels", "judge")}
    )
    return StudyDesign(
        name="",
        imports=tuple(values.get("imports") or ()),
        labels=tuple(values.get("labels") or ()),
        judge=values.get("judge") or "",
        annotators=2,
        labels_per_item=1,
    )


def _read(request: SignedInRequest, study: Study) -> HttpResponse:
    """The design of a started study, what was drawn, and how even the plan is as it stands."""
    stored = design_of(study.design)
    drawn = Counter(Stratum(*pair) for pair in study.items.order_by().values_list("model", "condition"))
    context = {
        "design": stored,
        "table": wanted_table(CELLS, Typed(), drawn, drawn),
        "balance": standing(study).balance(),
    }
    return study_page(request, study, "annotation/study_design_read.html", context)
