"""Columns for text that other people's programs wrote: any string comes back exactly as it went in, on both databases."""

from typing import Any

from django.db import models

from benchmark.core import text


class ForeignText(models.TextField):
    """A string of any content, NUL and lone surrogates included, kept as a JSON string literal."""

    def from_db_value(self, value: str | None, expression: object, connection: object) -> str | None:
        """The string as it was given; NULL stays None."""
        return text.parse(value) if value else value

    def get_prep_value(self, value: Any) -> str | None:
        """The string as the column holds it."""
        return text.literal(value)


class ForeignJson(models.TextField):
    """JSON source text as `core.text.write` makes it: key order and numbers as written. Read it with `core.text.parse`.

    NULL says that there is no value at all; JSON null is the text `null`.
    """
