"""Who may what, over every address there is: one table, and no address outside it."""

from collections.abc import Callable, Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from annotation.actions.people import invite
from annotation.core.strata import Stratum
from annotation.core.study_design import StudyDesign
from annotation.models import Assignment, BlindLabel, Seat, Study
from benchmark.actions.accounts import create_token, make_reset_link
from benchmark.models import Account, Step

pytestmark = pytest.mark.django_db

# Columns: nobody signed in, annotator (on a seat), author, researcher (who owns the study), admin, and a researcher who
# has an unfinished item. L sent to sign in · U 401 · N 404 · F 403 with the reason · K let in (whatever comes of it).
ROLES = ("nobody", "annotator", "author", "researcher", "admin", "assigned")
TABLE = """
GET  /                                                    L K K K K K
POST theme/                                               K K K K K K
GET  health                                               L N F K K F
GET  health.json                                          K K K K K K
GET  accounts/                                            L K K K K K
GET  accounts/login/                                      K K K K K K
POST accounts/logout/                                     K K K K K K
GET  accounts/password/                                   L K K K K K
POST accounts/sign-out-everywhere/                        L K K K K K
GET  accounts/tokens/                                     L K K K K K
POST accounts/tokens/<int:pk>/revoke/                     L K N N N N   {token}
GET  accounts/studies/                                    L K K K K K
GET  reset/<str:secret>/                                  K K K K K K   {reset}
GET  invite/<str:secret>/                                 K K K K K K   {invitation}
GET  leave/<int:pk>/                                      L K N N N N   {seat}
GET  overview/                                            L N K K K F
GET  imports/                                             L N F K K F
GET  imports/<int:pk>/                                    L N F K K F   {batch}
POST imports/<int:pk>/go-ahead/                           L N F K K F   {batch}
POST imports/<int:pk>/cancel/                             L N F K K F   {batch}
GET  rollouts/                                            L N K K K F
GET  rollouts/<int:pk>/                                   L N K K K F   {rollout}
POST rollouts/<int:pk>/mechanism/                         L N F K K F   {rollout}
POST rollouts/<int:pk>/steps/<slug:number>/diagnosis/     L N F K K F   {rollout} R1
GET  rollouts/<int:pk>/whole/<slug:part>/                 L N K K K F   {rollout} task
GET  people/                                              L N F F K F
GET  people/new/                                          L N F F K F
GET  people/<int:pk>/                                     L N F F K F   {person}
POST people/<int:pk>/reset-link/                          L N F F K F   {person}
POST people/<int:pk>/sign-out/                            L N F F K F   {person}
GET  people/<int:pk>/erase/                               L N F F K F   {person}
GET  queue/                                               L K K K K K
GET  queue/next/                                          L K K K K K
GET  queue/<slug:public_id>/                              L K N N N N   {place}
GET  queue/<slug:public_id>/consent/                      L K N N N N   {place}
GET  queue/<slug:public_id>/guidelines/                   L K N N N N   {place}
POST queue/<slug:public_id>/shown/                        L K N N N N   {place}
POST queue/<slug:public_id>/draft/                        L K N N N N   {place}
POST queue/<slug:public_id>/submit/                       L K N N N N   {place}
POST queue/<slug:public_id>/review/                       L K N N N N   {place}
GET  queue/<slug:public_id>/whole/<slug:part>/            L K N N N N   {place} task
GET  studies/                                             L N F K K F
GET  studies/new/                                         L N F K K F
GET  studies/from-file/                                   L N F K K F
GET  studies/<int:pk>/                                    L N F K K F   {study}
GET  studies/<int:pk>/design/                             L N F K K F   {study}
POST studies/<int:pk>/start/                              L N F K K F   {study}
POST studies/<int:pk>/move/<slug:verb>/                   L N F K K F   {study} pause
GET  studies/<int:pk>/texts/<slug:kind>/                  L N F K K F   {study} guidelines
GET  studies/<int:pk>/items/                              L N F K K F   {study}
GET  studies/<int:pk>/items/<slug:public_id>/void/        L N F K K F   {study} {labelled}
GET  studies/<int:pk>/items/<slug:public_id>/reassign/    L N F K K F   {study} {place}
POST studies/<int:pk>/deal/                               L N F K K F   {study}
GET  studies/<int:pk>/audit/                              L N F K K F   {study}
GET  studies/<int:pk>/people/                             L N F K K F   {study}
POST studies/<int:pk>/people/invite/                      L N F K K F   {study}
POST studies/<int:pk>/people/add/                         L N F K K F   {study}
POST studies/<int:pk>/people/<int:number>/revoke/         L N F K K F   {study} 1
GET  studies/<int:pk>/people/<int:number>/leave/          L N F K K F   {study} 1
GET  studies/<int:pk>/people/<int:number>/erase/          L N F K K F   {study} 1
GET  studies/<int:pk>/agreement/                          L N F K K F   {study}
GET  studies/<int:pk>/agreement/<slug:format>/            L N F K K F   {study} csv
GET  studies/<int:pk>/files/                              L N F K K F   {study}
GET  studies/<int:pk>/files/<str:file>                    L N F K K F   {study} labels.csv
GET  api/v1/docs                                          L K K K K K
GET  api/v1/schema                                        U K K K K K
GET  api/v1/imports                                       U N F K K F
GET  api/v1/imports/<int:pk>                              U N F K K F   {batch}
POST api/v1/imports/<int:pk>/go-ahead                     U N F K K F   {batch}
POST api/v1/imports/<int:pk>/cancel                       U N F K K F   {batch}
GET  api/v1/rollouts                                      U N K K K F
GET  api/v1/rollouts/<int:pk>                             U N K K K F   {rollout}
GET  api/v1/rollouts/<int:pk>/steps                       U N K K K F   {rollout}
GET  api/v1/rollouts/<int:pk>/steps/<int:index>/observation  U N K K K F   {rollout} 0
GET  api/v1/rollouts/<int:pk>/judgments                   U N K K K F   {rollout}
GET  api/v1/queue                                         U K K K K K
GET  api/v1/items/<slug:public_id>                        U K N N N N   {place}
PUT  api/v1/items/<slug:public_id>/draft                  U K N N N N   {place}
POST api/v1/items/<slug:public_id>/blind                  U K N N N N   {place}
POST api/v1/items/<slug:public_id>/review                 U K N N N N   {place}
GET  api/v1/items/<slug:public_id>/texts/<slug:part>      U K N N N N   {place} task
GET  api/v1/studies                                       U N F K K F
GET  api/v1/studies/<int:pk>                              U N F K K F   {study}
GET  api/v1/studies/<int:pk>/agreement                    U N F K K F   {study}
GET  api/v1/studies/<int:pk>/labels                       U N F K K F   {study}
GET  ^api/                                                N N N N N N   nothing
"""


