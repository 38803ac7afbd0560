"""The table of rights, as REST framework asks it."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from benchmark.permissions import refuse


class HasRight(BasePermission):
    """Lets those in whose effective role grants the view's `right`; refuses all others as pages do: 404, or 403 and why."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether somebody is signed in at all; who is and may not is refused by an exception of its own."""
        if not request.user.is_authenticated:
            return False
        refuse(request.user, view.right)
        return True
