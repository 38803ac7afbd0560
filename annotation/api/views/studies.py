"""Studies to read: how far they are, their agreement, their labels."""

from collections.abc import Callable, Iterator

from django.db.models import QuerySet
from django.http import Http404, HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics
from rest_framework.request import Request

from annotation.api.serializers import StudyDetailSerializer, StudySerializer
from annotation.models import Study
from annotation.report import progress, study_export
from annotation.report.agreement import study_agreement
from annotation.views.access import found_study
from benchmark.api.endpoint import Endpoint
from benchmark.api.filters import StrictFilters
from benchmark.api.json_text import Csv, JsonLines
from benchmark.core.comparing.agreement_export import as_json
from benchmark.permissions import Right

EXPORTS: dict[str, Callable[[Study], Iterator[str]]] = {
    JsonLines.media_type: study_export.lines,
    Csv.media_type: study_export.csv_lines,
}


class StudyList(Endpoint, generics.ListAPIView):
    """Studies, newest first."""

    right = Right.RESEARCH
    serializer_class = StudySerializer
    filter_backends = [StrictFilters]
    filterset_fields = ["status", "archived"]
    queryset = Study.objects.select_related("owner").with_counts()


class StudyDetail(Endpoint, generics.RetrieveAPIView):
    """One study with its design and what each seat has done."""

    right = Right.RESEARCH
    serializer_class = StudyDetailSerializer

    def get_queryset(self) -> QuerySet[Study]:
        """Studies with their counts."""
        return Study.objects.select_related("owner").with_counts()

    def get_object(self) -> Study:
        """The study, its seats beside it; 404 where there is none."""
        study: Study = super().get_object()
        study.seats_done = list(progress.seats(study))  # type: ignore[attr-defined]
        return study


class Agreement(Endpoint):
    """How far labels agree."""

    right = Right.RESEARCH

    @extend_schema(responses={200: OpenApiResponse(OpenApiTypes.OBJECT, description="The report of the study's page.")})
    def get(self, request: Request, pk: int) -> HttpResponse:
        """Every figure with its interval, the same digits as the study's agreement page and its JSON file."""
        study = found_study(pk)
        if study.status == Study.Status.DRAFT:
            raise Http404
        return HttpResponse(as_json(*study_agreement(study)), content_type="application/json")


class Labels(Endpoint):
    """The labels of a study."""

    right = Right.RESEARCH
    renderer_classes = [JsonLines, Csv]

    @extend_schema(
        responses={
            (200, JsonLines.media_type): OpenApiResponse(
                OpenApiTypes.STR,
                description="`rite.labels/1`, a line a record; as CSV what `agreement FILE.csv` reads.",
            ),
            (200, Csv.media_type): OpenApiResponse(OpenApiTypes.STR, description="What `agreement FILE.csv` reads."),
        }
    )
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """All labels and reviews, written while they are sent. `Accept: text/csv` asks for the table."""
        study = found_study(pk)
        media_type = request.accepted_renderer.media_type
        return StreamingHttpResponse(EXPORTS[media_type](study), content_type=f"{media_type}; charset=utf-8")
