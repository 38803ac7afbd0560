"""Bringing files: upload, look at the scan, go ahead or cancel. The same forms and actions as the import pages."""

from django.shortcuts import get_object_or_404
from django.utils.datastructures import MultiValueDict
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from benchmark.actions import imports as actions
from benchmark.api.endpoint import Endpoint
from benchmark.api.errors import Problem, refusals, require_valid
from benchmark.api.filters import StrictFilters
from benchmark.api.idempotency import KeyReused, once
from benchmark.api.serializers import (
    GoAheadSerializer,
    ImportDetailSerializer,
    ImportSerializer,
    UploadSerializer,
)
from benchmark.forms.imports import GoAheadForm, UploadForm
from benchmark.models import ImportBatch
from benchmark.permissions import Right


class NotNow(Problem):
    """The import is in no state for this; `detail` says which it is in."""

    kind = "not-now"
    title = "The import is in no state for this."


class ImportList(Endpoint, generics.ListAPIView):
    """Files that were brought, newest first."""

    right = Right.RESEARCH
    serializer_class = ImportSerializer
    parser_classes = [MultiPartParser]
    filter_backends = [StrictFilters]
    filterset_fields = ["status", "format"]
    queryset = ImportBatch.objects.select_related("who").defer("report")

    @extend_schema(
        request={"multipart/form-data": UploadSerializer},
        responses={201: ImportDetailSerializer, **refusals(KeyReused)},
    )
    @once
    def post(self, request: Request) -> Response:
        """Bring one file. It is scanned, and nothing is saved of it before you go ahead; unknown files are refused."""
        files = request.FILES.getlist("file")
        form = UploadForm({}, MultiValueDict({"uploads": files}))
        require_valid(form, {"uploads": ["file"]})
        if len(files) > 1:
            raise ValidationError({"file": "Bring one file a request."})
        batch = actions.receive(upload=form.cleaned_data["uploads"][0], who=self.account)
        headers = {"Location": reverse("benchmark-api:import", args=[batch.pk], request=request)}
        return Response(ImportDetailSerializer(batch).data, status=201, headers=headers)


class ImportDetail(Endpoint, generics.RetrieveAPIView):
    """One file with the report of what was read, known already and skipped."""

    right = Right.RESEARCH
    serializer_class = ImportDetailSerializer
    queryset = ImportBatch.objects.select_related("who")


class GoAhead(Endpoint):
    """The start of an import."""

    right = Right.RESEARCH

    @extend_schema(request=GoAheadSerializer, responses={202: ImportDetailSerializer, **refusals(NotNow, KeyReused)})
    @once
    def post(self, request: Request, pk: int) -> Response:
        """Import a scanned file: say where it comes from. A worker does it; look at the import to see how far it is."""
        batch = get_object_or_404(ImportBatch.objects.select_related("who"), pk=pk)
        said = GoAheadSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        form = GoAheadForm(said.validated_data, batch=batch)
        require_valid(form)
        try:
            actions.go_ahead(
                batch=batch,
                source=form.cleaned_data["source"],
                licence=form.cleaned_data["licence"],
                model_name=form.cleaned_data.get("model_name", ""),
                mask=form.cleaned_data.get("mask", False),
            )
        except actions.NotNow as reason:
            raise NotNow(str(reason)) from reason
        return _standing(pk)


class Cancel(Endpoint):
    """The end of an import."""

    right = Right.RESEARCH

    @extend_schema(request=None, responses={202: ImportDetailSerializer, **refusals(NotNow, KeyReused)})
    @once
    def post(self, request: Request, pk: int) -> Response:
        """Stop a scan or an import, or discard a file that waits. Nothing of it stays."""
        batch = get_object_or_404(ImportBatch, pk=pk)
        try:
            actions.cancel(batch=batch)
        except actions.NotNow as reason:
            raise NotNow(str(reason)) from reason
        return _standing(pk)


def _standing(pk: int) -> Response:
    batch = ImportBatch.objects.select_related("who").get(pk=pk)
    return Response(ImportDetailSerializer(batch).data, status=202)
