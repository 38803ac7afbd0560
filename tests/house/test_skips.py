"""A test that could not run is named, and is a failure where services are required."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.sqlite

ROOT = Path(__file__).resolve().parents[2]
NEEDS_REDIS = "tests/house/test_worker.py"


def run_without_redis(**environment: str) -> subprocess.CompletedProcess[str]:
    dropped = {"CELERY_BROKER_URL", "RITE_REQUIRE_SERVICES", "RITE_VAR", "PYTEST_ADDOPTS"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped and "XDIST" not in name}
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", "-k", "redis", NEEDS_REDIS]
    return subprocess.run(
        command, cwd=ROOT, env={**kept, **environment}, capture_output=True, text=True, timeout=60, check=False
    )


def test_what_is_skipped_for_want_of_a_service_is_named() -> None:
    done = run_without_redis()
    assert done.returncode == 0
    assert "Skipped 1 for want of Redis: set CELERY_BROKER_URL=redis://" in done.stdout
    assert "test_worker.py::test_a_worker_takes_a_waiting_job" in done.stdout


def test_such_a_skip_is_a_failure_where_services_are_required() -> None:
    done = run_without_redis(RITE_REQUIRE_SERVICES="1")
    assert done.returncode == 1
    assert "for want of Redis" in done.stdout
