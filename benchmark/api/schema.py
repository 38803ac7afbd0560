"""How the OpenAPI document describes what every address has in common."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction

from benchmark.api.errors import MEDIA_TYPE, ProblemSerializer

OTHER = "Any error: problem details."


class ApiSchema(AutoSchema):
    """Adds to every operation that whatever goes wrong is answered with problem details."""

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        bodies = super()._get_response_bodies(direction)
        problem = self._get_response_for_code(ProblemSerializer, "default", [MEDIA_TYPE], direction)
        return {**bodies, "default": {**problem, "description": OTHER}}


def inline_words(result: dict[str, Any], **context: Any) -> dict[str, Any]:
    """Leave closed vocabularies where they are used: drop the marks by which drf-spectacular would name them."""
    _unmark(result)
    return result


def _unmark(node: Any) -> None:
    if isinstance(node, dict):
        node.pop("x-spec-enum-id", None)
        for inner in node.values():
            _unmark(inner)
    elif isinstance(node, list):
        for inner in node:
            _unmark(inner)
