"""What `demo` loads once: accounts with fresh passwords, and the trajectories of `fixtures/` by an ordinary import."""

import secrets
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from benchmark.actions.imports import import_now
from benchmark.models import Account, ImportBatch

FIXTURES = settings.ROOT / "fixtures"
LICENCE = "CC-BY-4.0"
EASILY_READ = "abcdefghjkmnpqrstuvwxyz23456789"
ANNOTATORS = 6

Role = Account.Role


class Source(NamedTuple):
    """A file under `fixtures/`, and what its import says about where it comes from."""

    path: str
    said: str


SOURCES = (
    # Lists show the newest first, so what is most worth reading comes in last.
    Source(
        "rebuilt/table8_rollouts.jsonl",
        "rebuilt from the published margins of the paper's table 8; the trajectories were never published",
    ),
    Source("sources/demo/hand_written.jsonl", "written for this demo by hand; no model made these steps"),
    Source(
        "sources/demo/published_cases.jsonl",
        "written for this demo: the paper's two published cases, retold in our own words",
    ),
)


class DemoBroken(Exception):
    """A file that ships with RITE could not be imported."""


@transaction.atomic
def load() -> dict[str, str]:
    """Bring what is missing, all or nothing, and give the passwords of accounts made now. The second time does nothing.

    Accounts are made with the first import only, so that one erased later does not come back.
    """
    missing = [source for source in SOURCES if not ImportBatch.objects.filter(source=source.said).exists()]
    passwords = _make_accounts() if len(missing) == len(SOURCES) else {}
    for source in missing:
        _import(source)
    return passwords


def _make_accounts() -> dict[str, str]:
    wanted = {"admin": Role.ADMIN, "researcher": Role.RESEARCHER, "author": Role.AUTHOR}
    wanted |= {f"annotator{number}": Role.ANNOTATOR for number in range(1, ANNOTATORS + 1)}
    taken = set(Account.objects.filter(username__in=wanted).values_list("username", flat=True))
    passwords = {username: _password() for username in wanted if username not in taken}
    for username, password in passwords.items():
        Account.objects.create_user(username, password, name=f"Demo {username}", role=wanted[username])
    return passwords


def _password() -> str:
    """Three groups of four letters and digits that are not mistaken for each other: 59 bits."""
    return "-".join("".join(secrets.choice(EASILY_READ) for _ in range(4)) for _ in range(3))


def _import(source: Source) -> None:
    batch = import_now(
        FIXTURES / source.path,
        on_progress=lambda batch: None,
        format="rite.rollout/1",
        source=source.said,
        licence=LICENCE,
        who=Account.objects.filter(username="researcher").first(),
    )
    if batch.status != ImportBatch.Status.DONE or batch.skipped:
        raise DemoBroken(f"fixtures/{source.path} was not imported: {batch.why or batch.report}")
