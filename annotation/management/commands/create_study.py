"""`create_study FILE.yaml`: a draft study from its file, started at once if asked for."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotation.actions.starting import StartRefused, start
from annotation.actions.studies import create_study
from annotation.core.shipped import shipped
from annotation.core.study_design import StudyDesign
from annotation.core.study_file import DesignRefused, StudyFileRefused, parse_study_file
from annotation.management.named import find_researcher
from annotation.models import Study


class Command(BaseCommand):
    """Every mistake is said with file, line and key; then nothing is made."""

    help = "Make a study from a study file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and whose study it will be."""
        parser.add_argument("file", type=Path, metavar="FILE.yaml")
        parser.add_argument("--owner", required=True, help="login name of the researcher or admin whose study it is")
        parser.add_argument("--consent", type=Path, metavar="FILE.md", help="consent text; the shipped one otherwise")
        parser.add_argument("--start", action="store_true", help="freeze the labels and deal the plan at once")
        parser.add_argument("--json", action="store_true", help="one JSON document on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, make, start."""
        file: Path = options["file"]
        owner = find_researcher(options["owner"])
        try:
            design = parse_study_file(_read(file), file.name)
            with transaction.atomic():
                study = create_study(
                    design=design,
                    owner=owner,
                    guidelines=_guidelines(file, design),
                    consent=_text(options["consent"]) if options["consent"] else shipped("consent"),
                )
                if options["start"]:
                    start(study=study, who=owner)
        except (StudyFileRefused, StartRefused) as refused:
            raise CommandError("\n".join(refused.problems)) from refused
        except DesignRefused as refused:
            problems = (f"{file.name}, {problem.key}: {problem.text}" for problem in refused.problems)
            raise CommandError("\n".join(problems)) from refused
        study.refresh_from_db()
        self._say(study, as_json=options["json"])

    def _say(self, study: Study, *, as_json: bool) -> None:
        counts = {"items": study.items.count(), "seats": study.seats.count()}
        if as_json:
            said = {"study": study.pk, "name": study.name, "status": study.status, **counts}
            self.stdout.write(json.dumps(said, ensure_ascii=False, indent=2))
        else:
            self.stdout.write(f"Study {study.pk}, “{study.name}”, is {study.status}.")


def _guidelines(file: Path, design: StudyDesign) -> str:
    return _text(file.parent / design.guidelines) if design.guidelines else shipped("guidelines")


def _text(path: Path) -> str:
    try:
        return _read(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandError(f"{path} is not UTF-8 text.") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise CommandError(f"{path} cannot be read: {problem.strerror}.") from problem
