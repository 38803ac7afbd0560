"""The fixtures of the API's tests, for this folder."""

from tests.api_clients import calling  # noqa: F401
