"""Which study a researcher's page is about, and whether its people may be managed by whom asks."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render

from annotation.models import Study
from benchmark.models import Account
from benchmark.permissions import NEEDS, Right, SignedInRequest


def found_study(pk: int) -> Study:
    """The study with its owner; 404 where there is none."""
    return get_object_or_404(Study.objects.select_related("owner"), pk=pk)


def may_manage(account: Account, study: Study) -> bool:
    """Whether an account that has the right to manage people may do so in this study: its owner, and every admin."""
    return study.owner_id == account.pk or account.has_perm(Right.ADMINISTER.permission)


def managed_study(request: SignedInRequest, pk: int) -> Study:
    """The study, for its owner and admins; 403 with the reason for other researchers."""
    study = found_study(pk)
    if not may_manage(request.user, study):
        raise PermissionDenied(NEEDS[Right.MANAGE_PEOPLE])
    return study


def study_page(
    request: SignedInRequest, study: Study, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """A page under a study: its head and tabs, never cached."""
    shared = {"study": study, "manages": may_manage(request.user, study)}
    response = render(request, template, shared | context, status=status)
    response.headers["Cache-Control"] = "no-store"
    return response


def confirm(
    request: SignedInRequest, *, title: str, button: str, back: str, form: Any = None, says: tuple[str, ...] = ()
) -> HttpResponse:
    """Ask before something that cannot be undone, naming what it is about; `back` is where a change of mind leads."""
    bound = form is not None and form.is_bound
    context = {"title": title, "button": button, "back": back, "form": form, "says": says}
    response = render(request, "annotation/confirm.html", context, status=422 if bound else 200)
    response.headers["Cache-Control"] = "no-store"
    return response
