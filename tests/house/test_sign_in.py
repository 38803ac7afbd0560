"""Guessing passwords is stopped for one account from one address, and addresses are soon forgotten."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from axes.models import AccessAttempt, AccessLog
from django.conf import settings
from django.test import Client
from django.utils import timezone

from benchmark.models import Account
from benchmark.tasks import forget_sign_in_attempts
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db

LOGIN = "/accounts/login/"
LAB, HOME = "192.0.2.1", "198.51.100.7"


def sign_in(username: str, password: str, address: str = LAB) -> int:
    """The status of one try: 302 in, 200 wrong, 429 locked out."""
    answer = Client(REMOTE_ADDR=address).post(LOGIN, {"username": username, "password": password})
    return answer.status_code


@pytest.fixture
def locked_out(make_account: Callable[..., Account]) -> Account:
    """An account that was guessed at from the lab until the lock-out."""
    account = make_account(username="ada")
    for _ in range(settings.AXES_FAILURE_LIMIT):
        last = sign_in("ada", "a wrong one")
    assert last == 429
    return account


def test_guessing_locks_the_account_out_even_with_the_right_password(locked_out: Account) -> None:
    assert sign_in("ada", PASSWORD) == 429


def test_one_persons_slips_do_not_lock_the_lab(locked_out: Account, make_account: Callable[..., Account]) -> None:
    make_account(username="grace")
    assert sign_in("grace", PASSWORD, LAB) == 302


def test_a_guesser_does_not_lock_the_person_out_elsewhere(locked_out: Account) -> None:
    assert sign_in("ada", PASSWORD, HOME) == 302


def test_the_lock_out_ends_by_itself(locked_out: Account) -> None:
    AccessAttempt.objects.update(attempt_time=timezone.now() - settings.AXES_COOLOFF_TIME - timedelta(seconds=1))
    assert sign_in("ada", PASSWORD) == 302


def test_the_lock_out_page_says_what_happened_and_how_long(locked_out: Account) -> None:
    page = Client(REMOTE_ADDR=LAB).post(LOGIN, {"username": "ada", "password": PASSWORD}).content.decode()
    assert "15" in page
    assert "minutes" in page


def test_no_address_is_kept_beyond_the_lock_out_window(locked_out: Account) -> None:
    assert sign_in("ada", PASSWORD, HOME) == 302
    AccessAttempt.objects.update(attempt_time=timezone.now() - settings.AXES_COOLOFF_TIME)
    forget_sign_in_attempts()
    assert not AccessAttempt.objects.exists()
    assert not AccessLog.objects.exists()
