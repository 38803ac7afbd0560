"""Bodies that are read to the letter."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError


class TrueOrFalse(serializers.BooleanField):
    """JSON's `true` or `false` and nothing that merely looks like one: what is locked with it cannot be mended."""

    def to_internal_value(self, data: Any) -> Any:
        """The boolean. Raises ValidationError for a word, a number, an empty string."""
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class StrictSerializer(serializers.Serializer):
    """Refuses a member it does not know: a slip of the pen must not look like an answer left out."""

    def to_internal_value(self, data: Any) -> Any:
        """The checked body. Raises ValidationError."""
        if isinstance(data, Mapping) and (unknown := sorted(set(data) - set(self.fields))):
            raise ValidationError(dict.fromkeys(unknown, "There is no such member here."))
        return super().to_internal_value(data)
