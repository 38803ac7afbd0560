"""One item in an annotator's hands: read, draft, lock, review. What each request answers, never what is allowed."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from annotation.actions import labelling
from annotation.forms.labelling import BlindForm, DraftForm, ReviewForm
from annotation.models import Assignment, Draft, Guidelines, Review, StudyClosed
from annotation.report.blind import blind_case, blind_whole, step_numbers
from annotation.report.queue import next_place, progress_of
from annotation.report.texts import html_of
from annotation.views import panel
from annotation.views.places import AnnotatorRequest, at_place, is_locked, stage_of
from benchmark.report.observation import look, plain_text

STAGE, ITEM = "stage", "item"


@require_safe
@at_place
def item(request: AnnotatorRequest, place: Assignment) -> HttpResponse:
    """The item as it stands: blind form, review, or word that the review comes later.

    A page fetched ahead is not shown to anyone: nothing is noted, and only blind pages can be fetched so.
    """
    if "X-Prefetch" not in request.headers:
        labelling.mark_shown(assignment=place)
    elif is_locked(place):
        return HttpResponse(status=204)
    return _answer(request, place, _standing(place))


@require_POST
@at_place
def shown(request: AnnotatorRequest, place: Assignment) -> HttpResponse:
    """A page fetched ahead came into view, or an open one reports its active time."""
    form = _draft_form(request, place)
    form.is_valid()
    labelling.mark_shown(assignment=place)
    labelling.record_time(assignment=place, seconds=form.cleaned_data["seconds"])
    return HttpResponse(status=204)


@require_POST
@at_place
def draft(request: AnnotatorRequest, place: Assignment) -> HttpResponse:
    """Keep what is filled in so far; answers with the word in the bar and the draft's version."""
    form = _draft_form(request, place)
    if not form.is_valid():
        sentence = " ".join(filter(None, (form.error_of(question) for question in form.questions)))
        return _draft_word(request, place, "refused", status=422, sentence=sentence)
    labelling.record_time(assignment=place, seconds=form.cleaned_data["seconds"])
    try:
        saved = labelling.save_draft(assignment=place, **form.answers(), version=int(form.cleaned_data["version"]))
    except labelling.StaleDraft as stale:
        theirs = panel.asked_of_answers(place.item.study, stale.draft)
        return _draft_word(request, place, "stale", status=409, version=stale.draft.version, theirs=theirs)
    except labelling.AlreadyLocked:
        return _draft_word(request, place, "locked", status=409)
    except StudyClosed as closed:
        return _draft_word(request, place, "closed", status=409, sentence=str(closed))
    return _draft_word(request, place, "saved", version=saved.version)


@require_POST
@at_place
def submit(request: AnnotatorRequest, place: Assignment) -> HttpResponse:
    """Lock the answers. The first labels stand: the same again is fine, others are shown beside what is locked."""
    form = BlindForm(request.POST, study=place.item.study, numbers=step_numbers(place.item.rollout))
    if not form.is_valid():
        if is_locked(place):
            return _answer(request, place, _conflict(place, form), status=409)
        return _answer(request, place, _typed(form), status=422)
    try:
        labelling.submit_blind(assignment=place, **form.answers(), seconds=form.cleaned_data["seconds"])
    except labelling.LockedOtherwise as conflict:
        place.blind_label = conflict.label
        return _answer(request, place, _conflict(place, form), status=409)
    except StudyClosed as closed:
        return _answer(request, place, _typed(form, str(closed)), status=409)
    return redirect("annotation:item", place.public_id)


@require_POST
@at_place
def review(request: AnnotatorRequest, place: Assignment) -> HttpResponse:
    """Add a version of the review; one saved in another tab meanwhile is shown beside what was typed."""
    if not is_locked(place) or not labelling.open_review(assignment=place):
        return _answer(request, place, _standing(place), status=409)
    form = ReviewForm(request.POST, study=place.item.study)
    if not form.is_valid():
        return _answer(request, place, _review(place, form), status=422)
    try:
        labelling.submit_review(assignment=place, **form.answers())
    except labelling.ReviewChanged as changed:
        context = _review(place, form) | {"changed": panel.responses_of(changed.review)}
        return _answer(request, place, context, status=409)
    except StudyClosed as closed:
        return _answer(request, place, _review(place, form) | {"refusal": str(closed)}, status=409)
    return redirect("annotation:item", place.public_id)


