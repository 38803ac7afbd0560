"""Studies as researchers run them: the list, pause, close and archive, texts, files."""

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_safe

from annotation.actions import studies as actions
from annotation.core.study_file import design_of, to_yaml
from annotation.forms.studies import TEXT_KINDS, TextForm
from annotation.models import Study
from annotation.report import study_export
from annotation.report.texts import html_of
from annotation.views.access import confirm, found_study, study_page
from benchmark.permissions import Right, SignedInRequest, requires

PAGE = 50
VERBS: dict[str, Callable[..., None]] = {
    "pause": actions.pause,
    "resume": actions.resume,
    "close": actions.close,
    "reopen": actions.reopen,
    "archive": actions.archive,
    "unarchive": actions.unarchive,
}
DONE = {
    "pause": "“{}” is paused: drafts are kept, submits are refused.",
    "resume": "“{}” goes on.",
    "close": "“{}” is closed and takes no more labels.",
    "reopen": "“{}” is open again.",
    "archive": "“{}” is in the archive.",
    "unarchive": "“{}” is out of the archive.",
}
CLOSE_SAYS = (
    "Nothing is accepted any more: no label, no review. Drafts stay with their annotators.",
    "Figures use the reviews given up to this moment.",
    "You can reopen it later; the closing stays on record.",
)
FILES: dict[str, tuple[str, Callable[[Study], Iterator[str]]]] = {
    "labels.jsonl": ("application/x-ndjson", study_export.lines),
    "labels.csv": ("text/csv", study_export.csv_lines),
    "matrix.csv": ("text/csv", study_export.matrix_lines),
    "audit.csv": ("text/csv", study_export.audit_lines),
    "study.yaml": ("application/yaml", lambda study: iter([to_yaml(design_of(study.design))])),
}


@requires(Right.RESEARCH)
@require_safe
def study_list(request: SignedInRequest) -> HttpResponse:
    """Studies, newest first; `?archived=1` shows those in the archive."""
    archived = request.GET.get("archived") == "1"
    before = request.GET.get("before", "")
    studies = Study.objects.filter(archived=archived).select_related("owner").with_counts().order_by("-pk")
    if before.isdecimal():
        studies = studies.filter(pk__lt=int(before))
    page = list(studies[: PAGE + 1])
    older = page[PAGE - 1].pk if len(page) > PAGE else None
    return render(request, "annotation/study_list.html", {"studies": page[:PAGE], "archived": archived, "older": older})


@requires(Right.RESEARCH)
@require_http_methods(["GET", "HEAD", "POST"])
def study_move(request: SignedInRequest, pk: int, verb: str) -> HttpResponse:
    """Pause, resume, close, reopen, archive or unarchive; closing asks first, archiving can be undone."""
    if verb not in VERBS:
        raise Http404
    study = found_study(pk)
    back = reverse("annotation:study", args=[pk])
    if request.method != "POST":
        if verb != "close":
            raise Http404
        return confirm(request, title=f"Close “{study.name}”?", button="Close the study", back=back, says=CLOSE_SAYS)
    try:
        VERBS[verb](study=study, who=request.user)
    except actions.StudyRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, DONE[verb].format(study.name))
    return redirect(back)


@requires(Right.RESEARCH)
@require_http_methods(["GET", "HEAD", "POST"])
def study_text(request: SignedInRequest, pk: int, kind: str) -> HttpResponse:
    """The guidelines or the consent text: write a new version, look at it, read the older ones (`?version=`)."""
    if kind not in TEXT_KINDS:
        raise Http404
    study = found_study(pk)
    versions = list(TEXT_KINDS[kind].objects.filter(study=study).select_related("who").order_by("-version"))
    newest = versions[0] if versions else None
    asked = request.GET.get("version", "")
    shown = next((text for text in versions if str(text.version) == asked), newest)
    initial = {"text": newest.text, "lang": newest.lang, "dir": newest.dir} if newest else {}
    form = TextForm(request.POST or None, initial=initial)
    if form.is_valid() and request.POST.get("do") == "save":
        actions.write_text(study=study, kind=TEXT_KINDS[kind], who=request.user, **form.cleaned_data)
        messages.success(request, "The text is saved as a new version.")
        return redirect("annotation:study-text", pk, kind)
    looked = html_of(form.cleaned_data["text"]) if form.is_bound and form.is_valid() else None
    context = {
        "kind": kind,
        "form": form,
        "versions": versions,
        "shown": shown,
        "html": looked if looked is not None else html_of(shown.text) if shown else "",
        "draft": looked is not None,
    }
    template = "annotation/_text_look.html" if request.htmx.target == "text-look" else "annotation/study_text.html"
    return study_page(request, study, template, context, status=422 if form.errors else 200)


@requires(Right.RESEARCH)
@require_safe
def study_file(request: SignedInRequest, pk: int, file: str) -> Any:
    """A study's labels, plan or design as a file, written while it is sent."""
    if file not in FILES:
        raise Http404
    study = found_study(pk)
    content_type, lines = FILES[file]
    response = StreamingHttpResponse(lines(study), content_type=f"{content_type}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{slugify(study.name) or "study"}-{pk}-{file}"'
    response.headers["Cache-Control"] = "no-store"
    return response


@requires(Right.RESEARCH)
@require_safe
def study_files(request: SignedInRequest, pk: int) -> HttpResponse:
    """What can be downloaded of a study, and what each file holds."""
    return study_page(request, found_study(pk), "annotation/study_files.html", {})
