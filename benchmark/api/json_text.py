"""JSON in and out of the API as RITE keeps it everywhere: numbers as written, any string, nothing read twice."""

from collections.abc import Mapping
from typing import IO, Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from benchmark.api.errors import TooLarge
from benchmark.core import text

LARGEST_BODY = 1_000_000


class JsonParser(BaseParser):
    """A body of at most one megabyte as `core.text` reads JSON: no key twice, no NaN, no nesting that breaks us."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The parsed body. Raises ParseError for what is not JSON, TooLarge for what is too long."""
        source = stream.read(LARGEST_BODY + 1)
        if len(source) > LARGEST_BODY:
            raise TooLarge(f"This body is larger than {LARGEST_BODY:,} bytes.")
        try:
            return text.parse(source)
        except text.BadJson as reason:
            raise ParseError(f"The body is not JSON: {reason}.") from None


class JsonRenderer(BaseRenderer):
    """An answer as `core.text` writes JSON."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """UTF-8 bytes; none where there is nothing to say."""
        return b"" if data is None else text.write(data).encode()


class JsonLines(JsonRenderer):
    """Names JSON Lines for the negotiation; what is streamed is written by the view, an error is still JSON."""

    media_type = "application/x-ndjson"
    format = "jsonl"


class Csv(JsonRenderer):
    """Names CSV for the negotiation; what is streamed is written by the view, an error is still JSON."""

    media_type = "text/csv"
    format = "csv"


@extend_schema_field(OpenApiTypes.ANY)
class ForeignJsonField(serializers.Field):
    """JSON source text from the database as the value it is, numbers as written; read only."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(read_only=True, **kwargs)

    def to_representation(self, value: str) -> Any:
        """The parsed value."""
        return text.parse(value)
