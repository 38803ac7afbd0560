"""A request that is sent again gets the same answer: `Idempotency-Key`, after the IETF draft of that name."""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from benchmark.api.errors import Problem
from benchmark.core import text
from benchmark.models import KeptAnswer

HEADER = "Idempotency-Key"
LONGEST_KEY = 255
KEPT_HEADERS = ("Location",)
PARAMETER = OpenApiParameter(
    HEADER,
    {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    description="A name of your own for this request, such as a UUID. Sent again within 24 hours, the request does "
    "nothing a second time and gets the same answer.",
)

Method = Callable[..., Response]


class KeyReused(Problem):
    """The same key came with another request."""

    kind = "key-reused"
    title = "This Idempotency-Key belongs to another request."
    status_code = 422


def once(method: Method) -> Method:
    """Let a view's method run once a key: its answer is kept in the transaction of what it did.

    Only what succeeded is kept; a refused request is tried anew. Of two at once the second waits for the first.
    """

    @extend_schema(parameters=[PARAMETER])
    @wraps(method)
    def answered(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get(HEADER)
        if key is None:
            return method(view, request, *args, **kwargs)
        if not (0 < len(key) <= LONGEST_KEY and key.isascii() and key.isprintable() and " " not in key):
            raise ParseError(f"{HEADER} is 1 to {LONGEST_KEY} visible ASCII characters.")
        digest = _digest(request)
        KeptAnswer.objects.outdated().filter(account=view.account, key=key).delete()
        with transaction.atomic():
            kept, is_new = KeptAnswer.objects.get_or_create(
                account=view.account, key=key, defaults={"request_sha256": digest}
            )
            if not is_new:
                return _again(kept, digest)
            response = method(view, request, *args, **kwargs)
            kept.answer = text.write(_answer(response))
            kept.save(update_fields=["answer"])
        return response

    return answered


def _digest(request: Request) -> str:
    """Of all that the request asks for; an uploaded file counts by its content."""
    data = request.data
    if isinstance(data, dict):
        data = {name: _content(value) for name, value in data.items()}
    try:
        return text.sha256([request.method, request.path, data])
    except text.BadJson as reason:
        raise ParseError(f"The body is not JSON that can be kept: {reason}.") from None


def _content(value: Any) -> Any:
    if not isinstance(value, UploadedFile):
        return value
    digest = hashlib.sha256()
    for chunk in value.chunks():
        digest.update(chunk)
    value.seek(0)
    return [value.name, digest.hexdigest()]


def _answer(response: Response) -> dict[str, Any]:
    headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    return {"status": response.status_code, "headers": headers, "body": response.data}


def _again(kept: KeptAnswer, digest: str) -> Response:
    if kept.request_sha256 != digest:
        raise KeyReused
    answer = text.parse(kept.answer)
    return Response(answer["body"], status=answer["status"], headers=answer["headers"])
