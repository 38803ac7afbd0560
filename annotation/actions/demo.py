"""The studies that `demo` loads once: one half done, with scripted answers, and the rebuilt one.

Nothing here writes a label past the rules: the script does what a page would do, in the same order, for one person after
another. Only the moment of the first look is set back, so that the scripted times are not all zero.
"""

from datetime import timedelta
from random import Random
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from annotation.actions import labelling
from annotation.actions.people import invite, take_seat
from annotation.actions.rebuilt import rebuild_table8
from annotation.actions.seats import void
from annotation.actions.starting import start
from annotation.actions.studies import create_study
from annotation.core.margins import Margins
from annotation.core.shipped import shipped
from annotation.core.study_design import StudyDesign
from annotation.models import Assignment, BlindLabel, Review, Seat, Study
from benchmark.core.seeds import seeded
from benchmark.models import Account, ImportBatch

FILES = ("published_cases.jsonl", "hand_written.jsonl")
ORIGIN = (
    "The labels of this study were scripted for the demo, not given by people: answers, times and the comment are made "
    "up around the automatic labels by a seed. Its figures show what such a page looks like and say nothing else."
)
SEED = 20260829
DIFFERENT = 0.1
COMMENT = "I read the reference evidence once more and would still answer as I did."
VOID_REASON = "Scripted for the demo: shows how a label is made void and its place is dealt to somebody else."


class Done(NamedTuple):
    """How far a seat is: labels, reviews of what is open to review, and whether the next item is drafted."""

    labels: int
    reviews: int
    drafts: bool = False


DONE = {
    1: Done(20, 17),
    2: Done(12, 4),
    3: Done(11, 2, drafts=True),
    4: Done(9, 1, drafts=True),
    5: Done(6, 0),
    6: Done(4, 0, drafts=True),
}


@transaction.atomic
def load() -> dict[str, str]:
    """Make the studies that are missing, all or nothing; the second time does nothing. No accounts, so no passwords."""
    owner = Account.objects.filter(username="researcher", role=Account.Role.RESEARCHER).first()
    if owner:
        _half_done(owner)
        rebuild_table8(owner=owner)
    return {}


def _half_done(owner: Account) -> None:
    if Study.objects.filter(origin=ORIGIN).exists():
        return
    study = create_study(
        design=_design(), owner=owner, guidelines=shipped("guidelines"), consent=shipped("consent"), origin=ORIGIN
    )
    _seat_people(study, owner)
    start(study=study, who=owner)
    for seat in study.seats.all():
        _label(seat, DONE[seat.number])
        _review(seat, DONE[seat.number].reviews)
    _comment(study)
    label = BlindLabel.objects.filter(assignment__seat__study=study, assignment__seat__number=3).first()
    if label:
        void(label=label, who=owner, reason=VOID_REASON)


def _design() -> StudyDesign:
    imports = ImportBatch.objects.filter(file_name__in=FILES, status=ImportBatch.Status.DONE)
    return StudyDesign(
        name="Demo study, half done",
        imports=tuple(imports.order_by("pk").values_list("pk", flat=True)),
        judge="rule/1",
        margins=Margins(condition={"correct": 9, "explicit": 11, "implicit": 20}),
        annotators=6,
        labels_per_item=3,
        seed=SEED,
    )


def _seat_people(study: Study, owner: Account) -> None:
    people = {f"annotator{number}": number for number in range(1, study.seats_planned + 1)}
    accounts = Account.objects.in_bulk(people, field_name="username")
    for made in invite(study=study, seats=people.values(), who=owner):
        account = accounts.get(f"annotator{made.invitation.seat.number}")
        if account:
            take_seat(secret=made.secret, account=account)


def _label(seat: Seat, done: Done) -> None:
    """Agree to the study, lock the first labels in the seat's own order, and leave the next one as a draft."""
    labelling.agree_to_study(seat=seat, text=seat.study.consenttext_versions.get())
    places = seat.assignments.select_related("item__rollout").order_by("order")
    for place in places[: done.labels]:
        rng = seeded(SEED, "demo", seat.number, place.order)
        seconds = rng.uniform(40, 220)
        looked = timezone.now() - timedelta(seconds=seconds * rng.uniform(1.05, 1.6))
        Assignment.objects.filter(pk=place.pk).update(first_shown=looked)
        result, noticed = _answers(place, rng)
        labelling.submit_blind(
            assignment=place, result=result, noticed=noticed, evidence=_evidence(place, noticed), seconds=seconds
        )
    if done.drafts:
        place = places[done.labels]
        labelling.mark_shown(assignment=place)
        labelling.save_draft(assignment=place, result=place.item.auto_result, noticed=None, evidence={}, version=0)


def _answers(place: Assignment, rng: Random) -> tuple[bool, bool]:
    """Near the automatic labels: people differ from them together on some items, and from each other now and then."""
    together = seeded(SEED, "demo", "item", place.item.rollout.record_id)
    result, noticed = bool(place.item.auto_result), bool(place.item.auto_noticed)
    for drawn in (together, rng):
        result ^= drawn.random() < DIFFERENT
        noticed ^= drawn.random() < DIFFERENT
    return result, noticed


def _evidence(place: Assignment, noticed: bool) -> dict[str, list[str]]:
    steps = place.item.rollout.step_count
    found = {"result": [f"R{steps}"]} if steps else {}
    return found | ({"noticed": place.item.noticed_evidence[:1]} if noticed and place.item.noticed_evidence else {})


def _review(seat: Seat, count: int) -> None:
    places = Assignment.objects.to_review().filter(seat=seat).order_by("order").select_related("item", "blind_label")
    for place in list(places[:count]):
        labelling.open_review(assignment=place)
        rng = seeded(SEED, "demo", "review", seat.number, place.order)
        answers = {
            "result": _opinion(place.blind_label.result == place.item.auto_result, rng),
            "noticed": _opinion(place.blind_label.noticed == place.item.auto_noticed, rng),
        }
        labelling.submit_review(assignment=place, **answers, comment="", version=0)


def _opinion(same: bool, rng: Random) -> str:
    if same:
        return Review.Answer.AGREE.value
    return rng.choice([Review.Answer.DISAGREE, Review.Answer.DISAGREE, Review.Answer.AGREE, Review.Answer.UNSURE]).value


def _comment(study: Study) -> None:
    reviews = Review.objects.filter(assignment__seat__study=study).select_related("assignment").order_by("pk")
    differing = reviews.filter(result=Review.Answer.DISAGREE).first() or reviews.first()
    if differing:
        labelling.submit_review(
            assignment=differing.assignment,
            result=differing.result,
            noticed=differing.noticed,
            comment=COMMENT,
            version=differing.version,
        )
