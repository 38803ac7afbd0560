"""Every error as problem details (RFC 9457): `type`, `title`, `status`, `detail`, and `errors` with a pointer each.

`type` is `about:blank` where the status says all. Where it does not, a subclass of Problem gives the error a name that a
program can rely on; the words of `detail` are for people and may change.
"""

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.forms import Form
from django.http import Http404
from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework import serializers
from rest_framework.exceptions import APIException, ErrorDetail, NotAuthenticated, NotFound, ParseError, ValidationError
from rest_framework.exceptions import PermissionDenied as Forbidden
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

MEDIA_TYPE = "application/problem+json"
ABOUT = "/api/v1/docs#"
INVALID = "invalid"
SIGN_IN = "Sign in, or send a personal token: Authorization: Bearer …"
NOTHING = "There is nothing here."
UNREADABLE = "The request cannot be read."
FAILED = "The server failed on this request. It is logged; tell whoever runs this server when it happened."

logger = logging.getLogger("django.request")


class Problem(APIException):
    """A refusal with a name of its own. What it is raised with beyond `detail` stands beside it in the answer."""

    kind = ""
    title = ""
    status_code = 409

    def __init__(self, detail: str = "", **beside: Any) -> None:
        super().__init__(detail or self.title)
        self.beside = beside


class TooLarge(APIException):
    """A body beyond what its address takes."""

    status_code = 413


class ErrorSerializer(serializers.Serializer):
    """One thing that is wrong."""

    detail = serializers.CharField()
    pointer = serializers.CharField(required=False, help_text="Where in the body: a JSON Pointer (RFC 6901).")
    parameter = serializers.CharField(required=False, help_text="Which query parameter.")


class ProblemSerializer(serializers.Serializer):
    """Problem details (RFC 9457)."""

    type = serializers.CharField(help_text="`about:blank`, or the name of the problem as a link into this page.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What to do about it, in words.")
    errors = ErrorSerializer(many=True, required=False)  # type: ignore[assignment]  # a member of the body


def answer(error: Exception, context: dict[str, Any]) -> Response:
    """Any error as an answer: what is refused in its own words, what is not expected as 500 without any detail.

    An unexpected error is logged and signalled as Django would do it for a page.
    """
    request = context["request"]
    expected = _expected(error)
    if expected is None:
        got_request_exception.send(sender=None, request=request._request)
        logger.error("Internal Server Error: %s", request.path, exc_info=error)
        expected = APIException(FAILED)
    status = _status(expected, request)
    body = _body(expected, status, request)
    return Response(body, status=status, headers=_headers(expected), content_type=MEDIA_TYPE)


def require_valid(form: Form, places: Mapping[str, Sequence[str]] | None = None) -> None:
    """Raise ValidationError with what a page's form finds wrong.

    `places` says where in the body a field stands that is not a member of the same name: names from outside in.
    """
    if form.is_valid():
        return
    found: dict[str, Any] = {}
    for field, sentences in form.errors.items():
        *outer, last = (places or {}).get(field, [field])
        inner = found
        for name in outer:
            inner = inner.setdefault(name, {})
        inner[last] = list(sentences)
    raise ValidationError(found)


def refusals(*kinds: type[Problem]) -> dict[tuple[int, str], OpenApiResponse]:
    """The problems an operation may answer with, for `extend_schema(responses=…)`."""
    found: dict[int, list[type[Problem]]] = {}
    for kind in kinds:
        found.setdefault(kind.status_code, []).append(kind)
    return {
        (status, MEDIA_TYPE): OpenApiResponse(
            ProblemSerializer,
            description=" ".join(f"`{kind.kind}`: {kind.title}" for kind in same),
            examples=[_example(kind) for kind in same],
        )
        for status, same in found.items()
    }


def _example(kind: type[Problem]) -> OpenApiExample:
    value = {"type": ABOUT + kind.kind, "title": kind.title, "status": kind.status_code, "detail": kind.title}
    return OpenApiExample(kind.kind, value=value, response_only=True, status_codes=[str(kind.status_code)])


def _expected(error: Exception) -> APIException | None:
    """The error as REST framework knows it, in words that say nothing about what exists; None for a fault of ours."""
    match error:
        case Http404() | NotFound():
            return NotFound(NOTHING)
        case PermissionDenied():
            return Forbidden(str(error) or None)
        case NotAuthenticated():
            error.detail = ErrorDetail(SIGN_IN)
            return error
        case APIException():
            return error
        case RequestDataTooBig():
            return TooLarge(UNREADABLE)
        case SuspiciousOperation():
            return ParseError(UNREADABLE)
    return None


def _status(error: APIException, request: Request) -> int:
    if isinstance(error, ValidationError) and request.method not in SAFE_METHODS:
        return 422
    return error.status_code


def _headers(error: APIException) -> dict[str, str]:
    """What REST framework's own handler would send along."""
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(math.ceil(wait))
    return headers


def _body(error: APIException, status: int, request: Request) -> dict[str, Any]:
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": str(error.detail)}
    if isinstance(error, Problem):
        return {**body, "type": ABOUT + error.kind, "title": error.title, **error.beside}
    if isinstance(error, ValidationError):
        found = list(_errors(error.detail, request.method in SAFE_METHODS))
        said = " ".join(one["detail"] for one in found)
        return {**body, "type": ABOUT + INVALID, "title": "Not valid", "detail": said, "errors": found}
    return body


def _errors(detail: Any, in_query: bool) -> Iterator[dict[str, str]]:
    for path, sentence in _flat(detail, ""):
        if in_query:
            yield {"parameter": path.removeprefix("/"), "detail": sentence}
        else:
            yield {"pointer": path, "detail": sentence}


def _flat(detail: Any, path: str) -> Iterator[tuple[str, str]]:
    """Each sentence with the JSON Pointer of what it is about."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            whole = name == api_settings.NON_FIELD_ERRORS_KEY
            yield from _flat(inner, path if whole else f"{path}/{_token(str(name))}")
    elif isinstance(detail, list | tuple):
        for position, inner in enumerate(detail):
            yield from _flat(inner, f"{path}/{position}" if isinstance(inner, Mapping) else path)
    else:
        yield path, str(detail)


def _token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
