"""`agreement {STUDY|FILE.csv}`: table 8 and everything beside it."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.management.named import find_study
from annotation.report.agreement import study_agreement
from benchmark.core.comparing.agreement_csv import BadAgreementFile, read_agreement_csv
from benchmark.core.comparing.agreement_export import as_csv, as_json
from benchmark.core.comparing.agreement_report import AgreementReport, Manifest, agreement_report
from benchmark.core.comparing.agreement_tables import report_tables
from benchmark.core.comparing.ratings import BadRatings
from benchmark.core.comparing.statistics import REPORT_SEED
from benchmark.core.comparing.tables import as_latex, as_text
from benchmark.report.code_version import code_version

FORMATS = {
    "text": lambda report, manifest: as_text(report_tables(report, manifest)),
    "csv": as_csv,
    "latex": lambda report, manifest: as_latex(report_tables(report, manifest)),
    "json": as_json,
}


class Command(BaseCommand):
    """The report goes to standard output and nothing else does."""

    help = "Agreement of human and automatic labels, of a study or of a CSV file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to read, how to write it."""
        parser.add_argument("source", metavar="STUDY|FILE.csv", help="a study's number or name, or a file")
        parser.add_argument("--format", choices=FORMATS, default="text")
        parser.add_argument("--planned", type=_at_least_one, help="planned labels an item")
        parser.add_argument("--seed", type=_not_negative, default=REPORT_SEED, help="seed of the bootstrap")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, compute, write; what cannot be read is refused in a sentence."""
        source = options["source"]
        is_file = Path(source).is_file() or source.lower().endswith(".csv")
        try:
            report, manifest = (_of_file if is_file else _of_study)(source, options["planned"], options["seed"])
        except (BadAgreementFile, BadRatings) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(FORMATS[options["format"]](report, manifest), ending="")


def _of_file(source: str, planned: int | None, seed: int) -> tuple[AgreementReport, Manifest]:
    path = Path(source)
    try:
        file = read_agreement_csv(path)
    except OSError as error:
        raise CommandError(f"{source} cannot be read: {error.strerror}.") from error
    report = agreement_report(file.judgments, planned, seed)
    return report, Manifest(path.name, file.sha256, code_version(), file.notes)


def _of_study(source: str, planned: int | None, seed: int) -> tuple[AgreementReport, Manifest]:
    return study_agreement(find_study(source, "study and no file"), planned, seed)


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number of 1 or more.")
    return int(text)


def _not_negative(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not a whole number of 0 or more.")
    return int(text)
