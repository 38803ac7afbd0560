"""Invitations give one seat once; erasing a person leaves their labels and nothing that names them."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client

from annotation.actions import people as actions
from annotation.models import Assignment, BlindLabel, Comment, Draft, Invitation, Review, Seat, Study
from benchmark.models import Account
from benchmark.models.account import token_hash

pytestmark = pytest.mark.django_db


def invited(study: Study, seat: int = 1) -> str:
    return actions.invite(study=study, seats=[seat], who=study.owner)[0].secret


def test_an_invitation_gives_its_seat_once(make_draft: Callable[..., Study], make_account: Callable) -> None:
    study, one, other = make_draft(), make_account(), make_account()
    secret = invited(study)
    assert actions.take_seat(secret=secret, account=one).name == "A1"
    with pytest.raises(actions.InvitationSpent):
        actions.take_seat(secret=secret, account=other)
    assert study.seats.get(number=1).account == one


def test_only_a_hash_of_the_link_is_kept(make_draft: Callable[..., Study]) -> None:
    secret = invited(make_draft())
    assert Invitation.objects.get().hash == token_hash(secret)
    assert secret not in str(Invitation.objects.values())


def test_an_invitation_expires_after_fourteen_days(make_draft: Callable[..., Study], make_account: Callable) -> None:
    secret = invited(make_draft())
    invitation = Invitation.objects.get()
    Invitation.objects.update(created=invitation.created - timedelta(days=14))
    with pytest.raises(actions.InvitationSpent, match="14 days"):
        actions.take_seat(secret=secret, account=make_account())


def test_a_revoked_invitation_gives_nothing(make_draft: Callable[..., Study], make_account: Callable) -> None:
    study = make_draft()
    secret = invited(study)
    assert actions.revoke(seat=study.seats.get(number=1)) == 1
    with pytest.raises(actions.InvitationSpent):
        actions.take_seat(secret=secret, account=make_account())


def test_a_new_invitation_to_a_seat_ends_the_older_one(
    make_draft: Callable[..., Study], make_account: Callable
) -> None:
    study = make_draft()
    older, newer = invited(study), invited(study)
    with pytest.raises(actions.InvitationSpent):
        actions.take_seat(secret=older, account=make_account())
    assert actions.take_seat(secret=newer, account=make_account()).number == 1


def test_nobody_sits_twice_in_a_study(make_draft: Callable[..., Study], make_account: Callable) -> None:
    study, person = make_draft(), make_account()
    actions.take_seat(secret=invited(study, 1), account=person)
    with pytest.raises(actions.SeatedAlready):
        actions.take_seat(secret=invited(study, 2), account=person)
    assert study.seats.get(number=2).account is None


def test_joining_makes_an_annotator_on_the_seat(make_draft: Callable[..., Study]) -> None:
    study = make_draft()
    account = actions.join(secret=invited(study), username="mei", name="Mei", password="a long enough one")
    assert account.role == "annotator"
    assert study.seats.get(number=1).account == account


def test_a_spent_invitation_makes_no_account(make_draft: Callable[..., Study], make_account: Callable) -> None:
    study = make_draft()
    secret = invited(study)
    actions.take_seat(secret=secret, account=make_account())
    with pytest.raises(actions.InvitationSpent):
        actions.join(secret=secret, username="late", name="", password="a long enough one")
    assert not Account.objects.filter(username="late").exists()


@pytest.mark.django_db(transaction=True)
def test_of_several_people_who_open_a_link_at_the_same_moment_one_gets_the_seat(
    make_draft: Callable[..., Study], make_account: Callable
) -> None:
    study = make_draft()
    secret = invited(study)
    people = [make_account() for _ in range(4)]
    barrier, got = threading.Barrier(len(people)), []

    def take(person: Account) -> None:
        barrier.wait()
        try:
            got.append(actions.take_seat(secret=secret, account=person).account)
        except actions.InvitationSpent:
            got.append(None)
        finally:
            connection.close()

    threads = [threading.Thread(target=take, args=[person]) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [person for person in got if person]
    assert len(winners) == 1
    assert len(got) == 4
    assert study.seats.get(number=1).account == winners[0]


def test_a_newcomer_is_dealt_nothing_whose_automatic_labels_they_have_seen(
    make_started: Callable[..., Study], make_account: Callable
) -> None:
    first = make_started()
    person = make_account()
    Seat.objects.filter(study=first, number=1).update(account=person)
    Assignment.objects.filter(seat__account=person).update(review_opened_at=first.started_at)
    seen = set(Assignment.objects.filter(seat__account=person).values_list("item__matched_group", flat=True))
    second = make_started(batch=first.items.first().rollout.batch)
    meant = set(second.seats.get(number=1).assignments.values_list("item__matched_group", flat=True))
    assert seen & meant
    actions.take_seat(secret=invited(second), account=person)
    held = Assignment.objects.held().filter(seat__account=person, item__study=second)
    assert not seen & set(held.values_list("item__matched_group", flat=True))
    counting = Assignment.objects.held().filter(item__study=second)
    assert counting.count() == 24


@pytest.fixture
def labelled_person(make_started: Callable[..., Study], make_account: Callable, label_all: Callable) -> Account:
    """Somebody with labels, a comment, a draft elsewhere, a session and a failed sign-in."""
    study = make_started()
    person = make_account(username="li-na", name="Li Na")
    Seat.objects.filter(study=study, number=1).update(account=person)
    label_all(study)
    place = Assignment.objects.filter(seat__account=person).first()
    review = Review.objects.create(assignment=place, version=1, result="agree", noticed="agree")
    Comment.objects.create(review=review, text="my own words")
    other = make_started(batch=place.item.rollout.batch, owner=study.owner)
    Seat.objects.filter(study=other, number=2).update(account=person)
    Draft.objects.create(assignment=other.seats.get(number=2).assignments.first(), result=True)
    Client().force_login(person, backend="annotation.backends.EffectiveRoleBackend")
    AccessAttempt.objects.create(username="li-na", ip_address="10.0.0.7", failures_since_start=1)
    return person


def test_erasing_a_person_keeps_labels_under_the_seat_and_nothing_that_names_them(labelled_person: Account) -> None:
    owner = Study.objects.first().owner
    labels = BlindLabel.objects.count()
    actions.erase(account=labelled_person, who=owner)
    assert BlindLabel.objects.count() == labels
    assert not Seat.objects.filter(account=labelled_person).exists()
    assert Seat.objects.filter(left_at__isnull=False).count() == 2
    for gone in (Comment, Draft, Session, AccessAttempt):
        assert not gone.objects.exists(), gone
    account = Account.objects.get(pk=labelled_person.pk)
    assert (account.name, account.is_active, account.has_usable_password()) == ("", False, False)
    assert account.username.startswith("erased-")
    assert Review.objects.count() == 1


def test_an_erased_persons_seat_is_not_free_again(labelled_person: Account) -> None:
    study = Study.objects.last()
    actions.erase(account=labelled_person, who=study.owner)
    assert actions.invite(study=study, seats=[1, 2, 3], who=study.owner) != []
    assert Invitation.objects.filter(seat__left_at__isnull=False).count() == 0


def test_a_researcher_erases_only_people_of_their_own_studies(labelled_person: Account, make_account: Callable) -> None:
    with pytest.raises(actions.EraseRefused, match="somebody else's study"):
        actions.erase(account=labelled_person, who=make_account("researcher"))
    with pytest.raises(actions.EraseRefused, match="Only an admin"):
        actions.erase(account=make_account("author"), who=Study.objects.first().owner)
    actions.erase(account=labelled_person, who=make_account("admin"))
    labelled_person.refresh_from_db()
    assert labelled_person.erased_at


def test_the_only_admin_is_not_erased(make_account: Callable) -> None:
    admin = make_account("admin")
    with pytest.raises(actions.EraseRefused, match="only active admin"):
        actions.erase(account=admin, who=admin)
    make_account("admin")
    actions.erase(account=admin, who=admin)
