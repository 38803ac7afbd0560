"""Passwords, reset links, tokens and roles: secrets shown once, used once, nobody locked out of administration."""

import re
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from benchmark.actions import accounts as actions
from benchmark.models import Account, ApiToken, ResetLink
from benchmark.models.account import token_hash
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db

NEW = "an altogether new one"
TWICE = {"new_password1": NEW, "new_password2": NEW}


def may_sign_in(account: Account, password: str) -> bool:
    answer = Client().post("/accounts/login/", {"username": account.username, "password": password})
    return answer.status_code == 302


def is_signed_in(client: Client) -> bool:
    return client.get("/accounts/").status_code == 200


def test_signing_in_leads_back_to_where_one_wanted_to_go(make_account: Callable[..., Account]) -> None:
    account = make_account("researcher")
    client = Client()
    wanted = client.get("/studies/").headers["Location"]
    answer = client.post(wanted, {"username": account.username, "password": PASSWORD, "next": "/studies/"})
    assert answer.headers["Location"] == "/studies/"


def test_a_wrong_password_is_said_in_words_and_keeps_the_login_name(make_account: Callable[..., Account]) -> None:
    page = (
        Client().post("/accounts/login/", {"username": make_account().username, "password": "wrong"}).content.decode()
    )
    assert "do not fit together" in page
    assert 'value="annotator-1"' in page


def test_signing_out_ends_this_session_only(make_account: Callable[..., Account], signed_in: Callable) -> None:
    account = make_account()
    one, other = signed_in(account), signed_in(account)
    assert one.get("/accounts/logout/").status_code == 405
    one.post("/accounts/logout/")
    assert (is_signed_in(one), is_signed_in(other)) == (False, True)


def test_signing_out_everywhere_ends_every_session_and_nobody_elses(
    make_account: Callable[..., Account], signed_in: Callable
) -> None:
    account = make_account()
    one, other, stranger = signed_in(account), signed_in(account), signed_in("annotator")
    one.post("/accounts/sign-out-everywhere/")
    assert [is_signed_in(client) for client in (one, other, stranger)] == [False, False, True]


def test_a_new_password_needs_the_old_one(make_account: Callable[..., Account], signed_in: Callable) -> None:
    account = make_account()
    answer = signed_in(account).post("/accounts/password/", {"old_password": "guessed", **TWICE})
    assert answer.status_code == 422
    assert may_sign_in(account, PASSWORD)


def test_a_weak_password_is_refused_with_the_reason(make_account: Callable[..., Account], signed_in: Callable) -> None:
    weak = {"old_password": PASSWORD, "new_password1": "12345", "new_password2": "12345"}
    page = signed_in(make_account()).post("/accounts/password/", weak)
    assert page.status_code == 422
    assert "at least 10 characters" in page.content.decode()


def test_changing_the_password_keeps_this_device_and_signs_the_others_out(
    make_account: Callable[..., Account], signed_in: Callable
) -> None:
    account = make_account()
    one, other = signed_in(account), signed_in(account)
    one.post("/accounts/password/", {"old_password": PASSWORD, **TWICE})
    assert (is_signed_in(one), is_signed_in(other)) == (True, False)
    assert may_sign_in(account, NEW)
    assert not may_sign_in(account, PASSWORD)


@pytest.fixture
def link(make_account: Callable[..., Account]) -> tuple[Account, str]:
    """An account and the secret of its reset link."""
    account = make_account()
    return account, actions.make_reset_link(account=account, who=make_account("admin"))


def test_a_reset_link_works_once(link: tuple[Account, str]) -> None:
    account, secret = link
    assert Client().get(f"/reset/{secret}/").status_code == 200
    assert Client().post(f"/reset/{secret}/", TWICE).status_code == 302
    assert may_sign_in(account, NEW)
    again = Client().post(f"/reset/{secret}/", {"new_password1": "yet another one", "new_password2": "yet another one"})
    assert again.status_code == 410
    assert may_sign_in(account, NEW)


def test_opening_a_reset_link_uses_nothing_up(link: tuple[Account, str]) -> None:
    for _ in range(3):
        assert Client().get(f"/reset/{link[1]}/").status_code == 200


def test_a_reset_link_ends_after_a_day(link: tuple[Account, str]) -> None:
    ResetLink.objects.update(created=timezone.now() - timedelta(hours=24))
    answer = Client().get(f"/reset/{link[1]}/")
    assert answer.status_code == 410
    assert "Ask an admin for a new one" in answer.content.decode()


def test_a_new_reset_link_ends_the_one_before(link: tuple[Account, str], make_account: Callable) -> None:
    account, older = link
    newer = actions.make_reset_link(account=account, who=make_account("admin"))
    assert Client().get(f"/reset/{older}/").status_code == 410
    assert Client().get(f"/reset/{newer}/").status_code == 200


def test_a_reset_signs_every_device_out(link: tuple[Account, str], signed_in: Callable) -> None:
    client = signed_in(link[0])
    Client().post(f"/reset/{link[1]}/", TWICE)
    assert not is_signed_in(client)