@require_safe
@at_place
def whole(request: AnnotatorRequest, place: Assignment, part: str) -> HttpResponse:
    """A long text opened piece by piece: for its place on the page, as a page of its own, or raw."""
    source = blind_whole(place.item.rollout, part)
    if source is None:
        raise Http404
    if request.GET.get("view") in ("raw", "download"):
        disposition = "attachment" if request.GET["view"] == "download" else "inline"
        headers = {"Content-Disposition": f'{disposition}; filename="{part}.txt"'}
        return HttpResponse(plain_text(source), content_type="text/plain; charset=utf-8", headers=headers)
    seen = look(source, request.GET)
    if seen is None:
        raise Http404
    back = f"{reverse('annotation:item', args=[place.public_id])}#{part.rpartition('-')[2]}"
    context = {**seen.context(request.path, part), "back": back}
    return render(request, seen.template(bool(request.htmx), request.htmx.target), context)


@require_safe
@at_place
def guidelines(request: AnnotatorRequest, place: Assignment) -> HttpResponse:
    """The study's newest guidelines: for the drawer beside the form, or as a page of their own."""
    newest = Guidelines.objects.filter(study=place.item.study_id).order_by("version").last()
    if newest is None:
        raise Http404
    template = "annotation/_guidelines.html" if request.htmx.target == "guidelines" else "annotation/guidelines.html"
    return render(request, template, {"public_id": place.public_id, "text": newest, "html": html_of(newest.text)})


def _answer(request: AnnotatorRequest, place: Assignment, stage: dict[str, Any], status: int = 200) -> HttpResponse:
    """The panel alone, the whole item, or the page, as the request's target asks."""
    context = {"public_id": place.public_id, "next_id": next_place(place), **stage}
    if request.htmx.target == STAGE:
        return render(request, "annotation/_stage.html", context, status=status)
    context |= {
        "case": blind_case(place.item.rollout),
        "progress": progress_of(place),
        "seconds": place.active_seconds,
        "study": place.item.study.name,
    }
    template = "annotation/_item.html" if request.htmx.target == ITEM else "annotation/item.html"
    return render(request, template, context, status=status)


def _standing(place: Assignment) -> dict[str, Any]:
    """The stage an item is at, with what its panel shows."""
    stage = stage_of(place)
    if stage == "blind":
        draft = Draft.objects.filter(assignment=place).first()
        asked = panel.asked_of_answers(place.item.study, draft)
        return {
            "stage": stage,
            "asked": asked,
            "version": draft.version if draft else 0,
            "refusal": place.item.study.refusal,
        }
    if stage == "review":
        return _review(place)
    return {"stage": stage, "locked": panel.asked_of_answers(place.item.study, place.blind_label)}


def _typed(form: BlindForm, refusal: str = "") -> dict[str, Any]:
    """The blind form as it was sent, with what is wrong with it or why nothing is taken now."""
    asked = panel.asked_of_form(form)
    return {"stage": "blind", "asked": asked, "version": int(form.cleaned_data["version"]), "refusal": refusal}


def _conflict(place: Assignment, form: BlindForm) -> dict[str, Any]:
    locked = panel.asked_of_answers(place.item.study, place.blind_label)
    return {"stage": "conflict", "locked": locked, "typed": panel.asked_of_form(form)}


def _review(place: Assignment, form: ReviewForm | None = None) -> dict[str, Any]:
    last = Review.objects.filter(assignment=place).select_related("comment").last()
    said = panel.responses_of(last)
    typed = {name: form.data.get(name, "") for name in said} if form else said
    return {
        "stage": "review",
        "revealed": panel.revealed(place, typed, form),
        "comment": typed["comment"],
        "comment_error": form.error_of("comment") if form else "",
        "version": said["version"],
        "saved": last is not None and form is None,
        "refusal": place.item.study.refusal,
    }


def _draft_form(request: AnnotatorRequest, place: Assignment) -> DraftForm:
    return DraftForm(request.POST, study=place.item.study, numbers=step_numbers(place.item.rollout))


def _draft_word(
    request: AnnotatorRequest, place: Assignment, state: str, status: int = 200, **more: Any
) -> HttpResponse:
    """`state`: saved, refused, stale, locked or closed."""
    context = {"public_id": place.public_id, "state": state, **more}
    return render(request, "annotation/_draft_word.html", context, status=status)
