"""Who may what: the one table of rights, and the one place where a request is checked against it."""

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from benchmark.models import Account

Role = Account.Role


class Right(StrEnum):
    """What a role can grant; `rite.<right>` is its name for `has_perm` and for `perms` in templates."""

    LABEL = "label"
    READ = "read"
    AUTHOR = "author"
    RESEARCH = "research"
    MANAGE_PEOPLE = "manage_people"
    ADMINISTER = "administer"

    @property
    def permission(self) -> str:
        """The right as Django's permission checks spell it."""
        return f"rite.{self.value}"


RIGHTS: dict[str, frozenset[Right]] = {
    Role.ANNOTATOR: frozenset({Right.LABEL}),
    Role.AUTHOR: frozenset({Right.LABEL, Right.READ, Right.AUTHOR}),
    Role.RESEARCHER: frozenset({Right.LABEL, Right.READ, Right.AUTHOR, Right.RESEARCH, Right.MANAGE_PEOPLE}),
    Role.ADMIN: frozenset(Right),
}

NEEDS = {
    Right.READ: "Reading trajectories is for authors, researchers and admins.",
    Right.AUTHOR: "Making and vetting units is for authors, researchers and admins.",
    Right.RESEARCH: "Imports, studies, agreement and exports are for researchers and admins.",
    Right.MANAGE_PEOPLE: "Inviting and voiding are for the study's researcher and for admins.",
    Right.ADMINISTER: "Accounts, roles and reset links are for admins.",
}

View = Callable[..., HttpResponse]


class HtmxRequest(HttpRequest):
    """A request as HtmxMiddleware leaves it."""

    htmx: HtmxDetails


class SignedInRequest(HtmxRequest):
    """A request that `requires` let through."""

    user: Account


def grants(role: str, right: str) -> bool:
    """Whether a role has a right."""
    return right in RIGHTS.get(role, frozenset())


def refuse(account: Any, right: Right) -> None:
    """Raise unless the account has the right: 404 for one who may not know what is there, 403 with the reason else.

    An annotator learns nothing about what exists. Somebody whose own role would grant it, but who is labelling right
    now, is told so.
    """
    if account.has_perm(right.permission):
        return
    if grants(account.role, right):
        raise PermissionDenied(
            "You have unfinished items in an open study. Until they are done you have an annotator's rights only."
        )
    if account.role == Role.ANNOTATOR:
        raise Http404
    raise PermissionDenied(NEEDS[right])


def requires(right: Right) -> Callable[[View], View]:
    """Let a view run only for accounts with a right; people who are not signed in are sent to sign in.

    Where only a part of a page was asked for, the whole page goes there and comes back to itself.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HtmxRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                if request.htmx:
                    return HttpResponseClientRedirect(redirect_to_login(request.htmx.current_url_abs_path or "/").url)
                return redirect_to_login(request.get_full_path())
            refuse(request.user, right)
            return view(request, *args, **kwargs)

        checked.right = right  # type: ignore[attr-defined]
        return checked

    return decorate
