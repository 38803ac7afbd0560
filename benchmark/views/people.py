"""Accounts as admins manage them: list, new, role, deactivate, reset link."""

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from benchmark.actions import accounts as actions
from benchmark.forms.accounts import AccountChangeForm, AccountForm
from benchmark.models import Account
from benchmark.permissions import Right, SignedInRequest, requires

PAGE = 100


@requires(Right.ADMINISTER)
@require_GET
def people(request: SignedInRequest) -> HttpResponse:
    """Accounts by login name, `?q=` finds in login name and name, `?after=` turns the page."""
    wanted, after = request.GET.get("q", "").strip(), request.GET.get("after", "")
    accounts = Account.objects.order_by("username").filter(username__gt=after, erased_at__isnull=True)
    if wanted:
        accounts = accounts.filter(Q(username__icontains=wanted) | Q(name__icontains=wanted))
    page = list(accounts[: PAGE + 1])
    older = page[PAGE - 1].username if len(page) > PAGE else ""
    return render(request, "accounts/people.html", {"people": page[:PAGE], "wanted": wanted, "next_after": older})


@requires(Right.ADMINISTER)
@never_cache
@require_http_methods(["GET", "POST"])
def person_new(request: SignedInRequest) -> HttpResponse:
    """Make an account; the link with which its owner sets a password is shown once."""
    form = AccountForm(request.POST or None)
    if not form.is_valid():
        return render(request, "accounts/person_new.html", {"form": form}, status=422 if form.is_bound else 200)
    account, secret = actions.create_account(**form.cleaned_data, who=request.user)
    return _show_link(request, account, secret)


@requires(Right.ADMINISTER)
@require_http_methods(["GET", "POST"])
def person(request: SignedInRequest, pk: int) -> HttpResponse:
    """One account: name, role, whether it may sign in."""
    account = get_object_or_404(Account, pk=pk)
    form = AccountChangeForm(request.POST or None, instance=account)
    if form.is_valid():
        try:
            actions.change_account(account=account, **form.cleaned_data)
        except actions.AccountRefused as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, f"{account.username} is changed.")
            return redirect("benchmark:people")
    context = {"form": form, "person": Account.objects.get(pk=pk)}
    return render(request, "accounts/person.html", context, status=422 if form.errors else 200)


@requires(Right.ADMINISTER)
@never_cache
@require_POST
def person_reset(request: SignedInRequest, pk: int) -> HttpResponse:
    """Make a reset link and show it once; the one made before stops working."""
    account = get_object_or_404(Account, pk=pk, erased_at__isnull=True, is_active=True)
    return _show_link(request, account, actions.make_reset_link(account=account, who=request.user))


@requires(Right.ADMINISTER)
@require_POST
def person_sign_out(request: SignedInRequest, pk: int) -> HttpResponse:
    """Sign somebody out on every device."""
    account = get_object_or_404(Account, pk=pk)
    account.end_sessions()
    messages.success(request, f"{account.username} is signed out on every device.")
    return redirect("benchmark:person", pk)


def _show_link(request: SignedInRequest, account: Account, secret: str) -> HttpResponse:
    link = request.build_absolute_uri(reverse("benchmark:reset", args=[secret]))
    return render(request, "accounts/reset_link.html", {"person": account, "link": link})
