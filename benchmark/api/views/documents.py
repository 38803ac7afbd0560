"""What the API is: its OpenAPI document and the same for people. Both show an account only what it may call."""

from typing import Any, NoReturn

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request

from benchmark.api.endpoint import Endpoint
from benchmark.api.reference import groups, problems
from benchmark.permissions import Right, requires


class Schema(Endpoint, SpectacularJSONAPIView):
    """The OpenAPI document."""

    right = Right.LABEL


@requires(Right.LABEL)
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The reference to read: every address with its parameters, body and answers, and the named problems."""
    asked = Request(request, authenticators=[SessionAuthentication()])
    document = SchemaGenerator().get_schema(request=asked, public=False)
    context = {"groups": groups(document), "problems": problems(document)}
    response = render(request, "benchmark/api_docs.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


@extend_schema(exclude=True)
class Nothing(Endpoint):
    """Whatever is asked for below /api/ that is no address of it."""

    right = Right.LABEL

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> NoReturn:
        """Answer as for anything one may not see, by whatever method it is asked for."""
        raise Http404
