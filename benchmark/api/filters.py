"""What narrows a list down. A parameter nobody knows is refused: a slip of the pen must not look like an answer."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.db.models import QuerySet
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request

PAGING = {"cursor", "limit"}


class StrictFilters(DjangoFilterBackend):
    """django-filter's own backend, for lists whose view names `filterset_fields`."""

    def filter_queryset(self, request: Request, queryset: QuerySet, view: Any) -> QuerySet:
        """The rows that pass. Raises ValidationError for a wrong value or an unknown parameter."""
        filterset = self.get_filterset(request, queryset, view)
        refuse_unknown(request, filterset.filters if filterset else ())
        return super().filter_queryset(request, queryset, view)


class PageForm(BaseFilterBackend):
    """The form of the list's page, named as the view's `filter_form`: the API and the page narrow down alike."""

    def filter_queryset(self, request: Request, queryset: QuerySet, view: Any) -> QuerySet:
        """What the view's `narrow` makes of the form. Raises ValidationError for a wrong value or an unknown parameter."""
        form = view.filter_form(request.query_params)
        refuse_unknown(request, form.fields)
        if not form.is_valid():
            raise ValidationError(form.errors)
        return view.narrow(form.cleaned_data)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """One query parameter a field."""
        return [
            {"name": name, "in": "query", "required": False, "description": _described(field), "schema": _schema(field)}
            for name, field in view.filter_form.base_fields.items()
        ]


def refuse_unknown(request: Request, known: Iterable[str]) -> None:
    """Raise ValidationError for a query parameter that is neither in `known` nor one of paging."""
    unknown = sorted(set(request.query_params) - set(known) - PAGING)
    if unknown:
        raise ValidationError({name: f"There is no parameter {name[:40]!r} here." for name in unknown})


def _described(field: forms.Field) -> str:
    return str(field.help_text or field.label or "")


def _schema(field: forms.Field) -> dict[str, Any]:
    if isinstance(field, forms.ModelChoiceField):
        return {"type": "integer"}
    words = [value for value, _ in getattr(field, "choices", ()) if value]
    return {"type": "string", "enum": words} if words else {"type": "string"}
