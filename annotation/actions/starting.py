"""The start of a study: sample, freeze the automatic labels, deal the plan to the seats. All or nothing."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Subquery
from django.utils import timezone

from annotation.actions.seats import locked, make_seats, note
from annotation.core.assignment import DealRefused, Plan, deal, shuffled_apart
from annotation.core.balance import balance
from annotation.core.frozen import noticed_rationale, noticed_steps, steps_named_in
from annotation.core.redeal import Place, redeal
from annotation.core.sampling import Candidate, sample
from annotation.core.strata import SampleRefused
from annotation.core.study_design import StudyDesign
from annotation.core.study_file import design_of
from annotation.models import Assignment, Item, Study
from annotation.models.eligible import candidates, successful_judgments
from annotation.models.seat import seat_name
from annotation.models.standing import barred
from benchmark.core import text
from benchmark.core.seeds import seeded
from benchmark.core.taxonomy import ResultLabel
from benchmark.models import Account, Judgment, Rollout

CHUNK = 500


class StartRefused(Exception):
    """The study cannot start; `problems` holds a sentence for each thing to mend."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(" ".join(self.problems))


@transaction.atomic
def start(*, study: Study, who: Account) -> None:
    """Freeze the labels of the sampled rollouts as items and deal them. Raises StartRefused; then nothing has changed."""
    study = locked(study)
    if study.status != Study.Status.DRAFT:
        raise StartRefused([f"This study is {study.status}; it was started before."])
    design = design_of(study.design)
    if problems := _missing_texts(study):
        raise StartRefused(problems)
    try:
        drawn = sample(candidates(design, study.noticed_rule), design.wanted, design.seed)
        plan = deal(drawn, design.annotators, design.labels_per_item, design.seed)
    except SampleRefused as refused:
        raise StartRefused(refused.problems) from refused
    except DealRefused as refused:
        raise StartRefused([str(refused)]) from refused
    make_seats(study, design.annotators)
    plan = _without_seen(study, drawn, plan)
    items = _freeze(study, design, drawn)
    _assign(study, plan, items)
    study.status, study.started_at = Study.Status.RUNNING, timezone.now()
    study.save(update_fields=["status", "started_at"])
    counted = balance(drawn, plan.assignments, plan.order)
    note(study, "started", who, items=len(drawn), balance=list(counted.in_words()), seed=design.seed)


def _missing_texts(study: Study) -> list[str]:
    missing = []
    if not study.guidelines_versions.exists():
        missing.append("Write the guidelines first; annotators see them beside the form.")
    if not study.consenttext_versions.exists():
        missing.append("Write the consent text first; annotators agree to it at their first visit.")
    return missing


def _without_seen(study: Study, drawn: tuple[Candidate, ...], plan: Plan) -> Plan:
    """Move what a seat's account may not label, having seen its unit's automatic labels in another study."""
    seen = barred(dict(study.seats.values_list("number", "account")))
    groups = {item.id: item.group for item in drawn}
    places = [
        Place(item, seat, groups[item])
        for item, seats in plan.assignments.items()
        for seat in seats
        if (seat, groups[item]) in seen
    ]
    if not places:
        return plan
    taken = {(place.item, place.seat) for place in places}
    loads = {seat: sum((item, seat) not in taken for item in items) for seat, items in plan.order.items()}
    dealt = redeal(places, plan.assignments, loads, seen, study.seed)
    if dealt.open:
        seats = sorted({seat_name(place.seat) for place in dealt.open})
        raise StartRefused(
            [
                f"{len(dealt.open)} places cannot be dealt: {', '.join(seats)} have seen the automatic labels of these "
                "rollouts' units in another study, and nobody else is free for them. Take other people or other rollouts."
            ]
        )
    assignments = {item: set(seats) for item, seats in plan.assignments.items()}
    for move in dealt.moves:
        assignments[move.place.item] ^= {move.place.seat, move.seat}
    return _replanned(study, drawn, {item: tuple(sorted(seats)) for item, seats in assignments.items()}, plan)


def _replanned(study: Study, drawn: tuple[Candidate, ...], assignments: dict[str, tuple[int, ...]], plan: Plan) -> Plan:
    own: dict[int, list[Candidate]] = {seat: [] for seat in plan.order}
    for item in drawn:
        for seat in assignments[item.id]:
            own[seat].append(item)
    return Plan(
        assignments, {seat: shuffled_apart(held, seeded(study.seed, "order", seat)) for seat, held in own.items()}
    )


def _freeze(study: Study, design: StudyDesign, drawn: tuple[Candidate, ...]) -> dict[str, Item]:
    """Copy the labels into items, stored in shuffled order under random names, so that neither carries a stratum."""
    shuffled = seeded(study.seed, "storage").sample(drawn, len(drawn))
    items: dict[str, Item] = {}
    for start_at in range(0, len(shuffled), CHUNK):
        chunk = shuffled[start_at : start_at + CHUNK]
        rollouts = _labelled_rollouts(design, [int(candidate.id) for candidate in chunk])
        rows = [_item(study, candidate, *rollouts[int(candidate.id)]) for candidate in chunk]
        Item.objects.bulk_create(rows)
        items |= {candidate.id: row for candidate, row in zip(chunk, rows, strict=True)}
    return items


def _labelled_rollouts(design: StudyDesign, numbers: list[int]) -> dict[int, tuple[Rollout, Judgment | None]]:
    rollouts = Rollout.objects.filter(pk__in=numbers).only(
        "noticed", "noticed_rule", "labels", "prefix_count", "step_count"
    )
    judged = rollouts.annotate(judgment=Subquery(successful_judgments(design.judge).values("pk")[:1]))
    found = {rollout.pk: (rollout, rollout.judgment) for rollout in judged}
    judgments = Judgment.objects.defer("raw_reply").in_bulk([pk for _, pk in found.values() if pk])
    return {number: (rollout, judgments.get(pk)) for number, (rollout, pk) in found.items()}


def _item(study: Study, candidate: Candidate, rollout: Rollout, judgment: Judgment | None) -> Item:
    labels = text.parse(rollout.labels)
    item = Item(
        study=study,
        rollout=rollout,
        matched_group=candidate.group,
        model=candidate.stratum.model,
        condition=candidate.stratum.condition,
        automatic=text.write(labels | {"noticed_rule": rollout.noticed_rule, "results": _results(judgment)}),
    )
    if study.asks_result and judgment:
        item.auto_result = judgment.label == ResultLabel.SOLVED.value
        item.result_rationale = judgment.rationale
        item.result_evidence = steps_named_in(judgment.rationale, rollout.prefix_count, rollout.step_count)
    if study.asks_noticed:
        item.auto_noticed = rollout.noticed
        item.noticed_rationale = noticed_rationale(labels)
        item.noticed_evidence = noticed_steps(labels)
    return item


def _results(judgment: Judgment | None) -> list[dict[str, Any]]:
    if judgment is None:
        return []
    return [{"judge": judgment.judge, "label": judgment.label, "rationale": judgment.rationale}]


def _assign(study: Study, plan: Plan, items: dict[str, Item]) -> None:
    seats = {seat.number: seat for seat in study.seats.all()}
    rows = [
        Assignment(item=items[item], seat=seats[number], order=order)
        for number, held in plan.order.items()
        for order, item in enumerate(held)
    ]
    Assignment.objects.bulk_create(seeded(study.seed, "places").sample(rows, len(rows)))
