"""`import_traces FILE…`: trajectories of any format RITE reads become rollouts."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from benchmark.actions.imports import import_now
from benchmark.models import ImportBatch


class Command(BaseCommand):
    """Says of each file what was read, known already, skipped and why."""

    help = "Import trajectories. Each agent trajectory becomes a rollout that can be read and annotated at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Files, and what they do not say of themselves."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--format", default="auto", help="auto (by content), chat (τ-bench too), agentcheck, rite.rollout/1"
        )
        parser.add_argument("--model", default="", help="the model's name, where the file does not say")
        parser.add_argument("--source", default="", help="where the file comes from")
        parser.add_argument(
            "--licence", default="unknown", help="SPDX identifier or words; unknown blocks a public release"
        )
        parser.add_argument("--mask", action="store_true", help="mask keys and personal data before anything is saved")
        parser.add_argument("--json", action="store_true", help="one JSON document on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import file after file; a file that is refused does not stop the next."""
        if missing := [str(path) for path in options["files"] if not path.is_file()]:
            raise CommandError(f"There is no such file: {', '.join(missing)}. Nothing was imported.")
        accounts = [self._import(path, options) for path in options["files"]]
        if options["json"]:
            self.stdout.write(json.dumps({"files": accounts}, ensure_ascii=False, indent=2))
        if any(account["status"] == ImportBatch.Status.FAILED for account in accounts):
            raise CommandError("At least one file could not be imported.")

    def _import(self, path: Path, options: dict[str, Any]) -> dict[str, Any]:
        batch = import_now(
            path,
            on_progress=lambda batch: self._progress(path, batch),
            format=options["format"],
            model_name=options["model"],
            source=options["source"],
            licence=options["licence"],
            masked=options["mask"],
        )
        self.stderr.write(f"\r{_sentence(batch)}")
        return _account(batch)

    def _progress(self, path: Path, batch: ImportBatch) -> None:
        if self.stderr.isatty():
            share = 100 * batch.bytes_done // max(batch.size, 1)
            self.stderr.write(f"\r{path.name}: {share} %, {batch.read} read", ending="")


def _sentence(batch: ImportBatch) -> str:
    if batch.status != ImportBatch.Status.DONE:
        return f"{batch.file_name}: {batch.status}. {batch.why}"
    parts = [f"{batch.read} read"]
    parts += [f"{batch.known} known already"] if batch.known else []
    parts += [f"{batch.skipped} skipped"] if batch.skipped else []
    found = ", ".join(f"{count} {kind}" for kind, count in sorted(batch.findings.items()))
    verb = "masked" if batch.masked else "found (not masked; --mask masks them)"
    return f"{batch.file_name}: {', '.join(parts)} as {batch.format}." + (
        f" Personal data {verb}: {found}." if found else ""
    )


def _account(batch: ImportBatch) -> dict[str, Any]:
    return {
        "file": batch.file_name,
        "batch": batch.pk,
        "status": batch.status,
        "format": batch.format,
        "told_by": batch.told_by,
        "why": batch.why,
        "read": batch.read,
        "known": batch.known,
        "skipped": batch.skipped,
        "findings": batch.findings,
        "masked": batch.masked,
        **batch.report,
    }
