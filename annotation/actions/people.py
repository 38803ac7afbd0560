"""How accounts come to sit on seats, and how a person is erased. An invitation's secret is handed out once."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.actions.seats import deal_again, leave, locked, note
from annotation.models import Assignment, Comment, Draft, Invitation, Seat, Study
from annotation.models.seat import INVITATION_LIFE
from annotation.models.standing import barred, standing
from benchmark.models import Account
from benchmark.models.account import new_token, token_hash


class InvitationSpent(Exception):
    """The link gives no seat any more: used, revoked, too old, or the seat is taken."""

    def __init__(self) -> None:
        days = INVITATION_LIFE.days
        super().__init__(
            f"This invitation was used before, was taken back, or is older than {days} days. "
            "Ask whoever sent it to you for a new one."
        )


class SeatedAlready(Exception):
    """The account has a seat in this study; nobody labels the same item twice."""


class EraseRefused(Exception):
    """This person may not be erased by whom asks for it; the message says who may, or what to do first."""


@dataclass(frozen=True, slots=True)
class MadeInvitation:
    """An invitation just made, with the secret of its link."""

    invitation: Invitation
    secret: str


@transaction.atomic
def invite(*, study: Study, seats: Iterable[int], who: Account) -> list[MadeInvitation]:
    """Make a link for each free seat among the numbers; older links to these seats stop working."""
    study = locked(study)
    free = study.seats.filter(number__in=list(seats), account__isnull=True, left_at__isnull=True)
    made = []
    for seat in free:
        revoke(seat=seat)
        secret = new_token()
        made.append(MadeInvitation(Invitation.objects.create(seat=seat, hash=token_hash(secret), made_by=who), secret))
    if made:
        note(study, "invited", who, seats=[each.invitation.seat.name for each in made])
    return made


def revoke(*, seat: Seat) -> int:
    """Take back every unused link to a seat; gives how many."""
    return seat.invitations.filter(used_at__isnull=True, revoked_at__isnull=True).update(revoked_at=timezone.now())


def open_invitation(secret: str) -> Invitation:
    """The invitation behind a secret, without using it up. Raises InvitationSpent unless it still gives its seat."""
    found = Invitation.objects.usable().select_related("seat__study").filter(hash=token_hash(secret)).first()
    if found is None:
        raise InvitationSpent
    return found


@transaction.atomic
def take_seat(*, secret: str, account: Account) -> Seat:
    """Give the seat to the account, once, however many people open the link at the same moment.

    Items whose unit the account has seen the automatic labels of are dealt to others at once. Raises InvitationSpent, or
    SeatedAlready where the account has a seat in the study.
    """
    study = locked(open_invitation(secret).seat.study)
    invitation = open_invitation(secret)
    if study.seats.filter(account=account).exists():
        raise SeatedAlready(f"You have a seat in the study “{study.name}” already. The invitation stays unused.")
    Invitation.objects.filter(pk=invitation.pk).update(used_at=timezone.now())
    Seat.objects.filter(pk=invitation.seat_id).update(account=account)
    seat = invitation.seat
    seat.account = account
    note(study, "seat taken", None, seat=seat.name, **_deal_away_seen(study, seat))
    return seat


@transaction.atomic
def join(*, secret: str, username: str, name: str, password: str) -> Account:
    """Make an annotator's account and give it the seat; neither where the other fails.

    Raises InvitationSpent; IntegrityError where the login name was taken a moment ago.
    """
    account = Account.objects.create_user(username, password, name=name, role=Account.Role.ANNOTATOR)
    take_seat(secret=secret, account=account)
    return account


@transaction.atomic
def erase(*, account: Account, who: Account) -> None:
    """Remove a person: name, login, address, sessions, tokens, invitations, drafts, comments, the link to their seats.

    What they had open is dealt to others; their labels stay under the seats. Raises EraseRefused for a researcher who
    does not own all the person's studies, for accounts that are more than annotators, and for the only admin.
    """
    account = Account.objects.select_for_update().get(pk=account.pk)
    _require_may_erase(account, who)
    for seat in account.seats.filter(left_at__isnull=True).select_related("study"):
        leave(seat=seat, who=who, reason="The person was erased.")
    seats = Seat.objects.filter(account=account)
    Draft.objects.filter(assignment__seat__in=seats).delete()
    Comment.objects.filter(review__assignment__seat__in=seats).delete()
    Invitation.objects.filter(seat__in=seats).delete()
    seats.update(account=None)
    account.erase()


def _require_may_erase(account: Account, who: Account) -> None:
    if account.erased_at:
        raise EraseRefused("This person was erased before.")
    if who.role == Account.Role.ADMIN:
        if account.is_active and account.role == Account.Role.ADMIN and account.is_only_admin():
            raise EraseRefused("This is the only active admin. Make another account admin first.")
        return
    if account.role != Account.Role.ANNOTATOR:
        raise EraseRefused("Only an admin erases an account that is more than an annotator's.")
    owners = set(Study.objects.filter(seats__account=account).values_list("owner", flat=True))
    if owners != {who.pk}:
        raise EraseRefused("This person has a seat in somebody else's study. Ask an admin.")


def _deal_away_seen(study: Study, seat: Seat) -> dict[str, Any]:
    """Deal to others what this account may not label: items of units whose automatic labels it has seen."""
    groups = {group for _, group in barred({seat.number: seat.account_id})}
    places = Assignment.objects.unlabelled().filter(seat=seat, item__matched_group__in=groups)
    items = list(places.values_list("item__public_id", flat=True))
    if not items:
        return {}
    before = standing(study)
    places.update(released_at=timezone.now())
    return deal_again(study, before, items).as_details()
