"""The two requirements files: exact, complete, and enough by themselves."""

import re
from importlib.metadata import distribution
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
# irrCAC asks for one old SciPy, an old pandas and a coverage tool that it does not import; it runs without.
LOOSER = {("irrcac", "scipy"), ("irrcac", "pandas"), ("irrcac", "coverage")}


def pins(name: str) -> dict[str, str]:
    """{package: version} of one file; every other line is a comment or blank."""
    lines = [line for line in (ROOT / name).read_text().splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[^\s=]+", line) for line in lines), lines
    return {canonicalize_name(line.partition("==")[0]): line.partition("==")[2] for line in lines}


RUNTIME = pins("requirements.txt")
EVERYTHING = {**pins("requirements-dev.txt"), **RUNTIME}


def unmet(package: str, given: dict[str, str]) -> list[str]:
    """What an installed package asks for and the pins do not give."""
    found = []
    for line in distribution(package).requires or []:
        wanted = Requirement(line)
        name = canonicalize_name(wanted.name)
        if wanted.marker and not wanted.marker.evaluate({**default_environment(), "extra": ""}):
            continue
        if (package, name) not in LOOSER and (name not in given or not wanted.specifier.contains(given[name])):
            found.append(line)
    return found


def test_every_runtime_package_finds_all_it_needs_among_the_pins() -> None:
    assert {package: missing for package in RUNTIME if (missing := unmet(package, RUNTIME))} == {}


def test_every_test_package_finds_all_it_needs_among_the_pins() -> None:
    others = EVERYTHING.keys() - RUNTIME.keys()
    assert {package: missing for package in others if (missing := unmet(package, EVERYTHING))} == {}


def test_what_runs_here_is_what_is_pinned() -> None:
    assert {package: distribution(package).version for package in EVERYTHING} == EVERYTHING
