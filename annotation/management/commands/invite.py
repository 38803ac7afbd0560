"""`invite STUDY`: invitation links, shown this once."""

import csv
import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from annotation.actions.people import invite
from annotation.management.named import find_researcher, find_study


class Command(BaseCommand):
    """A line for each seat, as CSV or JSON; a new link ends the one before it."""

    help = "Make invitation links to the free seats of a study."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which seats, and the address people reach this deployment under."""
        parser.add_argument("study", metavar="STUDY", help="number or name")
        parser.add_argument("--seat", action="append", default=[], help="only this seat, such as A3; may be repeated")
        parser.add_argument("--base-url", default="http://127.0.0.1:8000", help="such as https://rite.example.org")
        parser.add_argument("--who", default="", help="login name of whom it is noted for; the study's owner otherwise")
        parser.add_argument("--json", action="store_true", help="one JSON document on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the links and print them."""
        study = find_study(options["study"])
        who = find_researcher(options["who"]) if options["who"] else study.owner
        wanted = {name.upper() for name in options["seat"]}
        numbers = [seat.number for seat in study.seats.all() if not wanted or seat.name in wanted]
        made = invite(study=study, seats=numbers, who=who)
        if not made:
            raise CommandError("None of these seats is free.")
        base = options["base_url"].rstrip("/")
        links = {each.invitation.seat.name: base + reverse("annotation:invite", args=[each.secret]) for each in made}
        if options["json"]:
            said = {"study": study.pk, "links": [{"seat": seat, "link": link} for seat, link in links.items()]}
            self.stdout.write(json.dumps(said, ensure_ascii=False, indent=2))
            return
        writer = csv.writer(self.stdout, lineterminator="\n")
        writer.writerow(["seat", "link"])
        writer.writerows(links.items())
