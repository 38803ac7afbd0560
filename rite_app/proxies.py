"""Whose request it is, behind any number of our own reverse proxies."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """The address that the outermost of our own proxies saw; None where there is none (a Unix socket).

    What a client wrote into X-Forwarded-For itself stands further left and is never read.
    """
    seen = request.META.get("REMOTE_ADDR", "")
    passed_on = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    if 0 < settings.PROXY_COUNT <= len(passed_on):
        seen = passed_on[-settings.PROXY_COUNT].strip()
    return seen if _is_address(seen) else None


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
