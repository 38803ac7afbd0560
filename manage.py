#!/usr/bin/env python
"""The command line: `python manage.py help` lists what there is."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    """Run one command; a bad setting stops it with a sentence instead of a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rite_app.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        sys.exit(f"Cannot start: {problem}")


if __name__ == "__main__":
    main()
