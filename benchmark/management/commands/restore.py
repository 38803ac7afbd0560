"""`manage.py restore FILE`: docs/upgrade.md says when."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from benchmark.actions import backup, serving


class Command(BaseCommand):
    """Put a backup back in place of the present database and uploads."""

    help = "Put a backup back in place of the present database and uploads."
    # The database that is replaced may be damaged or half migrated.
    requires_system_checks: list[str] | tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file, `--replace` and `--json`."""
        parser.add_argument("file", type=Path, help="a backup made by `manage.py backup`")
        parser.add_argument("--replace", action="store_true", help="lose what the database holds now")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore and say what came back; exit code 1 and a sentence if it cannot be done, with nothing changed."""
        try:
            with serving.only_one(settings.VAR):
                receipt = backup.restore(options["file"], replace=options["replace"])
        except (backup.BackupRefused, serving.CannotServe) as problem:
            raise CommandError(str(problem)) from problem
        if options["json"]:
            self.stdout.write(json.dumps(asdict(receipt)))
            return
        self.stdout.write(f"Restored the {receipt.database} database and the uploads as of {receipt.made}.")
        if receipt.older_schema:
            self.stdout.write("They are of an older version: run `python manage.py migrate` before you start.")