def addresses() -> Iterator[tuple[str, str, str, str]]:
    """Method, pattern, columns, and what fills the pattern's places, of each line of the table."""
    for line in TABLE.strip().splitlines():
        method, pattern, *rest = line.split()
        yield method, pattern.removeprefix("/"), "".join(rest[: len(ROLES)]), " ".join(rest[len(ROLES) :])


def patterns(found: list[Any], before: str = "") -> Iterator[str]:
    for one in found:
        path = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from patterns(one.url_patterns, path)
        elif isinstance(one, URLPattern):
            yield path


@pytest.fixture
def world(make_study: Callable[..., Study], make_account: Callable[..., Account]) -> dict[str, Any]:
    """A running study of one researcher: an annotator with open items on A1, a researcher with open items on A2."""
    people = {role: make_account(role) for role in ("annotator", "author", "researcher", "admin")}
    people["assigned"] = make_account("researcher")
    design = StudyDesign(
        name="A study",
        imports=(1,),
        judge="rule/1",
        cells={Stratum("some-model", "implicit"): 2},
        annotators=3,
        labels_per_item=3,
    ).as_data()
    seats = [people["annotator"], people["assigned"], None]
    study = make_study(seats=seats, owner=people["researcher"], design=design)
    places = Assignment.objects.filter(seat__account=people["annotator"]).order_by("order")
    BlindLabel.objects.create(assignment=places[1], result=True, noticed=True, first_shown=study.created)
    rollout = places[0].item.rollout
    fills = {
        "study": study.pk,
        "seat": Seat.objects.get(account=people["annotator"]).pk,
        "place": places[0].public_id,
        "labelled": places[1].public_id,
        "rollout": rollout.pk,
        "batch": rollout.batch_id,
        "person": people["author"].pk,
        "token": create_token(account=people["annotator"], name="script")[0].pk,
        "reset": make_reset_link(account=people["author"], who=people["admin"]),
        "invitation": invite(study=study, seats=[3], who=people["researcher"])[0].secret,
    }
    assert Step.objects.filter(rollout=rollout).exists()
    return {"people": people, "fills": fills}


def test_every_address_stands_in_the_table() -> None:
    known = {pattern for _, pattern, _, _ in addresses()}
    there = {path for path in patterns(get_resolver().url_patterns) if not path.startswith("admin/")}
    assert there - known == set(), "addresses without a line in the table"
    assert known - there == set(), "lines of the table without an address"


