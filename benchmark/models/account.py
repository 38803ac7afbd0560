"""Accounts with one role each, personal API tokens, reset links."""

import hashlib
import secrets
from datetime import timedelta
from typing import ClassVar

from django.contrib.auth import SESSION_KEY, get_backends
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.contrib.sessions.models import Session
from django.db import models
from django.utils import timezone

TOKEN_LIFE = timedelta(days=90)
RESET_LINK_LIFE = timedelta(hours=24)


def token_hash(token: str) -> str:
    """SHA-256 of a secret that was handed out once; only the hash is kept."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    """A fresh secret of 256 bits, safe in a URL."""
    return secrets.token_urlsafe(32)


class AccountManager(BaseUserManager["Account"]):
    """Makes accounts by login name; the command line's `createsuperuser` makes an admin."""

    def create_user(self, username: str, password: str | None = None, **fields: object) -> "Account":
        """One account; without a password nobody can sign in to it until a reset link is used."""
        account = self.model(username=self.model.normalize_username(username), **fields)
        account.set_password(password)
        account.save(using=self._db)
        return account

    def create_superuser(self, username: str, password: str | None = None, **fields: object) -> "Account":
        """An account with the role admin."""
        return self.create_user(username, password, role=Account.Role.ADMIN, **fields)


class Account(AbstractBaseUser):
    """A person who signs in. Accounts are deactivated or erased, never deleted: labels hang on seats, seats on accounts."""

    class Role(models.TextChoices):
        ANNOTATOR = "annotator"
        AUTHOR = "author"
        RESEARCHER = "researcher"
        ADMIN = "admin"

    username = models.CharField(
        "login name",
        max_length=150,
        unique=True,
        validators=[UnicodeUsernameValidator()],
        error_messages={"unique": "This login name is taken. Choose another one."},
    )
    name = models.CharField(max_length=150, blank=True, help_text="Shown to researchers on the people page only.")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.ANNOTATOR)
    is_active = models.BooleanField(default=True)
    joined = models.DateTimeField(default=timezone.now)
    erased_at = models.DateTimeField(null=True, blank=True)

    objects = AccountManager()

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(role__in=["annotator", "author", "researcher", "admin"]),
                name="account_has_a_known_role",
            )
        ]

    @property
    def is_staff(self) -> bool:
        """Whether the admin site may be tried at all; what it then allows is decided by permissions.py."""
        return self.is_active and self.role == self.Role.ADMIN

    def has_perm(self, perm: str, obj: models.Model | None = None) -> bool:
        """Whether the effective role grants a right, written `rite.<right>` (permissions.py)."""
        return self.is_active and any(
            backend.has_perm(self, perm, obj) for backend in get_backends() if hasattr(backend, "has_perm")
        )

    def has_module_perms(self, app_label: str) -> bool:
        """The admin site's question whether to list an app."""
        return self.has_perm("rite.administer")

    def is_only_admin(self) -> bool:
        """Whether no other active admin is left; locks the admins' rows until the transaction ends."""
        admins = Account.objects.select_for_update().filter(role=self.Role.ADMIN, is_active=True)
        return list(admins.values_list("pk", flat=True)) == [self.pk]

    def end_sessions(self) -> None:
        """Sign the account out on every device."""
        mine = [
            session.pk
            for session in Session.objects.iterator()
            if session.get_decoded().get(SESSION_KEY) == str(self.pk)
        ]
        Session.objects.filter(pk__in=mine).delete()

    def erase(self) -> None:
        """Remove all that tells whose account it was. The row stays: events and seats' history point to it."""
        from axes.models import AccessAttempt, AccessFailureLog, AccessLog

        for attempts in (AccessAttempt, AccessFailureLog, AccessLog):
            attempts.objects.filter(username=self.username).delete()
        self.end_sessions()
        self.api_tokens.all().delete()
        self.kept_answers.all().delete()
        self.reset_links.all().delete()
        self.username, self.name = f"erased-{secrets.token_hex(6)}", ""
        self.is_active, self.erased_at = False, timezone.now()
        self.set_unusable_password()
        self.save()


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Tokens by whether they still open anything."""

    def usable(self) -> "ApiTokenQuerySet":
        """Neither revoked nor expired, of an active account."""
        return self.filter(revoked_at__isnull=True, expires__gt=timezone.now(), account__is_active=True)


class ApiToken(models.Model):
    """A personal key to the API: shown once, kept as a hash, expires, can be revoked."""

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="api_tokens")
    name = models.CharField(max_length=80)
    hash = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(default=timezone.now)
    expires = models.DateTimeField()
    last_used = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class ResetLinkQuerySet(models.QuerySet["ResetLink"]):
    """Reset links by whether they still work."""

    def usable(self) -> "ResetLinkQuerySet":
        """Unused, younger than a day, of an account that may sign in."""
        made_after = timezone.now() - RESET_LINK_LIFE
        return self.filter(used_at__isnull=True, created__gt=made_after, account__is_active=True)


class ResetLink(models.Model):
    """A single-use link, made by an admin, with which a person sets a new password. There is no mail server."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="reset_links")
    hash = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True, blank=True)

    objects = ResetLinkQuerySet.as_manager()

    def __str__(self) -> str:
        return f"reset link {self.pk}"
