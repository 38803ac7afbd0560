"""`label FILE`: measures and the rule judge on trajectories in a file. No database row is read or made."""

from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from benchmark.core import text
from benchmark.core.formats import rite
from benchmark.core.formats.reading import FORMATS, Record, Refused, open_records
from benchmark.core.labelling import measures
from benchmark.core.trajectory import Rollout

_EVERY = 100


class Command(BaseCommand):
    """Writes every record again with its labels filled in."""

    help = "Label the trajectories of a file: JSON Lines of rite.rollout/1 with labels on standard output, no database."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and what is written of it."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--format", default="auto", choices=FORMATS, help="default: told by content")
        parser.add_argument(
            "--json", action="store_true", help="one JSON document with each rollout's labels, instead of whole records"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Label record after record; one that cannot be read is told and the next follows."""
        skipped: list[dict[str, str]] = []
        labelled = (_labelled(rollout) for rollout in self._read(options["file"], options["format"], skipped))
        read = self._document(options["file"], labelled, skipped) if options["json"] else self._lines(labelled)
        self.stderr.write(f"{options['file'].name}: {read} labelled, {len(skipped)} skipped.")
        if not read:
            raise CommandError("No record could be labelled.")

    def _document(self, path: Path, labelled: Iterator[Rollout], skipped: list[dict[str, str]]) -> int:
        found = [{"id": one.id, "labels": rite.labels_to_record(one.labels)} for one in labelled if one.labels]
        self.stdout.write(text.write({"file": path.name, "read": len(found), "skipped": skipped, "rollouts": found}))
        return len(found)

    def _lines(self, labelled: Iterator[Rollout]) -> int:
        count = 0
        for one in labelled:
            self.stdout.write(rite.write_line(one), ending="")
            count += 1
        return count

    def _read(self, path: Path, format: str, skipped: list[dict[str, str]]) -> Iterator[Rollout]:
        try:
            with path.open("rb") as stream:
                for count, record in enumerate(open_records(stream, path.name, format), start=1):
                    if record.rollout is None:
                        skipped.append({"record": record.locator, "why": record.skipped or ""})
                        self.stderr.write(_why(record))
                    else:
                        yield record.rollout
                    if count % _EVERY == 0:
                        self.stderr.write(f"{count} records …")
        except Refused as refused:
            raise CommandError(str(refused)) from None
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}.") from None


def _labelled(rollout: Rollout) -> Rollout:
    return replace(rollout, labels=measures.label(rollout))


def _why(record: Record) -> str:
    return f"{record.locator}: skipped, {record.skipped}."
