"""The people of a study: seats and who sits on them, invitations, leaving, erasing. The one page that shows names."""

import csv

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.actions import people as actions
from annotation.actions import seats as seat_actions
from annotation.actions.seats import SeatRefused
from annotation.forms.studies import LeaveForm
from annotation.models import Seat, Study
from annotation.models.seat import INVITATION_LIFE
from annotation.report.people import persons
from annotation.views.access import confirm, managed_study, study_page
from benchmark.models import Account
from benchmark.permissions import Right, SignedInRequest, requires

ERASE_SAYS = (
    "Removed are the name, the login, sessions, tokens, invitations, drafts and comments. Nobody can sign in to it again.",
    "What the person had open is dealt to others. Submitted labels stay under the seat.",
    "This cannot be taken back.",
)


@requires(Right.MANAGE_PEOPLE)
@require_safe
def study_people(request: SignedInRequest, pk: int) -> HttpResponse:
    """Seats with their people, and which of them may be invited."""
    study = managed_study(request, pk)
    context = {"persons": persons(study), "life": INVITATION_LIFE}
    return study_page(request, study, "annotation/study_people.html", context)


@requires(Right.MANAGE_PEOPLE)
@never_cache
@require_POST
def study_invite(request: SignedInRequest, pk: int) -> HttpResponse:
    """Make links to the chosen free seats and show them once, on a page or as CSV."""
    study = managed_study(request, pk)
    chosen = [int(number) for number in request.POST.getlist("seat") if number.isdecimal()]
    made = actions.invite(study=study, seats=chosen, who=request.user)
    if not made:
        messages.warning(request, "Choose at least one free seat.")
        return redirect("annotation:study-people", pk)
    links = [
        (each.invitation.seat.name, request.build_absolute_uri(reverse("annotation:invite", args=[each.secret])))
        for each in made
    ]
    if request.POST.get("as") == "csv":
        return _links_file(study, links)
    return study_page(request, study, "annotation/study_invited.html", {"links": links, "life": INVITATION_LIFE})


@requires(Right.MANAGE_PEOPLE)
@require_POST
def seat_add(request: SignedInRequest, pk: int) -> HttpResponse:
    """One more seat in a started study."""
    study = managed_study(request, pk)
    if study.status == Study.Status.DRAFT:
        messages.warning(request, "In a draft the design says how many annotators there are.")
        return redirect("annotation:study-people", pk)
    try:
        seat = seat_actions.add_seat(study=study, who=request.user)
    except SeatRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, f"{seat.name} is added. Invite somebody, and deal the open places to them.")
    return redirect("annotation:study-people", pk)


@requires(Right.MANAGE_PEOPLE)
@require_POST
def seat_revoke(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Take back the unused invitation to a seat."""
    seat = _seat(request, pk, number)
    taken_back = actions.revoke(seat=seat)
    messages.success(
        request, f"The invitation to {seat.name} is taken back." if taken_back else "There was no open invitation."
    )
    return redirect("annotation:study-people", pk)


@requires(Right.MANAGE_PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def seat_leave(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Take a person off a seat, after asking."""
    seat = _seat(request, pk, number)
    back = reverse("annotation:study-people", args=[pk])
    form = LeaveForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        says = (
            "What is open is dealt to others; what was submitted stays.",
            "In a draft the seat is free again. Once a study has started, nobody else can take it.",
        )
        return confirm(
            request, title=f"Take {seat.name} off “{seat.study}”?", button="Take off", back=back, form=form, says=says
        )
    try:
        dealt = seat_actions.leave(seat=seat, who=request.user, **form.cleaned_data)
    except SeatRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, f"{seat.name} has left. {dealt.in_words() if dealt else 'The seat is free again.'}")
    return redirect(back)


@requires(Right.MANAGE_PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def seat_erase(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Erase the person on a seat, after asking."""
    seat = _seat(request, pk, number)
    if seat.account is None:
        raise Http404
    return _erase(request, seat.account, reverse("annotation:study-people", args=[pk]))


@requires(Right.ADMINISTER)
@require_http_methods(["GET", "HEAD", "POST"])
def person_erase(request: SignedInRequest, pk: int) -> HttpResponse:
    """Erase any person, after asking."""
    account = get_object_or_404(Account, pk=pk, erased_at__isnull=True)
    return _erase(request, account, reverse("benchmark:people"))


def _erase(request: SignedInRequest, account: Account, back: str) -> HttpResponse:
    if request.method != "POST":
        title = f"Erase {account.name or account.username} ({account.username})?"
        return confirm(request, title=title, button="Erase this person", back=back, says=ERASE_SAYS)
    try:
        actions.erase(account=account, who=request.user)
    except actions.EraseRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, "The person is erased. Their labels stay under the seat.")
    return redirect(back)


def _seat(request: SignedInRequest, pk: int, number: int) -> Seat:
    study = managed_study(request, pk)
    return get_object_or_404(study.seats.select_related("study", "account"), number=number)


def _links_file(study: Study, links: list[tuple[str, str]]) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="study-{study.pk}-invitations.csv"'
    writer = csv.writer(response, lineterminator="\n")
    writer.writerow(["study", "seat", "link"])
    writer.writerows((study.name, *link) for link in links)
    return response
