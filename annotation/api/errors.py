"""The refusals that an annotator's page has too, each with its name."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from annotation.actions import labelling
from annotation.models import BlindLabel, Draft, Review, StudyClosed
from annotation.views.panel import responses_of
from benchmark.api.errors import Problem


class ConsentDue(Problem):
    """The newest consent text is not agreed to; `consent` is the page on which it is."""

    kind = "consent-due"
    title = "Read the study's text and agree to it first, in a browser."
    status_code = 403


class StudyStands(Problem):
    """The study is paused or closed; `detail` says which."""

    kind = "study-closed"
    title = "The study takes nothing now."


class LockedOtherwise(Problem):
    """Other answers are locked; `locked` holds them."""

    kind = "locked-otherwise"
    title = "This item is locked with other answers, and those stand."


class AlreadyLocked(Problem):
    """A draft came after the submit."""

    kind = "already-locked"
    title = "This item is locked. There is nothing left to draft."


class StaleDraft(Problem):
    """Another draft was saved since the version named; `draft` holds it."""

    kind = "stale-draft"
    title = "Another draft was saved meanwhile. Take its version and send yours again."


class ReviewNotOpen(Problem):
    """The review opens later."""

    kind = "review-not-open"
    title = "The review of this item opens later."


class ReviewChanged(Problem):
    """Another review was saved since the version named; `review` holds it."""

    kind = "review-changed"
    title = "Another review was saved meanwhile. Take its version and send yours again."


@contextmanager
def refused() -> Iterator[None]:
    """Turn what the actions of labelling refuse into problems."""
    try:
        yield
    except StudyClosed as closed:
        raise StudyStands(str(closed)) from closed
    except labelling.LockedOtherwise as conflict:
        raise LockedOtherwise(locked=answers_of(conflict.label)) from conflict
    except labelling.AlreadyLocked as locked:
        raise AlreadyLocked from locked
    except labelling.StaleDraft as stale:
        raise StaleDraft(draft=draft_of(stale.draft)) from stale
    except labelling.ReviewNotOpen as early:
        raise ReviewNotOpen from early
    except labelling.ReviewChanged as changed:
        raise ReviewChanged(review=review_of(changed.review)) from changed


def answers_of(said: BlindLabel | Draft) -> dict[str, Any]:
    """The answers of a label or a draft; None where there is none."""
    return {"result": said.result, "noticed": said.noticed, "evidence": said.evidence}


def draft_of(draft: Draft | None) -> dict[str, Any]:
    """A draft with its version; version 0 where there is none."""
    if draft is None:
        return {"version": 0, "result": None, "noticed": None, "evidence": {}}
    return {"version": draft.version, **answers_of(draft)}


def review_of(review: Review | None) -> dict[str, Any]:
    """A review with its version and comment; version 0 where there is none."""
    said = responses_of(review)
    return {**said, "version": int(said["version"])}
