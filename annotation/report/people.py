"""Who sits on a study's seats: for the people page alone, the only one that shows names."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import DateTimeField, F, OuterRef, Subquery

from annotation.models import Consent, Invitation, Seat, Study
from annotation.models.seat import INVITATION_LIFE
from annotation.report import progress


@dataclass(frozen=True, slots=True)
class Person:
    """A seat with its account's login name and name; both are empty where nobody sits or the person was erased.

    `invited_until` is when the unused invitation ends, None where none is out. `agreed` is when they last consented.
    """

    seat: Seat
    username: str
    name: str
    invited_until: datetime | None
    agreed: datetime | None

    @property
    def state(self) -> str:
        """Where the seat stands, in a word or two."""
        if self.seat.left_at:
            return "left" if self.username else "left, erased"
        if self.username:
            return "taken"
        return "invited" if self.invited_until else "free"


def persons(study: Study) -> list[Person]:
    """Every seat in order, with what `progress.seats` counts. One query."""
    open_invitations = Invitation.objects.usable().filter(seat=OuterRef("pk")).order_by("-created")
    agreed = Consent.objects.filter(seat=OuterRef("pk")).order_by("-at")
    seats = progress.seats(study).annotate(
        username=F("account__username"),
        name_of_person=F("account__name"),
        invited_at=Subquery(open_invitations.values("created")[:1], output_field=DateTimeField()),
        agreed_at=Subquery(agreed.values("at")[:1], output_field=DateTimeField()),
    )
    return [_person(seat) for seat in seats]


def _person(seat: Seat) -> Person:
    invited = seat.invited_at  # type: ignore[attr-defined]
    return Person(
        seat=seat,
        username=seat.username or "",  # type: ignore[attr-defined]
        name=seat.name_of_person or "",  # type: ignore[attr-defined]
        invited_until=invited + INVITATION_LIFE if invited else None,
        agreed=seat.agreed_at,  # type: ignore[attr-defined]
    )
