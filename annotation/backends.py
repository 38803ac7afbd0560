"""Sign-in, and the rights an account has at this moment."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.db.models import Q

from annotation.models import Assignment
from benchmark.models import Account
from benchmark.permissions import Role, grants


def has_unfinished_work(account: Account) -> bool:
    """Whether the account still has an item to label or to review in a study that is not closed."""
    open_places = Assignment.objects.held().filter(
        seat__account=account, seat__left_at__isnull=True, item__study__status__in=["running", "paused"]
    )
    return open_places.filter(
        Q(blind_label__isnull=True) | Q(blind_label__void__isnull=True, reviews__isnull=True)
    ).exists()


def effective_role(account: Account) -> str:
    """The account's role; an annotator's while it has unfinished work, so that nobody can read what they label."""
    if account.role != Role.ANNOTATOR and has_unfinished_work(account):
        return Role.ANNOTATOR
    return account.role


class EffectiveRoleBackend(ModelBackend):
    """Django's password sign-in; permissions come from the effective role and the table in permissions.py alone."""

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        """Whether the account may now do what `rite.<right>` names. Asked once a request, then remembered."""
        if not user_obj.is_active or user_obj.is_anonymous or not perm.startswith("rite."):
            return False
        if not hasattr(user_obj, "_effective_role"):
            user_obj._effective_role = effective_role(user_obj)
        return grants(user_obj._effective_role, perm.removeprefix("rite."))
