"""The fixtures of the API's tests, for this folder."""

from tests.api_clients import calling  # noqa: F401
from tests.studies import make_rollout, make_study  # noqa: F401
