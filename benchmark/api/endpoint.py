"""What every address of the API has in common."""

from http import HTTPStatus
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchmark.models import Account
from benchmark.permissions import Right


class Endpoint(APIView):
    """Needs a right, is never kept by a cache, and says nothing beside a 404: not even which methods there would be."""

    right: Right
    http_method_names = ["get", "head", "post", "put"]

    @property
    def account(self) -> Account:
        """Who calls; asked for only where permission has been given."""
        assert isinstance(self.request.user, Account)
        return self.request.user

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Set the headers that every answer has, errors too."""
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers["Cache-Control"] = "no-store"
        if response.status_code == HTTPStatus.NOT_FOUND:
            del response.headers["Allow"]
            del response.headers["Vary"]
        return response
