"""Rollouts, their steps and judgments, to read."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.request import Request

from benchmark.api.endpoint import Endpoint
from benchmark.api.filters import PageForm
from benchmark.api.paging import StepKeyset
from benchmark.api.serializers import (
    JudgmentSerializer,
    RolloutDetailSerializer,
    RolloutSerializer,
    StepSerializer,
)
from benchmark.api.source_text import ANSWERS, RANGE, answer_source
from benchmark.forms.rollouts import RolloutFilter
from benchmark.models import Judgment, Rollout, Step
from benchmark.permissions import Right
from benchmark.report.rollouts import narrowed, newest_results


class WithResults(Endpoint):
    """Rollouts beside the label of each judge that stands."""

    right = Right.READ
    rows: Sequence[Rollout] = ()

    def get_serializer_context(self) -> dict[str, Any]:
        """The labels of all rows, by one query."""
        return {**super().get_serializer_context(), "results": newest_results(self.rows)}  # type: ignore[misc]


class RolloutList(WithResults, generics.ListAPIView):
    """Rollouts, newest first, narrowed down as on their page."""

    serializer_class = RolloutSerializer
    filter_backends = [PageForm]
    filter_form = RolloutFilter
    queryset = Rollout.objects.all()

    def narrow(self, said: Mapping[str, Any]) -> QuerySet[Rollout]:
        """The page's own narrowing, its rows without long texts."""
        return narrowed(said).select_related("model", "unit").without_bodies().defer("unit__record")

    def paginate_queryset(self, queryset: Any) -> Any:
        """One page of rows."""
        self.rows = super().paginate_queryset(queryset) or []
        return self.rows


class RolloutDetail(WithResults, generics.RetrieveAPIView):
    """One rollout: task, answer, labels."""

    serializer_class = RolloutDetailSerializer
    queryset = Rollout.objects.arrived().select_related("model", "unit").defer("unit__record", "reading")

    def get_object(self) -> Rollout:
        """The rollout of the address; 404 where there is none."""
        self.rows = [super().get_object()]
        return self.rows[0]


class OfRollout(Endpoint):
    """An address below a rollout."""

    right = Right.READ

    @cached_property
    def rollout(self) -> Rollout:
        """The rollout of the address; Http404 where there is none."""
        return get_object_or_404(Rollout.objects.arrived().only("prefix_count"), pk=self.kwargs["pk"])


class StepList(OfRollout, generics.ListAPIView):
    """The steps of a rollout in order, long observations left where they are."""

    serializer_class = StepSerializer
    pagination_class = StepKeyset
    queryset = Step.objects.without_bodies().annotate(observed=Q(observation__isnull=False))

    def get_queryset(self) -> QuerySet[Step]:
        """Those of the rollout in the address."""
        return super().get_queryset().filter(rollout=self.rollout)

    def get_serializer_context(self) -> dict[str, Any]:
        """The rollout, by which steps are numbered."""
        context = dict(super().get_serializer_context())
        return context if getattr(self, "swagger_fake_view", False) else {**context, "rollout": self.rollout}


class JudgmentList(OfRollout, generics.ListAPIView):
    """What judges said of a rollout's final answer, newest first."""

    serializer_class = JudgmentSerializer
    queryset = Judgment.objects.all()

    def get_queryset(self) -> QuerySet[Judgment]:
        """Those of the rollout in the address."""
        return super().get_queryset().filter(rollout=self.rollout)


class Observation(OfRollout):
    """What one call gave back, as the exact JSON text that was recorded; a text is a JSON string."""

    @extend_schema(parameters=[RANGE], responses=ANSWERS)
    def get(self, request: Request, pk: int, index: int) -> HttpResponseBase:
        """The whole observation or a range of its bytes."""
        steps = Step.objects.filter(rollout__in=Rollout.objects.arrived().filter(pk=pk), index=index)
        source = steps.values_list("observation", flat=True).first()
        if source is None:
            raise Http404
        return answer_source(request, source)
