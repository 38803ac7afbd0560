"""A web process stays small until somebody asks for a report."""

import json

import pytest

from tests.house.program import Program

pytestmark = pytest.mark.sqlite

HEAVY = [
    "altair",
    "krippendorff",
    "networkx",
    "numpy",
    "openai",
    "pandas",
    "scipy",
    "sklearn",
    "statsmodels",
    "vl_convert",
]
LOOK = f"""
import json, sys
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.test import Client
from benchmark.models import Account
import rite_app.wsgi
client = Client(headers={{"host": "localhost"}})
statuses = [client.get("/accounts/login/").status_code]
client.force_login(Account.objects.create_user("ada", role="admin"), backend="annotation.backends.EffectiveRoleBackend")
statuses += [client.get(path, follow=True).status_code for path in ("/", "/health", "/people/")]
print(json.dumps([statuses, sorted(set({HEAVY!r}) & set(sys.modules))]))
"""


def test_pages_before_the_first_report_load_no_statistics_and_no_charts(sqlite_program: Program) -> None:
    sqlite_program.environment["DEBUG"] = "1"
    statuses, loaded = json.loads(sqlite_program.python(LOOK))
    assert statuses == [200, 200, 200, 200]
    assert loaded == []
