"""An annotator's items: exactly what their pages show and take. Whatever is not theirs is not there."""

from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.actions import labelling
from annotation.api import serializers
from annotation.api.errors import (
    AlreadyLocked,
    ConsentDue,
    LockedOtherwise,
    ReviewChanged,
    ReviewNotOpen,
    StaleDraft,
    StudyStands,
    answers_of,
    draft_of,
    refused,
    review_of,
)
from annotation.core.questions import QUESTIONS
from annotation.forms.labelling import BlindForm, DraftForm, ReviewForm
from annotation.models import Assignment, Review
from annotation.report.blind import blind_case, blind_whole, step_numbers
from annotation.report.queue import finished_items, next_place, progress_of, queues_of
from annotation.views import panel
from annotation.views.places import find_place, is_locked, stage_of
from benchmark.api.endpoint import Endpoint
from benchmark.api.errors import refusals, require_valid
from benchmark.api.filters import refuse_unknown
from benchmark.api.idempotency import KeyReused, once
from benchmark.api.source_text import ANSWERS, RANGE, answer_source
from benchmark.permissions import Right

FINISHED_SHOWN = 50
ANSWER = {word: answer for answer, word in panel.WORDS.items()}
PLACES = {f"{name}_evidence": ["evidence", name] for name in QUESTIONS}
BEFORE = OpenApiParameter("before", str, description="As `older` says: the locked items before that one.")
PART = OpenApiParameter(
    "part",
    str,
    OpenApiParameter.PATH,
    description="`task`, `goal`, `inputs`, `answer`, `result`, `reference-1`, or of a step `observation-R4`, "
    "`arguments-P2`, `thought-R4`, `text-R1`.",
)


class Queue(Endpoint):
    """What the caller has to label."""

    right = Right.LABEL

    @extend_schema(parameters=[BEFORE], responses=serializers.QueueSerializer)
    def get(self, request: Request) -> Response:
        """Your studies, those you can go on with first, and what you have locked."""
        refuse_unknown(request, ["before"])
        finished = finished_items(self.account, FINISHED_SHOWN + 1, request.query_params.get("before", ""))
        queue = {
            "studies": queues_of(self.account),
            "finished": finished[:FINISHED_SHOWN],
            "older": finished[FINISHED_SHOWN - 1].public_id if len(finished) > FINISHED_SHOWN else None,
        }
        return Response(serializers.QueueSerializer(queue).data)


class AtPlace(Endpoint):
    """An address of one item in the caller's hands."""

    right = Right.LABEL

    @property
    def place(self) -> Assignment:
        """The caller's place. Raises Http404 for any other, ConsentDue before the study's text is agreed to."""
        place = find_place(self.account, self.kwargs["public_id"])
        if place.consent_due:  # type: ignore[attr-defined]
            page = reverse("annotation:consent", args=[place.public_id], request=self.request)
            raise ConsentDue(consent=page)
        return place

    def handle_exception(self, exc: Exception) -> Response:
        """A place taken from its seat between reading and writing is not there."""
        return super().handle_exception(Http404() if isinstance(exc, Assignment.DoesNotExist) else exc)


class Item(AtPlace):
    """One item."""

    @extend_schema(responses={200: serializers.ItemSerializer, **refusals(ConsentDue)})
    def get(self, request: Request, public_id: str) -> Response:
        """The trajectory and where you stand with it. The first time is noted as when you saw it."""
        place = self.place
        labelling.mark_shown(assignment=place)
        return Response(serializers.ItemSerializer(_item(place)).data)


class Draft(AtPlace):
    """The draft of one item."""

    @extend_schema(
        request=serializers.DraftBodySerializer,
        responses={
            200: serializers.DraftSerializer,
            **refusals(ConsentDue, StaleDraft, AlreadyLocked, StudyStands),
        },
    )
    def put(self, request: Request, public_id: str) -> Response:
        """Keep what is filled in so far. Nobody else sees it, and submitting removes it."""
        place = self.place
        form = _filled(DraftForm, serializers.DraftBodySerializer, request, place)
        require_valid(form, PLACES)
        labelling.record_time(assignment=place, seconds=form.cleaned_data["seconds"] or 0)
        with refused():
            draft = labelling.save_draft(assignment=place, **form.answers(), version=form.cleaned_data["version"] or 0)
        return Response(draft_of(draft))


