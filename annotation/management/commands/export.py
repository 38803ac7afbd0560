"""`export {rollouts,units,labels,study,matrix,audit}`: interchange records on standard output or in a file."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.core.study_file import design_of, to_yaml
from annotation.management.named import find_study
from annotation.models import Study
from annotation.report import study_export
from benchmark.models import Rollout
from benchmark.report.export import rollout_lines, unit_lines

OF_STUDY: dict[str, Callable[[Study], Iterator[str]]] = {
    "labels": study_export.lines,
    "labels.csv": study_export.csv_lines,
    "matrix": study_export.matrix_lines,
    "audit": study_export.audit_lines,
    "study": lambda study: iter([to_yaml(design_of(study.design))]),
}


class Command(BaseCommand):
    """Lines are written as they are read, so the size of what is exported does not matter."""

    help = "Write rollouts, units, or a study's labels, plan, audit or study file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What, of which study, where to."""
        parser.add_argument("what", choices=["rollouts", "units", *OF_STUDY])
        parser.add_argument(
            "study", nargs="?", default="", metavar="STUDY", help="number or name, where it is a study's"
        )
        parser.add_argument("--imports", type=int, nargs="*", default=[], help="only rollouts of these imports")
        parser.add_argument("--out", type=Path, metavar="FILE", help="standard output otherwise")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write; an export whose own count is wrong fails and leaves no file."""
        lines, out = self._lines(options), options["out"]
        try:
            if out is None:
                for line in lines:
                    self.stdout.write(line, ending="")
            else:
                _write(lines, out)
                self.stderr.write(f"{out} is written.")
        except study_export.ExportDiffers as wrong:
            raise CommandError(str(wrong)) from wrong
        except OSError as problem:
            raise CommandError(f"{out} cannot be written: {problem.strerror}.") from problem

    def _lines(self, options: dict[str, Any]) -> Iterator[str]:
        what = options["what"]
        if what in OF_STUDY:
            if not options["study"]:
                raise CommandError(f"Say of which study: export {what} STUDY.")
            return OF_STUDY[what](find_study(options["study"]))
        if what == "units":
            return unit_lines()
        rollouts = Rollout.objects.filter(status=Rollout.Status.FINISHED)
        return rollout_lines(rollouts.filter(batch__in=options["imports"]) if options["imports"] else rollouts)


def _write(lines: Iterator[str], out: Path) -> None:
    """Write beside the file and put it in place when it is whole."""
    part = out.with_name(out.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
