"""Steps that need the deployment's database: `python -m tests.bench.stage STEP JSON`, answering in JSON.

Labels that only have to be there are written as rows at once; whatever is measured goes through pages and commands.
"""

import json
import sys
from random import Random
from typing import Any

import django


def people(*, researchers: int, annotators: int) -> dict[str, list[str]]:
    """Fresh accounts, signed in: session keys by role."""
    from django.conf import settings
    from django.test import Client

    from benchmark.models import Account

    found: dict[str, list[str]] = {}
    for role, count in (("researcher", researchers), ("annotator", annotators)):
        for _ in range(count):
            name = f"{role}-{Account.objects.count() + 1}"
            client = Client()
            client.force_login(
                Account.objects.create_user(name, "long enough to pass", role=role),
                backend="annotation.backends.EffectiveRoleBackend",
            )
            found.setdefault(role, []).append(client.cookies[settings.SESSION_COOKIE_NAME].value)
    return found


def study(*, name: str, rollouts: int, seats: int, labels_per_item: int, review: str, newest_import: bool) -> int:
    """A running study over that many rollouts; its seats are held by the newest annotators, who have agreed to it."""
    from annotation.actions.labelling import agree_to_study
    from annotation.actions.people import invite, take_seat
    from annotation.actions.starting import start
    from annotation.actions.studies import create_study
    from annotation.core.shipped import shipped
    from annotation.core.strata import NONE, Stratum
    from annotation.core.study_design import StudyDesign
    from benchmark.models import Account, ImportBatch

    owner = Account.objects.filter(role="researcher").latest("pk")
    batches = ImportBatch.objects.order_by("-read")
    batch = batches.latest("pk") if newest_import else batches[0]
    design = StudyDesign(
        name=name,
        imports=(batch.pk,),
        judge="tau-bench/reward",
        cells={Stratum(NONE, NONE): rollouts},
        annotators=seats,
        labels_per_item=labels_per_item,
        review=review,
    )
    made = create_study(design=design, owner=owner, guidelines=shipped("guidelines"), consent=shipped("consent"))
    newest = list(Account.objects.filter(role="annotator").order_by("-pk")[:seats])
    for invited, account in zip(
        invite(study=made, seats=range(1, seats + 1), who=owner), reversed(newest), strict=True
    ):
        seat = take_seat(secret=invited.secret, account=account)
        agree_to_study(seat=seat, text=made.consenttext_versions.get())
    start(study=made, who=owner)
    return made.pk


def label_all(*, study: int) -> int:
    """A label and a review for every place, near the automatic labels; how many."""
    from django.utils import timezone

    from annotation.models import Assignment, BlindLabel, Review

    chance, now = Random(study), timezone.now()
    places = list(Assignment.objects.filter(item__study=study).select_related("item").order_by("pk"))
    BlindLabel.objects.bulk_create(
        BlindLabel(
            assignment=place,
            result=place.item.auto_result ^ (chance.random() < 0.1),
            noticed=place.item.auto_noticed ^ (chance.random() < 0.1),
            evidence={"result": ["R3"]},
            first_shown=now,
            active_seconds=60 * chance.random(),
        )
        for place in places
    )
    Assignment.objects.filter(item__study=study).update(first_shown=now, review_opened_at=now)
    Review.objects.bulk_create(
        Review(assignment=place, version=1, result=chance.choice(["agree", "disagree"]), noticed="agree")
        for place in places
    )
    return len(places)


STEPS = {"people": people, "study": study, "label_all": label_all}


def main() -> None:
    """Run one step."""
    django.setup()
    step, said = sys.argv[1:]
    answer: Any = STEPS[step](**json.loads(said))
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