class Blind(AtPlace):
    """The label of one item."""

    @extend_schema(
        request=serializers.SubmitSerializer,
        responses={
            200: serializers.LockedSerializer,
            **refusals(ConsentDue, LockedOtherwise, StudyStands, KeyReused),
        },
    )
    @once
    def post(self, request: Request, public_id: str) -> Response:
        """Lock your answers for good. The same again gets the same answer; others are refused, and the first stand."""
        place = self.place
        form = _filled(BlindForm, serializers.SubmitSerializer, request, place)
        if is_locked(place) and not form.is_valid():
            raise LockedOtherwise(locked=answers_of(place.blind_label))
        require_valid(form, PLACES)
        with refused():
            label = labelling.submit_blind(
                assignment=place, **form.answers(), seconds=form.cleaned_data["seconds"] or 0
            )
        return Response({"id": place.public_id, **answers_of(label)})


class ReviewOf(AtPlace):
    """The review of one item."""

    @extend_schema(
        request=serializers.ReviewBodySerializer,
        responses={
            200: serializers.ReviewSerializer,
            **refusals(ConsentDue, ReviewNotOpen, ReviewChanged, StudyStands, KeyReused),
        },
    )
    @once
    def post(self, request: Request, public_id: str) -> Response:
        """Say to each automatic label whether you agree. You may change it, as a new version, until the study closes."""
        place = self.place
        if not is_locked(place) or not labelling.open_review(assignment=place):
            raise ReviewNotOpen
        body = serializers.ReviewBodySerializer(data=request.data)
        body.is_valid(raise_exception=True)
        _require_asked(place, body.validated_data)
        form = ReviewForm(body.validated_data, study=place.item.study)
        require_valid(form)
        with refused():
            review = labelling.submit_review(assignment=place, **form.answers())
        return Response(review_of(review))


class Text(AtPlace):
    """One long text of an item."""

    @extend_schema(parameters=[PART, RANGE], responses={**ANSWERS, **refusals(ConsentDue)})
    def get(self, request: Request, public_id: str, part: str) -> HttpResponseBase:
        """The whole of a text of which the item shows the beginning, as JSON text, or a range of its bytes."""
        source = blind_whole(self.place.item.rollout, part)
        if source is None:
            raise Http404
        return answer_source(request, source)


def _item(place: Assignment) -> dict[str, Any]:
    stage, study = stage_of(place), place.item.study
    shown = {
        "id": place.public_id,
        "study": study.name,
        "stage": stage,
        "refusal": study.refusal,
        "questions": {name: QUESTIONS[name] for name in study.questions},
        "progress": progress_of(place),
        "next": next_place(place),
        "case": blind_case(place.item.rollout),
    }
    if stage == "blind":
        return shown | {"draft": draft_of(getattr(place, "draft", None))}
    shown["locked"] = answers_of(place.blind_label)
    return shown | _revealed(place) if stage == "review" else shown


def _revealed(place: Assignment) -> dict[str, Any]:
    """What the open review of a place adds."""
    automatic = {
        one.name: {"label": ANSWER[one.automatic], "rationale": one.rationale, "evidence": one.evidence}
        for one in panel.revealed(place, {})
    }
    last = Review.objects.filter(assignment=place).select_related("comment").last()
    return {"automatic": automatic, "review": review_of(last)}


def _filled(
    form: type[DraftForm], body: type[serializers.AnswersSerializer], request: Request, place: Assignment
) -> DraftForm:
    """The page's form, filled with a body that has the right shape. Raises ValidationError where it has not."""
    said = body(data=request.data)
    said.is_valid(raise_exception=True)
    _require_asked(place, said.validated_data)
    data = serializers.form_data(said.validated_data)
    return form(data, study=place.item.study, numbers=step_numbers(place.item.rollout))


def _require_asked(place: Assignment, said: dict[str, Any]) -> None:
    """Raise ValidationError where a question is answered that the study does not ask."""
    unasked = [name for name in QUESTIONS if said.get(name) is not None and name not in place.item.study.questions]
    if unasked:
        raise ValidationError(dict.fromkeys(unasked, "This study does not ask this."))
