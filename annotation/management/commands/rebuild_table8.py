"""`rebuild_table8`: the study behind the paper's table 8, made from its printed figures alone."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotation.actions.rebuilt import ROLLOUTS, RolloutsMissing, printed_figures, rebuild_table8
from annotation.core.table8 import counts_behind, records
from benchmark.core.formats.rite import write_line
from benchmark.models import Account


class Command(BaseCommand):
    """Makes the study, or with `--write-rollouts` the file of rollouts that it is about."""

    help = "Rebuild the study behind the paper's table 8 from its printed figures; the judgments were never published."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose study it is, or that only its rollouts are wanted."""
        parser.add_argument("--owner", metavar="NAME", help="login name of the owner (default: the first researcher)")
        parser.add_argument(
            "--write-rollouts", action="store_true", help=f"only write {ROLLOUTS.relative_to(settings.ROOT)}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file or make the study; the study's number goes to standard output."""
        printed = printed_figures()
        counts = counts_behind(printed)
        self.stderr.write(
            f"The printed figures are met by one table alone: tp {counts.confusion.tp}, fp {counts.confusion.fp}, "
            f"fn {counts.confusion.fn}, tn {counts.confusion.tn}; items by positive labels, most first: "
            f"{', '.join(map(str, counts.votes))}; {counts.agreeing} reviews agree."
        )
        if options["write_rollouts"]:
            ROLLOUTS.parent.mkdir(exist_ok=True)
            ROLLOUTS.write_text("".join(map(write_line, records(printed))), encoding="utf-8", newline="\n")
            return
        try:
            study = rebuild_table8(owner=_owner(options["owner"]))
        except RolloutsMissing as missing:
            raise CommandError(str(missing)) from missing
        self.stdout.write(str(study.pk))


def _owner(name: str | None) -> Account:
    people = Account.objects.filter(is_active=True, role__in=[Account.Role.RESEARCHER, Account.Role.ADMIN])
    named = people.filter(username=name) if name else people.order_by("-role", "pk")
    owner = named.first()
    if owner is None:
        raise CommandError(f"There is no active researcher {name or ''}".rstrip() + ". Make one on the people page.")
    return owner
