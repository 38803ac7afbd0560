"""Which code made a report."""

import subprocess
from functools import cache
from pathlib import Path


@cache
def code_version() -> str:
    """The commit this code was checked out at, `-dirty` when files differ from it; `unknown` outside a git checkout."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        described = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return described.stdout.strip() or "unknown"
