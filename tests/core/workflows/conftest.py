"""The bundled world, as tests of workflows and tools read it."""

import os
from pathlib import Path

import pytest

from benchmark.core.workflows.world.making import made
from benchmark.core.workflows.world.reading import World

WORLD = Path(__file__).resolve().parents[3] / "fixtures" / "world"


@pytest.fixture(scope="session")
def world() -> World:
    """The world in `fixtures/world`; RITE_TEST_WORLD names another folder, and without either it is made in memory."""
    folder = Path(os.environ.get("RITE_TEST_WORLD", WORLD))
    return World(folder) if (folder / "MANIFEST.json").exists() else made()
