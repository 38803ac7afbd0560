"""What researchers do on the pages of a study, and what newcomers do with an invitation."""

import csv
import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.actions.people import invite, take_seat
from annotation.core.strata import Stratum
from annotation.forms.wanted import evenly
from annotation.models import Assignment, BlindLabel, ConsentText, Draft, Guidelines, Invitation, Seat, Study
from benchmark.models import Account, ImportBatch

pytestmark = pytest.mark.django_db


@pytest.fixture
def typed(make_pool: Callable[..., ImportBatch]) -> dict[str, Any]:
    """A designer's form as a browser sends it: 12 of 24 rollouts, 3 annotators, 2 labels a rollout."""
    return {
        "do": "save",
        "name": "By hand",
        "imports": [make_pool().pk],
        "labels": ["result", "noticed"],
        "judge": "rule/1",
        "sampling": "margins",
        "condition": ["correct", "explicit", "implicit"],
        "condition_n": ["4", "4", "4"],
        "model": ["model-0", "model-1"],
        "model_n": ["", ""],
        "annotators": "3",
        "labels_per_item": "2",
        "seed": "20260817",
        "review": "per_item",
    }


@pytest.fixture
def researcher(make_account: Callable[..., Account], signed_in: Callable[..., Client]) -> Client:
    """A client of a researcher."""
    return signed_in(make_account("researcher", "maria"))


def test_a_saved_draft_has_seats_and_the_shipped_texts(researcher: Client, typed: dict[str, Any]) -> None:
    answer = researcher.post("/studies/new/", typed)
    study = Study.objects.get()
    assert answer.headers["Location"] == f"/studies/{study.pk}/design/"
    assert (study.status, study.seats.count(), study.owner.username) == ("draft", 3, "maria")
    assert "Work alone" in Guidelines.objects.get(study=study).text
    assert "Do not discuss cases" in Guidelines.objects.get(study=study).text
    assert "your choice" in ConsentText.objects.get(study=study).text


def test_looking_stores_nothing_and_shows_the_balance(researcher: Client, typed: dict[str, Any]) -> None:
    page = researcher.post("/studies/new/", {**typed, "do": "look"}).content.decode()
    assert not Study.objects.exists()
    assert "<b>12</b> rollouts, <b>24</b> labels" in page
    assert re.search(r"Each annotator labels</dt><dd>8<", page)


def test_a_change_of_numbers_is_answered_by_the_preview_alone(researcher: Client, typed: dict[str, Any]) -> None:
    headers = {"HX-Request": "true", "HX-Target": "study-preview"}
    page = researcher.post("/studies/new/", {**typed, "do": "look"}, headers=headers).content.decode()
    assert page.lstrip().startswith('<aside id="study-preview"')
    assert "<html" not in page


def test_the_preview_says_how_many_are_eligible_and_why_others_are_not(
    researcher: Client, typed: dict[str, Any], make_rollout: Callable
) -> None:
    make_rollout(excluded="an observation carried a ToolExecutionError")
    make_rollout(noticed=None)
    page = researcher.post("/studies/new/", {**typed, "do": "look"}).content.decode()
    assert "<b>24</b> of 26" in page
    assert "<b>1</b> excluded: a tool failed to run" in page
    assert "<b>1</b> Noticed could not be computed" in page


