"""`study {list,start,pause,…} STUDY`: a study's life from the shell."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.actions import seats, studies
from annotation.actions.seats import Dealt, SeatRefused
from annotation.actions.starting import StartRefused, start
from annotation.actions.studies import StudyRefused
from annotation.management.named import find_researcher, find_study
from annotation.models import Assignment, Study
from annotation.report.progress import totals
from benchmark.models import Account

LIFE: dict[str, Callable[..., None]] = {
    "pause": studies.pause,
    "resume": studies.resume,
    "close": studies.close,
    "reopen": studies.reopen,
}
SHELF: dict[str, Callable[..., None]] = {"archive": studies.archive, "unarchive": studies.unarchive}
PLACES = ("void", "reassign")


class Command(BaseCommand):
    """What is refused is refused in words, with exit code 1."""

    help = "Start, pause, close or reopen a study; void a label, reassign a place, take a seat off."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One verb a call."""
        parser.add_argument("verb", choices=["list", "start", *LIFE, *SHELF, *PLACES, "leave", "deal"])
        parser.add_argument("study", nargs="?", default="", metavar="STUDY", help="number or name")
        parser.add_argument("--who", default="", help="login name of whom it is noted for; the study's owner otherwise")
        parser.add_argument("--reason", default="", help="why; void and reassign ask for it")
        parser.add_argument("--item", default="", help="an item's public id, for void and reassign")
        parser.add_argument("--seat", default="", help="a seat such as A3, for void, reassign and leave")
        parser.add_argument("--discard", action="store_true", help="with leave: make void what was submitted")
        parser.add_argument("--json", action="store_true", help="one JSON document on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says and tell where the study stands."""
        if options["verb"] == "list":
            self._list(as_json=options["json"])
            return
        study = find_study(options["study"])
        who = find_researcher(options["who"]) if options["who"] else study.owner
        try:
            dealt = _do(study, who, options)
        except StartRefused as refused:
            raise CommandError("\n".join(refused.problems)) from refused
        except (StudyRefused, SeatRefused) as refused:
            raise CommandError(str(refused)) from refused
        study.refresh_from_db()
        if options["json"]:
            said = {**_standing(study), **(dealt.as_details() if dealt else {})}
            self.stdout.write(json.dumps(said, ensure_ascii=False, indent=2))
        else:
            self.stdout.write(f"Study {study.pk} is {study.status}.{' ' + dealt.in_words() if dealt else ''}")

    def _list(self, *, as_json: bool) -> None:
        found = [_standing(study) for study in Study.objects.filter(archived=False)]
        if as_json:
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=2))
            return
        for one in found:
            labels = f"{one['done']} of {one['places']} labels"
            self.stdout.write(f"{one['study']:>5}  {one['status']:<8} {labels:<24} {one['name']}")


def _do(study: Study, who: Account, options: dict[str, Any]) -> Dealt | None:
    verb, reason = options["verb"], options["reason"]
    if verb == "start":
        start(study=study, who=who)
    elif verb in LIFE:
        LIFE[verb](study=study, who=who, reason=reason)
    elif verb in SHELF:
        SHELF[verb](study=study, who=who)
    elif verb == "deal":
        return seats.deal_open_places(study=study, who=who)
    elif verb == "leave":
        seat = study.seats.filter(number=_seat_number(options["seat"])).first()
        if seat is None:
            raise CommandError(f"There is no seat {options['seat']} in this study.")
        return seats.leave(seat=seat, who=who, reason=reason, discard=options["discard"])
    else:
        return _at_place(study, who, options)
    return None


def _at_place(study: Study, who: Account, options: dict[str, Any]) -> Dealt | None:
    if not options["reason"].strip():
        raise CommandError(f"Say why with --reason; {options['verb']} keeps it with the study.")
    places = Assignment.objects.held().filter(item__study=study).select_related("item__study", "seat", "blind_label")
    place = places.filter(item__public_id=options["item"], seat__number=_seat_number(options["seat"])).first()
    if place is None:
        raise CommandError("That seat does not hold that item. Give --item and --seat as the items page shows them.")
    if options["verb"] == "reassign":
        return seats.reassign(assignment=place, who=who, reason=options["reason"])
    if not hasattr(place, "blind_label"):
        raise CommandError("There is no label to make void; the place is still open.")
    return seats.void(label=place.blind_label, who=who, reason=options["reason"])


def _seat_number(name: str) -> int:
    number = name.upper().removeprefix("A")
    if not number.isdecimal():
        raise CommandError(f"Write a seat as A3, not {name or 'nothing'}.")
    return int(number)


def _standing(study: Study) -> dict[str, Any]:
    return {"study": study.pk, "name": study.name, "status": study.status, **totals(study)}
