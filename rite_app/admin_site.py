"""The admin site asks the same table of rights as every page, and leaves signing in and passwords to our own pages."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from benchmark.permissions import Right, requires


class RiteAdminSite(AdminSite):
    """For effective admins: who is labelling right now gets the reason, an annotator a 404."""

    site_header = site_title = "RITE: rows as they are stored"
    index_title = "Read only. Changes are made on the pages."
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether the account may administer now."""
        return request.user.is_authenticated and request.user.has_perm(Right.ADMINISTER.permission)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Check the right before anything of the site runs."""
        return requires(Right.ADMINISTER)(super().admin_view(view, cacheable))

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Sign in where everybody does: there slips are counted."""
        return redirect("benchmark:sign-in")

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Change a password where everybody does."""
        return redirect("benchmark:password")
