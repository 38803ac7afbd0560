"""Whatever order people draft, submit, pause, close, void and review in: the first label stands and nothing accepted is lost."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from annotation.actions import labelling
from annotation.models import Assignment, BlindLabel, Draft, LabelVoid, Review, Study, StudyClosed

pytestmark = pytest.mark.django_db

ANSWERS = st.fixed_dictionaries({"result": st.booleans(), "noticed": st.booleans()})
RESPONSES = st.fixed_dictionaries(
    {"result": st.sampled_from(Review.Answer.values), "comment": st.sampled_from(["", "hm"])}
)
RUNNING, PAUSED, CLOSED = Study.Status.RUNNING, Study.Status.PAUSED, Study.Status.CLOSED


class Life(RuleBasedStateMachine):
    """One place beside a plain account of what must be true of it."""

    place: Assignment

    def __init__(self) -> None:
        super().__init__()
        self.rollback = transaction.atomic()
        self.rollback.__enter__()
        self.status = RUNNING
        self.draft: dict[str, bool] | None = None
        self.label: dict[str, bool] | None = None
        self.void = self.opened = False
        self.reviews: list[dict[str, str]] = []

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.rollback.__exit__(None, None, None)

    @rule(status=st.sampled_from([RUNNING, PAUSED, CLOSED]))
    def move_study(self, status: str) -> None:
        Study.objects.update(status=status)
        self.status = status

    @rule(answers=ANSWERS, fresh=st.booleans())
    def save_draft(self, answers: dict[str, bool], fresh: bool) -> None:
        standing = Draft.objects.filter(assignment=self.place).first()
        version = standing.version if standing and fresh else 0
        try:
            labelling.save_draft(assignment=self.place, **answers, evidence={}, version=version)
        except labelling.AlreadyLocked:
            assert self.label is not None
        except StudyClosed:
            assert self.label is None
            assert self.status == CLOSED
        except labelling.StaleDraft:
            assert self.draft not in (None, answers)
            assert not fresh
        else:
            assert self.label is None
            self.draft = answers

    @rule(answers=ANSWERS)
    def submit(self, answers: dict[str, bool]) -> None:
        try:
            labelling.submit_blind(assignment=self.place, **answers, evidence={})
        except labelling.LockedOtherwise:
            assert self.label not in (None, answers)
        except StudyClosed:
            assert self.label is None
            assert self.status != RUNNING
        else:
            assert self.label in (None, answers)
            self.label, self.draft = answers, None

    @rule()
    def set_aside(self) -> None:
        if self.label and not self.void:
            LabelVoid.objects.create(label=BlindLabel.objects.get(), reason="test", who=self.place.item.study.owner)
            self.void = True

    @rule()
    def open_review(self) -> None:
        self.place.refresh_from_db()
        may_open = self.label is not None and not self.void
        assert labelling.open_review(assignment=self.place) == may_open
        self.opened = self.opened or may_open

    @rule(said=RESPONSES, fresh=st.booleans())
    def review(self, said: dict[str, str], fresh: bool) -> None:
        version = len(self.reviews) if fresh else 0
        try:
            labelling.submit_review(assignment=self.place, **said, noticed="", version=version)
        except StudyClosed:
            assert self.status != RUNNING
        except labelling.ReviewNotOpen:
            assert not self.opened or self.void
        except labelling.ReviewChanged:
            assert not fresh
            assert self.reviews[-1] != said
        else:
            if not self.reviews or self.reviews[-1] != said:
                assert self.opened
                self.reviews.append(said)

    @invariant()
    def the_first_label_stands_and_the_draft_is_what_was_last_accepted(self) -> None:
        assert list(BlindLabel.objects.values("result", "noticed")) == ([self.label] if self.label else [])
        assert list(Draft.objects.values("result", "noticed")) == ([self.draft] if self.draft else [])

    @invariant()
    def every_review_that_was_accepted_is_still_there(self) -> None:
        rows = Review.objects.order_by("version").values_list("version", "result", "comment__text")
        assert list(rows) == [
            (version, said["result"], said["comment"] or None) for version, said in enumerate(self.reviews, start=1)
        ]


def test_no_order_of_events_loses_or_changes_what_was_accepted(make_study: Callable[..., Study]) -> None:
    place = Assignment.objects.filter(item__study=make_study(rollouts=1)).first()
    machine: Any = type("LifeOfOnePlace", (Life,), {"place": place})
    run_state_machine_as_test(machine, settings=settings(max_examples=40, stateful_step_count=25, deadline=None))
