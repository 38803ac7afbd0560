"""Lists page by key: a page costs the same wherever it stands, and new rows shift nothing."""

import binascii
import re
from base64 import b64decode
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

DEFAULT, MOST = 50, 200
_CURSOR = re.compile(rb"(o=\d{1,4}&)?(r=1&)?p=\d{1,18}")


class Keyset(CursorPagination):
    """Newest first. `cursor` comes from `next` or `previous`, `limit` is 1 to 200."""

    ordering = "-id"
    page_size = DEFAULT
    page_size_query_param = "limit"
    page_size_query_description = f"How many a page, 1 to {MOST}; {DEFAULT} where not said."
    cursor_query_description = "Where the page begins: as in `next` and `previous` of another page."

    def get_page_size(self, request: Request) -> int:
        """The limit asked for. Raises ValidationError where it is none, instead of quietly taking another."""
        asked = request.query_params.get(self.page_size_query_param, str(DEFAULT))
        if not (asked.isascii() and asked.isdecimal() and 1 <= int(asked[:9]) <= MOST and len(asked) < 9):
            raise ValidationError({"limit": f"Write a whole number from 1 to {MOST}."})
        return int(asked)

    def decode_cursor(self, request: Request) -> Cursor | None:
        """The cursor, None for the first page. Raises ValidationError for one that we did not make."""
        encoded = request.query_params.get(self.cursor_query_param)
        if encoded is not None and not _is_ours(encoded):
            raise ValidationError({"cursor": "This is no cursor. Take `next` of another page."})
        return super().decode_cursor(request)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Cursor and limit, with the bounds of the limit."""
        cursor, limit = super().get_schema_operation_parameters(view)
        limit["schema"] |= {"minimum": 1, "maximum": MOST, "default": DEFAULT}
        return [cursor, limit]


class StepKeyset(Keyset):
    """Steps in their own order."""

    ordering = "index"


def _is_ours(encoded: str) -> bool:
    try:
        return _CURSOR.fullmatch(b64decode(encoded, validate=True)) is not None
    except (binascii.Error, ValueError):
        return False
