"""An annotator's queue, the way to the next item, and the consent text at the first visit."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.actions import labelling
from annotation.models import ConsentText, Seat
from annotation.report.queue import finished_items, queues_of
from annotation.report.texts import html_of
from annotation.views.places import AnnotatorRequest, annotator_page, find_place

FINISHED_SHOWN = 50


@require_safe
@annotator_page
def queue(request: AnnotatorRequest) -> HttpResponse:
    """What is open, how much is done, time left at the person's pace, one button to go on, and what is locked."""
    queues = queues_of(request.user)
    finished = finished_items(request.user, FINISHED_SHOWN + 1, request.GET.get("before", ""))
    context = {
        "queues": queues,
        "onward": next((one for one in queues if one.next_id), None),
        "finished": finished[:FINISHED_SHOWN],
        "older": finished[FINISHED_SHOWN - 1].public_id if len(finished) > FINISHED_SHOWN else "",
        "many": len(queues) > 1,
        "all_finished": sum(one.done for one in queues),
    }
    return render(request, "annotation/queue.html", context)


@require_safe
@annotator_page
def next_item(request: AnnotatorRequest) -> HttpResponse:
    """Go to what the person does next; to the queue, which says why, when there is nothing."""
    onward = next((one.next_id for one in queues_of(request.user) if one.next_id), None)
    return redirect("annotation:item", onward) if onward else redirect("annotation:queue")


@require_http_methods(["GET", "HEAD", "POST"])
@annotator_page
def consent(request: AnnotatorRequest, public_id: str) -> HttpResponse:
    """The study's consent text before its first item; agreeing is recorded with the text's version."""
    place = find_place(request.user, public_id)
    if not place.consent_due:  # type: ignore[attr-defined]
        return redirect("annotation:item", place.public_id)
    text = ConsentText.objects.filter(study=place.item.study_id).latest("version")
    if request.method == "POST" and request.POST.get("version") == str(text.version):
        labelling.agree_to_study(seat=get_object_or_404(Seat, pk=place.seat_id), text=text)
        return redirect("annotation:item", place.public_id)
    context = {"study": place.item.study.name, "text": text, "html": html_of(text.text)}
    return render(request, "annotation/consent.html", context)
