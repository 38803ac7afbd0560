"""Static files where the web process serves them from, under names that change with their content."""

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect() -> None:
    """Collect them, unless nothing has changed since the last time."""
    stamp = Path(settings.STATIC_ROOT) / "collected.sha256"
    state = _state()
    if stamp.exists() and stamp.read_text() == state:
        return
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(state)


def _state() -> str:
    """A digest over the path, size and time of every file that would be collected."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            status = Path(storage.path(path)).stat()
            digest.update(f"{path}|{status.st_size}|{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
