"""The page behind an invitation, and the way out of a study for the person who sits in it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.db import IntegrityError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_safe

from annotation.actions import people as actions
from annotation.actions.seats import SeatRefused, leave
from annotation.forms.joining import JoinForm, LeaveOwnForm
from annotation.models import Invitation, Seat
from annotation.views.access import confirm
from benchmark.models import Account
from benchmark.permissions import HtmxRequest, Right, SignedInRequest, requires

BACKEND = "annotation.backends.EffectiveRoleBackend"


@never_cache
@sensitive_post_parameters()
@sensitive_variables("secret")
@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: HtmxRequest, secret: str) -> HttpResponse:
    """Take the seat: as who is signed in, or with a new account. Opening the page uses nothing up."""
    try:
        invitation = actions.open_invitation(secret)
        if request.user.is_authenticated:
            return _take(request, request.user, invitation, secret)
        return _join(request, invitation, secret)
    except actions.InvitationSpent as spent:
        return render(request, "accounts/link_spent.html", {"reason": spent}, status=410)


def _take(request: HtmxRequest, account: Account, invitation: Invitation, secret: str) -> HttpResponse:
    if request.method != "POST":
        return render(request, "accounts/take_seat.html", {"seat": invitation.seat})
    try:
        seat = actions.take_seat(secret=secret, account=account)
    except actions.SeatedAlready as reason:
        messages.warning(request, str(reason))
    else:
        messages.success(request, f"You have the seat {seat.name} in “{seat.study}”.")
    return redirect("annotation:queue")


def _join(request: HtmxRequest, invitation: Invitation, secret: str) -> HttpResponse:
    form = JoinForm(request.POST or None)
    if form.is_valid():
        said: dict[str, Any] = form.cleaned_data
        try:
            account = actions.join(
                secret=secret, username=said["username"], name=said["name"], password=said["password1"]
            )
        except IntegrityError:
            form.add_error("username", "This login name was taken a moment ago. Choose another one.")
        else:
            login(request, account, backend=BACKEND)
            messages.success(request, f"Your account is made, and you have the seat {invitation.seat.name}.")
            return redirect("annotation:queue")
    context = {"form": form, "seat": invitation.seat, "here": request.path}
    return render(request, "accounts/join.html", context, status=422 if form.errors else 200)


@requires(Right.LABEL)
@never_cache
@require_safe
def own_studies(request: SignedInRequest) -> HttpResponse:
    """The seats a person has or had, and the way out of each."""
    seats = Seat.objects.filter(account=request.user).exclude(study__archived=True).select_related("study")
    return render(request, "accounts/own_studies.html", {"seats": seats.order_by("-pk")})


@requires(Right.LABEL)
@require_http_methods(["GET", "HEAD", "POST"])
def seat_give_up(request: SignedInRequest, pk: int) -> HttpResponse:
    """Leave a study by one's own wish, after being asked; what was submitted stays unless the person says otherwise."""
    seat = get_object_or_404(Seat.objects.select_related("study"), pk=pk, account=request.user, left_at__isnull=True)
    back = reverse("annotation:own-studies")
    form = LeaveOwnForm(request.POST)
    if request.method != "POST" or not form.is_valid():
        says = ("Your open items go to others, and drafts are dropped.", "You cannot come back to this seat.")
        return confirm(
            request, title=f"Leave “{seat.study}”?", button="Leave the study", back=back, form=form, says=says
        )
    try:
        leave(seat=seat, who=None, discard=form.cleaned_data["discard"])
    except SeatRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, f"You have left “{seat.study}”.")
    return redirect("annotation:queue")
