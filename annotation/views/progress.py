"""How a study goes: seats, items, open places, what each person could have seen; voiding and moving places."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.actions import seats as actions
from annotation.forms.studies import ReasonForm, VoidForm
from annotation.models import Assignment, Study
from annotation.models.standing import standing
from annotation.report import progress
from annotation.views.access import confirm, found_study, managed_study, study_page
from benchmark.permissions import Right, SignedInRequest, requires

ITEMS_SHOWN, AUDIT_SHOWN, EVENTS_SHOWN = 100, 200, 30
VOID_SAYS = (
    "The label stays where it is and is shown as void in exports. It enters no figure.",
    "This cannot be taken back.",
)
STOP_POLLING = 286


@requires(Right.RESEARCH)
@require_safe
def study(request: SignedInRequest, pk: int) -> HttpResponse:
    """Progress of a started study; a draft leads to its design. Asks for itself again while the study is open."""
    found = found_study(pk)
    if found.status == Study.Status.DRAFT:
        return redirect("annotation:study-design", pk)
    rows = [(seat, progress.last_seen(seat)) for seat in progress.seats(found)]
    context = {
        "rows": rows,
        "totals": progress.totals(found),
        "short": progress.short_items(found).count(),
        "balance": standing(found).balance(),
        "events": list(progress.events(found)[:EVENTS_SHOWN]),
        "event_count": found.events.count(),
    }
    polled = request.htmx.target == "study-progress"
    template = "annotation/_study_progress.html" if polled else "annotation/study_progress.html"
    over = polled and found.status == Study.Status.CLOSED
    return study_page(request, found, template, context, status=STOP_POLLING if over else 200)


@requires(Right.RESEARCH)
@require_safe
def study_items(request: SignedInRequest, pk: int) -> HttpResponse:
    """Items with their labels n of k and who holds them; `?open=1` only those that nobody is to finish."""
    found = found_study(pk)
    only_short, after = request.GET.get("open") == "1", request.GET.get("after", "")
    rows = (progress.short_items if only_short else progress.items)(found).filter(public_id__gt=after)
    page = list(rows[: ITEMS_SHOWN + 1])
    following = page[ITEMS_SHOWN - 1].public_id if len(page) > ITEMS_SHOWN else ""
    context = {"items": page[:ITEMS_SHOWN], "next_after": following, "only_short": only_short}
    return study_page(request, found, "annotation/study_items.html", context)


@requires(Right.RESEARCH)
@require_safe
def study_audit(request: SignedInRequest, pk: int) -> HttpResponse:
    """What each person could have seen, and when; `?flagged=1` only what must never be."""
    found = found_study(pk)
    after = request.GET.get("after", "")
    flagged = request.GET.get("flagged") == "1"
    rows = progress.audit(found, int(after) if after.isdecimal() else 0)
    if flagged:
        rows = rows.filter(progress.FLAGGED)
    page = list(rows[: AUDIT_SHOWN + 1])
    context = {
        "places": page[:AUDIT_SHOWN],
        "next_after": page[AUDIT_SHOWN - 1].pk if len(page) > AUDIT_SHOWN else "",
        "flagged": flagged,
        "counts": progress.audit_counts(found),
        "readers": progress.readers(found),
    }
    return study_page(request, found, "annotation/study_audit.html", context)


@requires(Right.MANAGE_PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def place_void(request: SignedInRequest, pk: int, public_id: str) -> HttpResponse:
    """Make a label void, with a reason, after asking."""
    place = _place(request, pk, public_id, Assignment.objects.held().filter(blind_label__isnull=False))
    back = reverse("annotation:study-items", args=[pk])
    form = VoidForm(request.POST or None)
    if not form.is_valid():
        title = f"Make {place.seat.name}'s label of item {place.item.public_id} void?"
        return confirm(request, title=title, button="Make the label void", back=back, form=form, says=VOID_SAYS)
    try:
        dealt = actions.void(label=place.blind_label, who=request.user, **form.cleaned_data)
    except actions.SeatRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, f"The label of {place.seat.name} is void. {dealt.in_words() if dealt else ''}")
    return redirect(back)


@requires(Right.MANAGE_PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def place_reassign(request: SignedInRequest, pk: int, public_id: str) -> HttpResponse:
    """Deal an unlabelled place to somebody else, with a reason."""
    place = _place(request, pk, public_id, Assignment.objects.held())
    back = reverse("annotation:study-items", args=[pk])
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        title = f"Take item {place.item.public_id} from {place.seat.name} and deal it to somebody else?"
        says = ("It goes to the annotator with least to do who never had it.", "A draft of it is dropped.")
        return confirm(request, title=title, button="Deal it again", back=back, form=form, says=says)
    try:
        dealt = actions.reassign(assignment=place, who=request.user, **form.cleaned_data)
    except actions.SeatRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, dealt.in_words())
    return redirect(back)


@requires(Right.MANAGE_PEOPLE)
@require_POST
def deal_open(request: SignedInRequest, pk: int) -> HttpResponse:
    """Deal every open place to whoever may take it."""
    try:
        dealt = actions.deal_open_places(study=managed_study(request, pk), who=request.user)
    except actions.SeatRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, dealt.in_words())
    return redirect("annotation:study", pk)


def _place(request: SignedInRequest, pk: int, public_id: str, places: QuerySet[Assignment]) -> Assignment:
    study = managed_study(request, pk)
    return get_object_or_404(
        places.filter(item__study=study).select_related("item__study", "seat", "blind_label"), public_id=public_id
    )
