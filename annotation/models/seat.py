"""Seats of a study, and how accounts come to sit on them."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotation.models.study import ConsentText, Study

INVITATION_LIFE = timedelta(days=14)


def seat_name(number: int) -> str:
    """The seat as pages and exports call it."""
    return f"A{number}"


class Seat(models.Model):
    """A1…An: who labels, without a name. Labels stay under the seat when its account is erased."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="seats")
    number = models.IntegerField()
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="seats"
    )
    left_at = models.DateTimeField(null=True, blank=True, help_text="Withdrew or was taken off the study.")

    class Meta:
        ordering = ["study_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="seat_number_once_a_study"),
            models.UniqueConstraint(fields=["study", "account"], name="account_once_a_study"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """A1…An."""
        return seat_name(self.number)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Invitations by whether they still give a seat."""

    def usable(self) -> "InvitationQuerySet":
        """Unused, not revoked, young enough, and to a seat that is free."""
        return self.filter(
            used_at__isnull=True,
            revoked_at__isnull=True,
            created__gt=timezone.now() - INVITATION_LIFE,
            seat__account__isnull=True,
            seat__left_at__isnull=True,
        )


class Invitation(models.Model):
    """A single-use link that gives a seat to whoever opens it first. Only a hash of it is kept."""

    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="invitations")
    hash = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class Consent(models.Model):
    """That a seat agreed to a version of the consent text, and when."""

    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="consents")
    text = models.ForeignKey(ConsentText, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["seat", "text"], name="consent_once_a_version")]

    def __str__(self) -> str:
        return f"consent of seat {self.seat_id}"
