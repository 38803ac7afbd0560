"""Lists page by key: a page costs the same wherever it stands, and new rows shift nothing."""

from typing import Any

from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

DEFAULT, MOST = 50, 200


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
        try:
            cursor = super().decode_cursor(request)
        except NotFound:
            raise ValidationError({"cursor": "This is no cursor. Take `next` of another page."}) from None
        if cursor and cursor.position is not None and not str(cursor.position).isdecimal():
            raise ValidationError({"cursor": "This is no cursor. Take `next` of another page."})
        return cursor

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Cursor and limit, with the bounds of the limit."""
        cursor, limit = super().get_schema_operation_parameters(view)
        limit["schema"] |= {"minimum": 1, "maximum": MOST, "default": DEFAULT}
        return [cursor, limit]


class StepKeyset(Keyset):
    """Steps in their own order."""

    ordering = "index"
