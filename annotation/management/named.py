"""Studies and accounts as commands name them."""

from django.core.management.base import CommandError
from django.db import DatabaseError

from annotation.models import Study
from benchmark.models import Account


def find_study(named: str, sought: str = "study") -> Study:
    """The study with this number or name. Raises CommandError where there is none, or several of that name.

    `sought` is what the command would have taken.
    """
    found = Study.objects.filter(pk=int(named)) if named.isdecimal() else Study.objects.filter(name=named)
    try:
        studies = list(found.select_related("owner")[:2])
    except DatabaseError as error:
        raise CommandError(
            f"The database cannot be read ({error}). Has `python manage.py migrate` been run?"
        ) from error
    if not studies:
        raise CommandError(f"There is no {sought} called {named}. `python manage.py study list` names the studies.")
    if len(studies) > 1:
        raise CommandError(f"More than one study is called {named}. Give its number instead.")
    return studies[0]


def find_researcher(username: str) -> Account:
    """The active researcher or admin with this login name. Raises CommandError for anybody else."""
    account = Account.objects.filter(username=username, is_active=True).first()
    if account is None or account.role not in (Account.Role.RESEARCHER, Account.Role.ADMIN):
        raise CommandError(f"{username} is no active account of a researcher or an admin.")
    return account
