"""One long stored value as the exact JSON text it was read from, whole or a byte range of it (RFC 9110, 14)."""

import io
import re

from django.http import FileResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.exceptions import APIException
from rest_framework.request import Request

CONTENT_TYPE = "application/json"
RANGE = OpenApiParameter(
    "Range", str, OpenApiParameter.HEADER, description="One range of bytes, such as `bytes=0-65535`, for a part of it."
)
ANSWERS = {
    (200, CONTENT_TYPE): OpenApiResponse(OpenApiTypes.ANY, description="The whole value."),
    (206, CONTENT_TYPE): OpenApiResponse(OpenApiTypes.BINARY, description="The bytes asked for."),
}
_ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


class BeyondTheEnd(APIException):
    """The range begins behind the last byte."""

    status_code = 416


def answer_source(request: Request, source: str) -> HttpResponseBase:
    """Stream JSON source text as it is stored. Raises BeyondTheEnd for a range that begins behind the last byte.

    What is no single range of bytes is ignored, as HTTP asks.
    """
    whole = source.encode()
    wanted = byte_range(request.headers.get("Range", ""), len(whole))
    if wanted is None:
        response = FileResponse(io.BytesIO(whole), content_type=CONTENT_TYPE)
    else:
        start, end = wanted
        response = FileResponse(io.BytesIO(whole[start:end]), content_type=CONTENT_TYPE, status=206)
        response.headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(whole)}"
        # A range counts bytes of the text itself: keep the compressing middleware off it.
        response.headers["Content-Encoding"] = "identity"
    response.headers["Accept-Ranges"] = "bytes"
    return response


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """First byte and the one behind the last that a Range header asks for of `size`; None where it asks for none."""
    found = _ONE_RANGE.fullmatch(header.strip())
    if not found or found[0] == "bytes=-":
        return None
    first, last = found.groups()
    if not first:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(size, int(last) + 1 if last else size)
        if last and int(last) < start:
            return None
    if start >= size or start >= end:
        raise BeyondTheEnd(f"The value has {size} bytes.")
    return start, end
