"""The demo asks for no particular database."""

import pytest

from tests.house.program import Program, get


@pytest.mark.services("postgresql")
def test_demo_runs_on_postgresql_too(postgresql_program: Program) -> None:
    with postgresql_program.demo() as (_, address, _):
        assert '"database": true' in get(f"{address}health.json")
