"""Accounts: made and changed by admins, passwords by their owners, personal API tokens. Secrets are handed out once."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from benchmark.models import Account, ApiToken, ResetLink
from benchmark.models.account import TOKEN_LIFE, new_token, token_hash

TOUCHED_EVERY = timedelta(minutes=10)


class AccountRefused(Exception):
    """An account may not be changed like this; the message says why and what to do."""


class LinkSpent(Exception):
    """A reset link was used before, is older than a day, or never was one."""


@transaction.atomic
def create_account(*, username: str, name: str, role: str, who: Account) -> tuple[Account, str]:
    """A new account without a password, and the secret of the link with which its owner sets one."""
    account = Account.objects.create_user(username, name=name, role=role)
    return account, make_reset_link(account=account, who=who)


@transaction.atomic
def change_account(*, account: Account, name: str, role: str, is_active: bool) -> None:
    """Rename, give another role, deactivate or activate. Raises AccountRefused where no active admin would be left.

    The new rights hold from the next request; a deactivated account is signed out at once.
    """
    account = Account.objects.select_for_update().get(pk=account.pk)
    if account.erased_at:
        raise AccountRefused("This account was erased and cannot be changed any more.")
    if (role != Account.Role.ADMIN or not is_active) and account.is_only_admin():
        raise AccountRefused("This is the only active admin. Make another account admin first.")
    account.name, account.role, account.is_active = name, role, is_active
    account.save(update_fields=["name", "role", "is_active"])
    if not is_active:
        account.end_sessions()


@transaction.atomic
def make_reset_link(*, account: Account, who: Account) -> str:
    """The secret of a fresh reset link; links made before and not used stop working."""
    if account.erased_at:
        raise AccountRefused("This account was erased; nobody can sign in to it again.")
    account.reset_links.filter(used_at__isnull=True).delete()
    secret = new_token()
    ResetLink.objects.create(account=account, hash=token_hash(secret), made_by=who)
    return secret


def open_reset_link(secret: str) -> ResetLink:
    """The link behind a secret, without using it up. Raises LinkSpent unless it still works."""
    link = ResetLink.objects.usable().select_related("account").filter(hash=token_hash(secret)).first()
    if link is None:
        raise LinkSpent(
            "This link was used before, is older than a day, or is not complete. Ask an admin for a new one."
        )
    return link


@transaction.atomic
def use_reset_link(*, secret: str, password: str) -> Account:
    """Set the password once, however many people open the link; sign the account out everywhere else."""
    link = open_reset_link(secret)
    if not ResetLink.objects.filter(pk=link.pk, used_at__isnull=True).update(used_at=timezone.now()):
        raise LinkSpent("This link was used a moment ago. Ask an admin for a new one if it was not you.")
    set_password(account=link.account, password=password)
    return link.account


@transaction.atomic
def set_password(*, account: Account, password: str) -> None:
    """Store a new password, already checked, and sign the account out everywhere."""
    account.set_password(password)
    account.save(update_fields=["password"])
    account.end_sessions()


@transaction.atomic
def create_token(*, account: Account, name: str) -> tuple[ApiToken, str]:
    """A personal API token for 90 days, and its secret, which is kept nowhere."""
    secret = new_token()
    expires = timezone.now() + TOKEN_LIFE
    return ApiToken.objects.create(account=account, name=name, hash=token_hash(secret), expires=expires), secret


def revoke_token(*, token: ApiToken) -> None:
    """Make a token open nothing from now on; revoking twice keeps the first time."""
    ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now())


def touch_token(*, token: ApiToken) -> None:
    """Note that a token is in use; written at most once in ten minutes, so that reading does not become writing."""
    now = timezone.now()
    if token.last_used is None or now - token.last_used > TOUCHED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used=now)