def test_of_a_reset_link_only_a_hash_is_kept_and_no_cache_keeps_the_page(link: tuple[Account, str]) -> None:
    assert ResetLink.objects.get().hash == token_hash(link[1])
    assert "no-store" in Client().get(f"/reset/{link[1]}/").headers["Cache-Control"]


@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_use_a_reset_link_at_once_one_sets_the_password(link: tuple[Account, str]) -> None:
    barrier, outcomes = threading.Barrier(2), []

    def use(password: str) -> None:
        barrier.wait()
        try:
            actions.use_reset_link(secret=link[1], password=password)
            outcomes.append(password)
        except actions.LinkSpent:
            outcomes.append("")
        finally:
            connection.close()

    threads = [threading.Thread(target=use, args=[password]) for password in ("first password", "other password")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(bool, outcomes)) == [False, True]
    assert Account.objects.get(pk=link[0].pk).check_password(max(outcomes))


def test_an_admin_sees_the_link_once(make_account: Callable[..., Account], signed_in: Callable) -> None:
    account = make_account()
    client = signed_in(make_account("admin"))
    page = client.post(f"/people/{account.pk}/reset-link/")
    shown = re.search(r'value="http://testserver(/reset/[^"]+)"', page.content.decode())
    assert shown
    assert "no-store" in page.headers["Cache-Control"]
    assert shown[1] not in client.get(f"/people/{account.pk}/").content.decode()
    assert Client().get(shown[1]).status_code == 200


def test_a_new_account_comes_with_its_role_and_a_link_to_set_the_password(
    make_account: Callable[..., Account], signed_in: Callable
) -> None:
    page = signed_in(make_account("admin")).post("/people/new/", {"username": "kim", "name": "Kim", "role": "author"})
    shown = re.search(r"/reset/[^\"]+", page.content.decode())
    account = Account.objects.get(username="kim")
    assert account.role == "author"
    assert not account.has_usable_password()
    assert shown
    Client().post(shown[0], TWICE)
    assert may_sign_in(account, NEW)


def test_a_role_change_holds_from_the_next_request(make_account: Callable[..., Account], signed_in: Callable) -> None:
    account, admin = make_account("researcher"), signed_in(make_account("admin"))
    client = signed_in(account)
    assert client.get("/studies/").status_code == 200
    admin.post(f"/people/{account.pk}/", {"name": "", "role": "annotator", "is_active": "on"})
    assert client.get("/studies/").status_code == 404


def test_a_deactivated_account_is_out_at_once(make_account: Callable[..., Account], signed_in: Callable) -> None:
    account, admin = make_account("researcher"), signed_in(make_account("admin"))
    client = signed_in(account)
    admin.post(f"/people/{account.pk}/", {"name": "", "role": "researcher"})
    assert not is_signed_in(client)
    assert not may_sign_in(account, PASSWORD)


@pytest.mark.parametrize("change", [{"role": "author", "is_active": "on"}, {"role": "admin"}])
def test_the_only_admin_stays_an_admin(
    change: dict[str, str], make_account: Callable[..., Account], signed_in: Callable
) -> None:
    admin = make_account("admin")
    page = signed_in(admin).post(f"/people/{admin.pk}/", {"name": "", **change})
    assert page.status_code == 422
    assert "only active admin" in page.content.decode()
    admin.refresh_from_db()
    assert (admin.role, admin.is_active) == ("admin", True)


def test_people_are_found_by_login_name_and_name(make_account: Callable[..., Account], signed_in: Callable) -> None:
    make_account(username="zhang", name="张伟")
    make_account(username="other", name="Somebody else")
    client = signed_in(make_account("admin"))
    assert "zhang" in client.get("/people/?q=张").content.decode()
    assert "zhang" not in client.get("/people/?q=else").content.decode()


def test_a_token_is_shown_once_and_kept_as_a_hash(make_account: Callable[..., Account], signed_in: Callable) -> None:
    client = signed_in(make_account())
    page = client.post("/accounts/tokens/", {"name": "notebook"})
    shown = re.search(r'class="secret" readonly value="([^"]+)"', page.content.decode())
    assert shown
    assert ApiToken.objects.get().hash == token_hash(shown[1])
    assert shown[1] not in client.get("/accounts/tokens/").content.decode()
    assert "no-store" in page.headers["Cache-Control"]


def test_a_token_ends_after_ninety_days_or_when_it_is_revoked(
    make_account: Callable[..., Account], signed_in: Callable
) -> None:
    account = make_account()
    client = signed_in(account)
    old, _ = actions.create_token(account=account, name="old")
    gone, _ = actions.create_token(account=account, name="gone")
    kept, _ = actions.create_token(account=account, name="kept")
    assert round((kept.expires - kept.created) / timedelta(days=1)) == 90
    ApiToken.objects.filter(pk=old.pk).update(expires=timezone.now() - timedelta(seconds=1))
    client.post(f"/accounts/tokens/{gone.pk}/revoke/")
    assert list(ApiToken.objects.usable()) == [kept]


def test_nobody_revokes_the_token_of_somebody_else(make_account: Callable[..., Account], signed_in: Callable) -> None:
    token, _ = actions.create_token(account=make_account(), name="mine")
    assert signed_in("annotator").post(f"/accounts/tokens/{token.pk}/revoke/").status_code == 404
    assert ApiToken.objects.usable().count() == 1
