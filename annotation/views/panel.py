"""What the panel beside a trajectory says: the questions while blind, both labels side by side in the review."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.core.questions import QUESTIONS, TITLES
from annotation.forms.labelling import DraftForm, ReviewForm
from annotation.models import Assignment, BlindLabel, Draft, Item, Review, Study

KEYS = {"result": ("1", "2"), "noticed": ("3", "4")}
REVIEW_KEYS = {"result": ("1", "2", "3"), "noticed": ("4", "5", "6")}
WORDS = {True: "yes", False: "no", None: ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question of the blind form; `answer` is yes, no or empty."""

    name: str
    answer: str = ""
    evidence: str = ""
    error: str = ""

    @property
    def title(self) -> str:
        """Its short name."""
        return TITLES[self.name]

    @property
    def words(self) -> str:
        """The question itself."""
        return QUESTIONS[self.name]

    @property
    def keys(self) -> tuple[str, str]:
        """The keys that answer yes and no."""
        return KEYS[self.name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revealed:
    """One label in the review: the person's own, the automatic one with its reasons, and what they say to it."""

    name: str
    own: str
    own_evidence: Sequence[str]
    automatic: str
    rationale: str
    evidence: Sequence[str]
    response: str = ""
    error: str = ""

    @property
    def title(self) -> str:
        """Its short name."""
        return TITLES[self.name]

    @property
    def words(self) -> str:
        """The question itself."""
        return QUESTIONS[self.name]

    @property
    def choices(self) -> list[tuple[str, str]]:
        """Agree, disagree, unsure, each with its key."""
        return list(zip(Review.Answer.values, REVIEW_KEYS[self.name], strict=True))


def asked_of_answers(study: Study, answers: BlindLabel | Draft | None) -> list[Asked]:
    """The questions with the answers of a label or a draft; empty where there is none."""
    if answers is None:
        return [Asked(name=name) for name in study.questions]
    return [
        Asked(name=name, answer=WORDS[getattr(answers, name)], evidence=", ".join(answers.evidence.get(name, [])))
        for name in study.questions
    ]


def asked_of_form(form: DraftForm) -> list[Asked]:
    """The questions as they were typed, right or wrong, each with its error."""
    return [
        Asked(
            name=name,
            answer=form.data.get(name, ""),
            evidence=form.data.get(f"{name}_evidence", ""),
            error=form.error_of(name),
        )
        for name in form.questions
    ]


def revealed(place: Assignment, said: Mapping[str, str], form: ReviewForm | None = None) -> list[Revealed]:
    """Own and automatic labels of a place whose review is open; `said` holds the responses so far by question."""
    frozen = Item.objects.only(
        *("auto_result", "result_rationale", "result_evidence"),
        *("auto_noticed", "noticed_rationale", "noticed_evidence"),
    ).get(pk=place.item_id)
    own = place.blind_label
    return [
        Revealed(
            name=name,
            own=WORDS[getattr(own, name)],
            own_evidence=own.evidence.get(name, []),
            automatic=WORDS[getattr(frozen, f"auto_{name}")],
            rationale=getattr(frozen, f"{name}_rationale"),
            evidence=getattr(frozen, f"{name}_evidence"),
            response=said.get(name, ""),
            error=form.error_of(name) if form else "",
        )
        for name in place.item.study.questions
    ]


def responses_of(review: Review | None) -> dict[str, str]:
    """What a review says, by question, its comment and version beside it; empty and version 0 where there is none."""
    if review is None:
        return {"result": "", "noticed": "", "comment": "", "version": "0"}
    comment = review.comment.text if hasattr(review, "comment") else ""
    return {"result": review.result, "noticed": review.noticed, "comment": comment, "version": str(review.version)}
