"""What the program shows to browsers, proxies and logs."""

import logging

import pytest
from django.test import Client, RequestFactory

from rite_app.logs import MaskLinks
from rite_app.proxies import client_address


@pytest.mark.parametrize(
    ("proxies", "forwarded", "seen"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.66, 203.0.113.9", "203.0.113.9"),
        (2, "198.51.100.66, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "not an address", None),
        (1, "", None),
    ],
)
def test_an_address_that_a_client_made_up_is_never_believed(
    settings: object, proxies: int, forwarded: str, seen: str | None
) -> None:
    settings.PROXY_COUNT = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == seen


@pytest.mark.parametrize("link", ["/invite/{}/", "/reset/{}/", "/reset/{}"])
def test_the_secret_of_a_link_never_reaches_the_log(link: str) -> None:
    record = logging.LogRecord(
        "django.request", logging.WARNING, "", 0, "Not Found: %s", (link.format("s3cret"),), None
    )
    assert MaskLinks().filter(record)
    assert "s3cret" not in record.getMessage()
    assert record.getMessage().startswith("Not Found: /")


@pytest.mark.django_db
def test_a_page_may_load_and_run_only_our_own_files(client: Client) -> None:
    policy = client.get("/accounts/login/").headers["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'self'"
    assert "script-src" not in rules
    assert "style-src" not in rules
    assert rules["object-src"] == rules["base-uri"] == rules["frame-ancestors"] == "'none'"
    assert "unsafe" not in policy


@pytest.mark.django_db
def test_pages_say_no_to_frames_and_sniffing(client: Client) -> None:
    headers = client.get("/accounts/login/").headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
