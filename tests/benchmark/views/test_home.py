"""The first page, the theme, the bar."""

from collections.abc import Callable

import pytest
from django.template.loader import get_template
from django.test import Client

SignedIn = Callable[..., Client]


@pytest.mark.parametrize(
    ("role", "place"),
    [("annotator", "/queue/"), ("author", "/overview/"), ("researcher", "/overview/"), ("admin", "/overview/")],
)
def test_everyone_starts_where_their_work_is(signed_in: SignedIn, role: str, place: str) -> None:
    answer = signed_in(role).get("/", follow=True)
    assert (answer.redirect_chain[-1][0], answer.status_code) == (place, 200)


def test_the_bar_offers_only_what_the_account_may_open(signed_in: SignedIn) -> None:
    def offered(role: str, path: str) -> set[str]:
        body = signed_in(role).get(path).content.decode()
        nav = body[body.index('<nav id="nav"') : body.index("</nav>")]
        return {
            page
            for page in ("overview", "rollouts", "imports", "studies", "people", "health", "queue")
            if f'href="/{page}' in nav
        }

    assert offered("annotator", "/queue/") == {"queue"}
    assert offered("author", "/overview/") == {"overview", "rollouts", "queue"}
    assert offered("researcher", "/overview/") == {"overview", "rollouts", "imports", "studies", "health", "queue"}
    assert offered("admin", "/overview/") == {"overview", "rollouts", "imports", "studies", "people", "health", "queue"}


def test_a_chosen_theme_is_there_before_anything_is_painted(signed_in: SignedIn) -> None:
    client = signed_in("annotator")
    client.post("/theme/", {"theme": "dark"})
    assert 'id="theme-dark" checked' in client.get("/queue/").content.decode()
    client.post("/theme/", {"theme": ""})
    assert 'id="theme-system" checked' in client.get("/queue/").content.decode()


def test_a_theme_that_is_none_is_not_remembered(signed_in: SignedIn) -> None:
    client = signed_in("annotator")
    client.post("/theme/", {"theme": '"><script>'})
    assert 'id="theme-system" checked' in client.get("/queue/").content.decode()


@pytest.mark.django_db
def test_the_theme_form_leads_back_to_this_site_only() -> None:
    client = Client()
    assert (
        client.post("/theme/", {"theme": "dark"}, headers={"Referer": "http://testserver/queue/"}).url
        == "http://testserver/queue/"
    )
    assert client.post("/theme/", {"theme": "dark"}, headers={"Referer": "https://evil.example/"}).url == "/"
    assert client.post("/theme/", {"theme": "dark"}, headers={"HX-Request": "true"}).status_code == 204


@pytest.mark.django_db
def test_a_fresh_overview_says_what_to_do_first(signed_in: SignedIn) -> None:
    assert "Import trajectories" in signed_in("researcher").get("/overview/").content.decode()
    assert "A researcher imports them" in signed_in("author").get("/overview/").content.decode()
    assert signed_in("annotator").get("/overview/").status_code == 404


def test_error_pages_stand_without_account_or_database() -> None:
    for name in ("400.html", "500.html"):
        body = get_template(name).render()
        assert "<h1>" in body
        assert "csrf" not in body
