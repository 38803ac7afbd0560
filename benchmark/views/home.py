"""Where a person starts, and how the pages look to them."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from benchmark.permissions import HtmxRequest, Right, SignedInRequest, requires

THEMES = ("light", "dark")
A_YEAR = 365 * 24 * 3600


@requires(Right.LABEL)
@require_safe
def home(request: SignedInRequest) -> HttpResponse:
    """Send people who may read trajectories to the overview, everyone else to their queue."""
    return redirect("annotation:overview" if request.user.has_perm(Right.READ.permission) else "annotation:queue")


@require_POST
def theme(request: HtmxRequest) -> HttpResponse:
    """Remember light or dark in a cookie of this browser; anything else means what the system says."""
    back = request.headers.get("Referer", "")
    safe = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    response = HttpResponse(status=204) if request.htmx else redirect(back if safe else "/")
    if request.POST.get("theme") in THEMES:
        response.set_cookie(
            "theme", request.POST["theme"], A_YEAR, secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax"
        )
    else:
        response.delete_cookie("theme")
    return response