def test_mistakes_stand_at_their_fields_and_what_was_typed_stays(researcher: Client, typed: dict[str, Any]) -> None:
    answer = researcher.post("/studies/new/", {**typed, "labels_per_item": "5", "name": "Kept <i>name</i>"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "5 labels a rollout need 5 annotators, but there are only 3" in page
    assert "Kept &lt;i&gt;name&lt;/i&gt;" in page
    assert not Study.objects.exists()


def test_margins_that_cannot_be_met_are_said_before_anybody_is_invited(
    researcher: Client, typed: dict[str, Any]
) -> None:
    page = researcher.post("/studies/new/", {**typed, "do": "look", "condition_n": ["40", "4", "4"]}).content.decode()
    assert "Of condition correct 40 are wanted, but 8 eligible rollouts" in page


def test_a_total_is_spread_evenly_over_conditions_and_models(researcher: Client, typed: dict[str, Any]) -> None:
    blank = {"condition_n": ["", "", ""], "do": "evenly", "total": "10"}
    page = researcher.post("/studies/new/", {**typed, **blank}).content.decode()
    assert "Say how many rollouts are wanted" not in page
    numbers = re.findall(r'name="(condition_n|model_n)"[^>]* value="(\d*)"', page)
    assert numbers == [
        ("model_n", "5"),
        ("model_n", "5"),
        ("condition_n", "4"),
        ("condition_n", "3"),
        ("condition_n", "3"),
    ]
    assert "<b>10</b> rollouts" in page


def test_an_even_spread_asks_for_no_more_than_is_eligible() -> None:
    held = {Stratum("a", "correct"): 2, Stratum("a", "explicit"): 7, Stratum("a", "implicit"): 5}
    assert evenly(9, held).condition == {"correct": "2", "explicit": "4", "implicit": "3"}
    assert evenly(100, held).condition == {"correct": "2", "explicit": "7", "implicit": "5"}


def test_cells_may_be_given_one_by_one(researcher: Client, typed: dict[str, Any]) -> None:
    cells = {"sampling": "cells", "cell_n": ["2", "", "3", "0", "4", ""]}
    researcher.post("/studies/new/", {**typed, **cells})
    assert Study.objects.get().design["cells"] == [
        {"model": "model-0", "condition": "correct", "n": 2},
        {"model": "model-0", "condition": "implicit", "n": 3},
        {"model": "model-1", "condition": "explicit", "n": 4},
    ]


def test_a_draft_is_changed_and_a_started_study_is_not(
    researcher: Client, typed: dict[str, Any], make_started: Callable[..., Study]
) -> None:
    researcher.post("/studies/new/", typed)
    draft = Study.objects.get()
    researcher.post(f"/studies/{draft.pk}/design/", {**typed, "name": "Renamed", "annotators": "5"})
    draft.refresh_from_db()
    assert (draft.name, draft.seats.count()) == ("Renamed", 5)
    researcher.post(f"/studies/{draft.pk}/start/")
    researcher.post(f"/studies/{draft.pk}/design/", {**typed, "name": "Too late"})
    draft.refresh_from_db()
    assert (draft.name, draft.status, draft.items.count()) == ("Renamed", "running", 12)


def test_a_refused_start_says_why_on_the_design_page(researcher: Client, typed: dict[str, Any]) -> None:
    researcher.post("/studies/new/", {**typed, "condition_n": ["40", "4", "4"]})
    study = Study.objects.get()
    answer = researcher.post(f"/studies/{study.pk}/start/")
    assert answer.status_code == 422
    assert "40 are wanted, but 8" in answer.content.decode()
    study.refresh_from_db()
    assert study.status == "draft"


def test_a_study_file_becomes_a_draft_with_its_guidelines(researcher: Client, make_pool: Callable) -> None:
    words = (
        f"name: 文件\nrollouts: {{imports: [{make_pool().pk}]}}\njudge: rule/1\n"
        "margins: {condition: {correct: 4}}\nannotators: 3\nlabels_per_item: 3\nguidelines: g.md\n"
    )
    file = SimpleUploadedFile("study.yaml", words.encode())
    refused = researcher.post("/studies/from-file/", {"file": file})
    assert "names g.md" in refused.content.decode()
    file.seek(0)
    both = {"file": file, "guidelines": SimpleUploadedFile("g.md", "只看证据。".encode())}
    researcher.post("/studies/from-file/", both)
    study = Study.objects.get()
    assert (study.name, Guidelines.objects.get(study=study).text) == ("文件", "只看证据。\n")


def test_a_downloaded_study_file_makes_the_same_study_again(researcher: Client, typed: dict[str, Any]) -> None:
    researcher.post("/studies/new/", typed)
    study = Study.objects.get()
    content = b"".join(researcher.get(f"/studies/{study.pk}/files/study.yaml").streaming_content)
    researcher.post("/studies/from-file/", {"file": SimpleUploadedFile("again.yaml", content)})
    assert Study.objects.exclude(pk=study.pk).get().design == study.design


def test_a_new_version_of_a_text_is_kept_beside_the_old_and_shown_as_safe_html(
    researcher: Client, make_draft: Callable[..., Study]
) -> None:
    study = make_draft()
    path = f"/studies/{study.pk}/texts/guidelines/"
    said = {"do": "save", "text": "# 规则\n<script>x</script> *stay* calm", "lang": "zh-Hans", "dir": "ltr"}
    researcher.post(path, said)
    researcher.post(path, said)
    assert list(Guidelines.objects.filter(study=study).values_list("version", "lang")) == [(1, "en"), (2, "zh-Hans")]
    page = researcher.get(path).content.decode()
    assert '<article class="prose" lang="zh-Hans" dir="ltr"><h1>规则</h1>' in page
    assert "<script>x" not in page
    assert "Work alone." in researcher.get(f"{path}?version=1").content.decode()


def test_closing_asks_first_and_names_the_study(researcher: Client, make_started: Callable[..., Study]) -> None:
    study = make_started()
    page = researcher.get(f"/studies/{study.pk}/move/close/").content.decode()
    assert "Close “A designed study”?" in page
    study.refresh_from_db()
    assert study.status == "running"
    researcher.post(f"/studies/{study.pk}/move/close/")
    study.refresh_from_db()
    assert study.status == "closed"
    assert study.closed_at


def test_pause_resume_close_reopen_archive_and_back(researcher: Client, make_started: Callable[..., Study]) -> None:
    study = make_started()
    place = Assignment.objects.first()
    Draft.objects.create(assignment=place, result=True)
    seen = []
    for verb in ("pause", "resume", "close", "reopen", "close"):
        researcher.post(f"/studies/{study.pk}/move/{verb}/")
        study.refresh_from_db()
        seen.append(study.status)
    assert seen == ["paused", "running", "closed", "running", "closed"]
    assert Draft.objects.exists()
    archived = researcher.post(f"/studies/{study.pk}/move/archive/", follow=True).content.decode()
    assert "Take out of the archive" in archived
    assert study.name not in researcher.get("/studies/").content.decode()
    assert study.name in researcher.get("/studies/?archived=1").content.decode()
    assert not Draft.objects.exists()
    researcher.post(f"/studies/{study.pk}/move/unarchive/")
    assert study.name in researcher.get("/studies/").content.decode()
    verbs = list(study.events.values_list("verb", flat=True))
    assert verbs[-7:] == ["paused", "resumed", "closed", "reopened", "closed", "archived", "unarchived"]


def test_a_running_study_is_not_archived(researcher: Client, make_started: Callable[..., Study]) -> None:
    study = make_started()
    page = researcher.post(f"/studies/{study.pk}/move/archive/", follow=True).content.decode()
    assert "Close it before you archive it" in page
    study.refresh_from_db()
    assert not study.archived


@pytest.fixture
def owned(make_started: Callable[..., Study], researcher: Client) -> Study:
    """A started study of the researcher `maria`."""
    return make_started(owner=Account.objects.get(username="maria"))


def test_invitation_links_are_shown_once_and_each_gives_its_seat(researcher: Client, owned: Study) -> None:
    page = researcher.post(f"/studies/{owned.pk}/people/invite/", {"seat": ["1", "3"]})
    links = re.findall(r"http://testserver(/invite/[^\"]+)", page.content.decode())
    assert len(links) == 2
    assert "no-store" in page.headers["Cache-Control"]
    assert "/invite/" not in re.sub(
        "people/invite/", "", researcher.get(f"/studies/{owned.pk}/people/").content.decode()
    )
    newcomer = Client()
    assert "A3" in newcomer.get(links[1]).content.decode()
    said = {"username": "neu", "name": "", "password1": "ein langes Wort", "password2": "ein langes Wort"}
    answer = newcomer.post(links[1], said)
    assert answer.headers["Location"] == "/queue/"
    assert owned.seats.get(number=3).account.username == "neu"
    assert newcomer.get("/queue/").status_code == 200
    assert Client().get(links[1]).status_code == 410


def test_links_come_as_csv_too(researcher: Client, owned: Study) -> None:
    answer = researcher.post(f"/studies/{owned.pk}/people/invite/", {"seat": ["1", "2"], "as": "csv"})
    rows = list(csv.reader(io.StringIO(answer.content.decode())))
    assert [row[:2] for row in rows] == [["study", "seat"], ["A designed study", "A1"], ["A designed study", "A2"]]
    assert "no-store" in answer.headers["Cache-Control"]


def test_opening_a_link_uses_nothing_up_and_a_taken_name_is_said(owned: Study, make_account: Callable) -> None:
    link = f"/invite/{invite(study=owned, seats=[1], who=owned.owner)[0].secret}/"
    make_account(username="taken")
    for _ in range(3):
        Client().get(link)
    said = {"username": "Taken", "name": "", "password1": "ein langes Wort", "password2": "ein langes Wort"}
    answer = Client().post(link, said)
    assert answer.status_code == 422
    assert Invitation.objects.usable().count() == 1


def test_who_is_signed_in_takes_the_seat_with_one_press(owned: Study, signed_in: Callable[..., Client]) -> None:
    link = f"/invite/{invite(study=owned, seats=[2], who=owned.owner)[0].secret}/"
    client = signed_in("author")
    page = client.get(link).content.decode()
    assert "annotator’s rights and no others" in page
    client.post(link)
    assert owned.seats.get(number=2).account.role == "author"
    answer = client.get("/rollouts/")
    assert answer.status_code == 403
    assert "unfinished items" in answer.content.decode()


def test_who_sits_there_already_keeps_the_invitation_unused(
    owned: Study, signed_in: Callable, make_account: Callable
) -> None:
    person = make_account()
    take_seat(secret=invite(study=owned, seats=[1], who=owned.owner)[0].secret, account=person)
    other = invite(study=owned, seats=[2], who=owned.owner)[0].secret
    page = signed_in(person).post(f"/invite/{other}/", follow=True).content.decode()
    assert "have a seat in the study" in page
    assert Invitation.objects.usable().count() == 1


def test_names_stand_on_the_people_page_only(researcher: Client, owned: Study, make_account: Callable) -> None:
    person = make_account(username="li-na", name="李娜 the Great")
    Seat.objects.filter(study=owned, number=1).update(account=person)
    assert "李娜 the Great" in researcher.get(f"/studies/{owned.pk}/people/").content.decode()
    for page in ("", "items/", "audit/", "agreement/", "design/", "files/", "texts/consent/"):
        shown = researcher.get(f"/studies/{owned.pk}/{page}").content.decode()
        assert "李娜" not in shown, page
        assert "li-na" not in shown, page


def test_a_person_leaves_by_their_own_wish_and_may_discard_what_they_said(
    owned: Study, make_account: Callable, signed_in: Callable[..., Client]
) -> None:
    person = make_account()
    seat = owned.seats.get(number=1)
    Seat.objects.filter(pk=seat.pk).update(account=person)
    place = seat.assignments.first()
    BlindLabel.objects.create(assignment=place, result=True, noticed=True, first_shown=place.dealt_at)
    client = signed_in(person)
    assert "Leave “A designed study”?" in client.get(f"/leave/{seat.pk}/").content.decode()
    client.post(f"/leave/{seat.pk}/", {"discard": "on"})
    seat.refresh_from_db()
    assert seat.left_at
    assert place.blind_label.void.who == person
    assert not Assignment.objects.held().unlabelled().filter(seat=seat).exists()
    assert client.post(f"/leave/{seat.pk}/").status_code == 404


def test_a_void_asks_for_a_reason_and_deals_the_place_again(
    researcher: Client, owned: Study, label_all: Callable
) -> None:
    label = label_all(owned)[0]
    path = f"/studies/{owned.pk}/items/{label.assignment.public_id}/void/"
    assert "label of item" in researcher.get(path).content.decode()
    assert researcher.post(path, {"reason": " "}).status_code == 422
    assert not hasattr(BlindLabel.objects.get(pk=label.pk), "void")
    page = researcher.post(path, {"reason": "the phone rang", "again": "on"}, follow=True).content.decode()
    assert "is void. Dealt again: 1 to A" in page
    assert BlindLabel.objects.get(pk=label.pk).void.reason == "the phone rang"


def test_an_open_place_has_no_label_to_make_void(researcher: Client, owned: Study) -> None:
    place = Assignment.objects.filter(item__study=owned).first()
    assert researcher.get(f"/studies/{owned.pk}/items/{place.public_id}/void/").status_code == 404


def test_erasing_asks_first_and_names_the_person(researcher: Client, owned: Study, make_account: Callable) -> None:
    person = make_account(username="li-na", name="Li Na")
    Seat.objects.filter(study=owned, number=1).update(account=person)
    path = f"/studies/{owned.pk}/people/1/erase/"
    assert "Erase Li Na (li-na)?" in researcher.get(path).content.decode()
    person.refresh_from_db()
    assert person.erased_at is None
    researcher.post(path)
    person.refresh_from_db()
    assert person.erased_at
    assert "left, erased" in researcher.get(f"/studies/{owned.pk}/people/").content.decode()


def test_progress_asks_for_itself_and_stops_when_the_study_is_closed(researcher: Client, owned: Study) -> None:
    headers = {"HX-Request": "true", "HX-Target": "study-progress"}
    part = researcher.get(f"/studies/{owned.pk}/", headers=headers)
    assert part.content.decode().lstrip().startswith('<div id="study-progress"')
    assert 'hx-trigger="every 30s"' in part.content.decode()
    Study.objects.update(status="closed")
    assert researcher.get(f"/studies/{owned.pk}/", headers=headers).status_code == 286


def test_agreement_waits_for_the_first_label(researcher: Client, owned: Study) -> None:
    assert "No label stands yet" in researcher.get(f"/studies/{owned.pk}/agreement/").content.decode()


def test_agreement_reads_the_prevalence_in_words_and_lists_what_to_read(
    researcher: Client, owned: Study, label_all: Callable
) -> None:
    label_all(owned, result=lambda place: place.item.pk % 6 > 0)
    page = researcher.get(f"/studies/{owned.pk}/agreement/").content.decode()
    assert "Cohen&#x27;s κ" in page
    assert page.count('<span class="tag error">contradicts</span>') == 10
    assert "forbidden" not in page
    item = owned.items.filter(auto_result=False).first()
    assert f"/rollouts/{item.rollout_id}/" in page


@pytest.mark.parametrize(("format", "starts"), [("csv", "label,"), ("json", "{"), ("tex", "%")])
def test_agreement_comes_as_files(
    format: str, starts: str, researcher: Client, owned: Study, label_all: Callable
) -> None:
    label_all(owned)
    answer = researcher.get(f"/studies/{owned.pk}/agreement/{format}/")
    assert answer.content.decode().startswith(starts)
    assert f"a-designed-study-{owned.pk}-agreement.{format}" in answer.headers["Content-Disposition"]


def test_hostile_names_are_escaped_and_their_unseen_characters_shown(researcher: Client, typed: dict[str, Any]) -> None:
    researcher.post("/studies/new/", {**typed, "name": "<script>alert(1)</script> \u202eevil 😀 中"})
    page = researcher.get(f"/studies/{Study.objects.get().pk}/design/").content.decode()
    assert "<script>alert" not in page
    assert "⟨U+202E⟩evil 😀 中</h1>" in page
