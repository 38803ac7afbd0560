"""Whatever a program sends within or beside the OpenAPI document, what comes back is what the document says, and no 5xx."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from annotation.actions import labelling
from annotation.models import Assignment, Seat, Study
from benchmark.models import Account, ImportBatch, Step, Unit
from tests.api_clients import Caller

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
BOUNDED = settings(
    max_examples=8, derandomize=True, database=None, suppress_health_check=list(HealthCheck), print_blob=False
)


def closing(application: Any) -> Any:
    """The application, its answers read and closed as a server does; the test's client leaves them open."""

    def answer(environ: Any, start_response: Any) -> list[bytes]:
        response = application(environ, start_response)
        try:
            return [b"".join(response)]
        finally:
            response.close()

    return answer


class World:
    """A program, the document it reads, and what its path parameters may name that exists."""

    def __init__(self, caller: Caller, known: dict[str, Any]) -> None:
        self.headers = {**caller.headers, "Accept-Encoding": "identity"}
        self.known = known
        self.schema = schemathesis.openapi.from_wsgi(
            "/api/v1/schema", closing(get_wsgi_application()), headers=self.headers
        )

    def try_out(self, case: Any) -> None:
        """Send a request as it was made up, then once more aimed at what exists; half a JSON text would be none."""
        if case.headers:
            case.headers.pop("Range", None)
        case.call_and_validate(headers=self.headers, checks=CHECKS)
        aimed = {name: self.known.get(self._key(case, name)) for name in case.path_parameters or {}}
        if any(aimed.values()):
            case.path_parameters = {name: value or case.path_parameters[name] for name, value in aimed.items()}
            case.call_and_validate(headers=self.headers, checks=CHECKS)

    def _key(self, case: Any, name: str) -> str:
        return f"{case.operation.path.split('/')[3]} {name}" if name == "id" else name


@pytest.fixture(autouse=True)
def _connection_stays_open() -> Iterator[None]:
    """A request may not close the connection that the test's transaction is on; Django's own client sees to it so."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def researching(calling: Callable[..., Caller], make_study: Callable[..., Study]) -> World:
    """A researcher, with one of everything there is to read."""
    caller = calling("researcher")
    study = make_study(rollouts=3, seats=2, owner=caller.account)
    rollout = study.items.first().rollout
    rollout.unit = Unit.objects.create(name="u", digest="0" * 64, record="{}")
    rollout.save()
    Step.objects.filter(rollout=rollout, index=0).update(error_rule="E1", error_type="Timeout", observation=None)
    for place in Assignment.objects.filter(item__study=study)[:4]:
        labelling.submit_blind(assignment=place, result=True, noticed=False, evidence={})
    batch = ImportBatch.objects.create(file_name="a.json", status=ImportBatch.Status.REFUSED, why="No.")
    known = {"rollouts id": rollout.pk, "studies id": study.pk, "imports id": batch.pk, "index": 1}
    return World(caller, known)


@pytest.fixture
def labelling_now(make_study: Callable[..., Study]) -> World:
    """An annotator: one item locked and to review, one with a draft."""
    study = make_study(rollouts=2)
    first, second = study.seats.get().assignments.all()
    labelling.submit_blind(assignment=first, result=True, noticed=False, evidence={})
    labelling.save_draft(assignment=second, result=True, noticed=None, evidence={}, version=0)
    account: Account = Seat.objects.get(study=study).account
    return World(Caller(account), {"public_id": first.public_id, "part": "observation-R1"})


@pytest.fixture
def drafting(make_study: Callable[..., Study]) -> World:
    """An annotator before an item that nothing is said of."""
    study = make_study(rollouts=1)
    place = study.seats.get().assignments.get()
    return World(Caller(study.seats.get().account), {"public_id": place.public_id, "part": "task"})


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["researching", "labelling_now", "drafting"])
def test_a_program_gets_what_the_document_says(request: pytest.FixtureRequest, who: str) -> None:
    world: World = request.getfixturevalue(who)
    operations = [found.ok() for found in world.schema.get_all_operations()]
    assert len(operations) >= 6
    for operation in operations:
        for mode in GenerationMode:
            try_out = BOUNDED(given(operation.as_strategy(generation_mode=mode))(world.try_out))
            try_out()
