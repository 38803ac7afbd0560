"""Who may open an annotator's page: only the one whose place it is, signed in, and with the consent text agreed to."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.defaults import page_not_found
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from annotation.actions import labelling
from annotation.models import Assignment, LabelVoid
from annotation.report.queue import owes_consent
from benchmark.models import Account
from benchmark.permissions import Right, requires

View = Callable[..., HttpResponse]


class HtmxRequest(HttpRequest):
    """A request as HtmxMiddleware leaves it."""

    htmx: HtmxDetails


class AnnotatorRequest(HtmxRequest):
    """A request of somebody signed in."""

    user: Account


# What every request at a place needs, and no more: a blind page reads its case by itself.
PLACE_COLUMNS = (
    *("public_id", "order", "seat", "first_shown", "active_seconds", "review_opened_at"),
    *("item__study__name", "item__study__status", "item__study__asks_result", "item__study__asks_noticed"),
    *("item__rollout__prefix_count", "item__rollout__step_count"),
    *("blind_label__result", "blind_label__noticed", "blind_label__evidence", "blind_label__assignment"),
)


def annotator_page(view: View) -> View:
    """Let signed-in people in and keep every answer out of caches, "not found" too.

    A fragment asked for after the session expired says so in place, so that what is typed on the page stays.
    """
    checked = requires(Right.LABEL)(view)

    @wraps(checked)
    def page(request: HtmxRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.htmx and not request.user.is_authenticated:
            response = render(
                request, "annotation/_signed_out.html", {"back": request.htmx.current_url_abs_path}, status=401
            )
        else:
            try:
                response = checked(request, *args, **kwargs)
            except Http404 as missing:
                response = page_not_found(request, missing)
        response.headers["Cache-Control"] = "no-store"
        return response

    return page


def at_place(view: View) -> View:
    """Give the view the signed-in person's place instead of its public id; whatever else the id names is not found.

    Before the newest consent text is agreed to, every address of a place leads to it.
    """

    @annotator_page
    @wraps(view)
    def found(request: AnnotatorRequest, public_id: str, **kwargs: Any) -> HttpResponse:
        place = find_place(request.user, public_id)
        if not place.consent_due:  # type: ignore[attr-defined]
            try:
                return view(request, place, **kwargs)
            except Assignment.DoesNotExist:  # taken from its seat between reading and writing
                raise Http404 from None
        consent = reverse("annotation:consent", args=[place.public_id])
        return HttpResponseClientRedirect(consent) if request.htmx else redirect(consent)

    return found


def find_place(account: Account, public_id: str) -> Assignment:
    """The account's place with its study and label, `consent_due` beside them; Http404 for any other."""
    places = Assignment.objects.of(account).select_related("item__study", "item__rollout", "blind_label")
    place = places.only(*PLACE_COLUMNS).filter(public_id=public_id).order_by().first()
    if place is None:
        raise Http404
    place.consent_due = owes_consent(place)  # type: ignore[attr-defined]
    return place


def is_locked(place: Assignment) -> bool:
    """Whether the blind answers of a found place are given."""
    return hasattr(place, "blind_label")


def stage_of(place: Assignment) -> str:
    """Where a found place stands: `blind`, `review`, `later` or, its label being void, `set_aside`.

    Where the review may open, that is recorded: whoever learns of it is about to see the automatic labels.
    """
    if not is_locked(place):
        return "blind"
    if labelling.open_review(assignment=place):
        return "review"
    return "set_aside" if LabelVoid.objects.filter(label=place.blind_label).exists() else "later"
