"""`manage.py backup FILE`: docs/upgrade.md says when."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.template.defaultfilters import filesizeformat

from benchmark.actions import backup


class Command(BaseCommand):
    """Write the database and the uploads into one file."""

    help = "Write the database and the uploads into one file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file, and `--json`."""
        parser.add_argument("file", type=Path, help="the backup to write; it must not exist yet")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the backup and say what it holds; exit code 1 and a sentence if it cannot be made."""
        try:
            receipt = backup.make(options["file"])
        except backup.BackupRefused as problem:
            raise CommandError(str(problem)) from problem
        if options["json"]:
            self.stdout.write(json.dumps(asdict(receipt)))
        else:
            size = filesizeformat(options["file"].stat().st_size)
            self.stdout.write(f"Backed up the {receipt.database} database and the uploads: {options['file']}, {size}.")