@pytest.mark.parametrize("role", ROLES)
def test_every_address_lets_in_whom_the_table_says_and_nobody_else(role: str, world: dict[str, Any]) -> None:
    client = Client(raise_request_exception=False)
    if role != "nobody":
        client.force_login(world["people"][role], backend="annotation.backends.EffectiveRoleBackend")
    cookies = client.cookies.output(header="", sep=";")
    wrong = []
    for method, pattern, columns, words in addresses():
        client.cookies = SimpleCookie(cookies)
        path = "/" + filled(pattern, words.format(**world["fills"]).split())
        with transaction.atomic():
            answer = client.generic(method, path, content_type="application/x-www-form-urlencoded")
            transaction.set_rollback(True)
        if outcome(answer) != columns[ROLES.index(role)]:
            wrong.append(f"{method} {path}: {outcome(answer)} ({answer.status_code})")
    assert wrong == []


def filled(pattern: str, words: list[str]) -> str:
    """The pattern with its places filled in order."""
    parts = pattern.removeprefix("^").split("/")
    filling = iter(words)
    return "/".join(next(filling) if part.startswith("<") else part for part in parts) + "".join(filling)


def outcome(answer: HttpResponse) -> str:
    if answer.status_code == 302 and answer.headers["Location"].startswith("/accounts/login/?"):
        return "L"
    if answer.status_code >= 500:
        return "500"
    return {401: "U", 403: "F", 404: "N"}.get(answer.status_code, "K")


def test_a_researcher_manages_people_of_their_own_studies_only(
    world: dict[str, Any], make_account: Callable[..., Account], signed_in: Callable[..., Client]
) -> None:
    client, study = signed_in(make_account("researcher")), world["fills"]["study"]
    assert client.get(f"/studies/{study}/").status_code == 200
    for page in ("people/", f"items/{world['fills']['labelled']}/void/", "people/1/erase/", "people/1/leave/"):
        answer = client.get(f"/studies/{study}/{page}")
        assert answer.status_code == 403, page
        assert "study’s researcher" in answer.content.decode().replace("&#x27;", "’"), page
    assert client.post(f"/studies/{study}/people/invite/", {"seat": "3"}).status_code == 403


def test_the_study_page_offers_no_people_page_to_other_researchers(
    world: dict[str, Any], make_account: Callable[..., Account], signed_in: Callable[..., Client]
) -> None:
    page = signed_in(make_account("researcher")).get(f"/studies/{world['fills']['study']}/items/").content.decode()
    assert "void…" not in page
    assert "/people/" not in page


ADMIN_TABLES = ["annotation/blindlabel", "annotation/study", "benchmark/account", "benchmark/rollout"]


@pytest.mark.parametrize(
    ("role", "status"), [("annotator", 404), ("author", 403), ("researcher", 403), ("assigned", 403)]
)
def test_the_admin_site_is_for_admins(role: str, status: int, world: dict[str, Any], signed_in: Callable) -> None:
    client = signed_in(world["people"][role])
    for path in ("", *(f"{table}/" for table in ADMIN_TABLES), "annotation/blindlabel/1/change/", "password_change/"):
        assert client.get(f"/admin/{path}").status_code in (status, 302 if "password" in path else status), path
    assert "/accounts/login/" in Client().get("/admin/").headers["Location"]


def test_an_admin_who_is_labelling_has_no_admin_site(
    world: dict[str, Any], make_study: Callable, signed_in: Callable[..., Client]
) -> None:
    make_study(seats=[world["people"]["admin"]])
    answer = signed_in(world["people"]["admin"]).get("/admin/")
    assert answer.status_code == 403
    assert b"unfinished items" in answer.content


def test_no_row_can_be_added_changed_or_deleted_on_the_admin_site(
    world: dict[str, Any], signed_in: Callable[..., Client]
) -> None:
    from django.contrib import admin

    client = signed_in(world["people"]["admin"])
    for model in admin.site._registry:
        name = f"{model._meta.app_label}/{model._meta.model_name}"
        row = model._default_manager.first()
        assert client.get(f"/admin/{name}/").status_code == 200, name
        assert client.post(f"/admin/{name}/add/").status_code == 403, name
        if row is not None:
            assert client.get(f"/admin/{name}/{row.pk}/change/").status_code == 200, name
            assert client.post(f"/admin/{name}/{row.pk}/change/", {"result": "on"}).status_code == 403, name
            assert client.post(f"/admin/{name}/{row.pk}/delete/", {"post": "yes"}).status_code == 403, name
            assert (
                client.post(f"/admin/{name}/", {"action": "delete_selected", "_selected_action": row.pk}).status_code
                != 500
            )


def test_drafts_comments_and_password_hashes_are_not_on_the_admin_site(
    world: dict[str, Any], signed_in: Callable[..., Client]
) -> None:
    client = signed_in(world["people"]["admin"])
    for name in ("draft", "comment", "invitation"):
        assert client.get(f"/admin/annotation/{name}/").status_code == 404
    page = client.get(f"/admin/benchmark/account/{world['people']['author'].pk}/change/").content.decode()
    assert world["people"]["author"].password not in page
