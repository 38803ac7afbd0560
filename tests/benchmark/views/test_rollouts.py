"""Reading trajectories in the browser, without one."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmark.models import DiagnosisEdit, MechanismNote, Rollout
from tests.benchmark.records import call, record, silent_case

Imported = Callable[..., list[Rollout]]
SignedIn = Callable[..., Client]
HTMX = {"HX-Request": "true"}

PAGES = ["/rollouts/", "/rollouts/{pk}/", "/rollouts/{pk}/whole/observation-R1/", "/rollouts/{pk}/whole/answer/"]
WRITING = ["/rollouts/{pk}/steps/R1/diagnosis/", "/rollouts/{pk}/mechanism/"]


@pytest.mark.parametrize("path", [*PAGES, *WRITING])
def test_an_annotator_learns_nothing_of_any_rollout(imported: Imported, signed_in: SignedIn, path: str) -> None:
    pk = imported(silent_case())[0].pk
    assert signed_in("annotator").get(path.format(pk=pk)).status_code == 404
    assert Client().get(path.format(pk=pk)).status_code == 302


def test_an_author_reads_but_does_not_write(imported: Imported, signed_in: SignedIn) -> None:
    pk, client = imported(silent_case())[0].pk, signed_in("author")
    assert [client.get(path.format(pk=pk)).status_code for path in PAGES] == [200] * 4
    assert [client.get(path.format(pk=pk)).status_code for path in WRITING] == [403] * 2
    assert "diagnose" not in client.get(f"/rollouts/{pk}/").content.decode()


def test_a_part_asked_for_after_the_session_ended_sends_the_page_to_sign_in(imported: Imported) -> None:
    pk = imported(silent_case())[0].pk
    headers = {**HTMX, "HX-Current-URL": f"http://testserver/rollouts/{pk}/"}
    answer = Client().get(f"/rollouts/{pk}/whole/observation-R1/", headers=headers)
    assert answer.headers["HX-Redirect"] == f"/accounts/login/?next=/rollouts/{pk}/"
    assert answer.content == b""


def test_foreign_text_never_becomes_markup(imported: Imported, signed_in: SignedIn) -> None:
    evil = "</pre></details><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x00"
    steps = [call(evil, {evil: evil, "nested": [evil]}, evil, evil), {"kind": "message", "actor": "user", "text": evil}]
    rollout = imported(
        record(
            "evil",
            steps,
            task={"query": evil, "goal": evil, "inputs": {evil: evil}, "reference": []},
            final={"answer": evil, "result": {evil: evil}},
            model={"name": evil.strip("\x00"), "kind": "llm"},
        )
    )[0]
    client = signed_in("researcher")
    for path in (
        "/rollouts/",
        f"/rollouts/{rollout.pk}/",
        f"/rollouts/{rollout.pk}/whole/observation-R1/",
        f"/rollouts/{rollout.pk}/whole/arguments-R1/?view=tree",
        f"/rollouts/{rollout.pk}/whole/observation-R1/?q=script",
    ):
        body = client.get(path).content.decode()
        assert "alert(1)" in body
        assert "<script>alert" not in body
        assert "<img src=x" not in body
        assert "\u202e" not in body
        assert "\x00" not in body


def test_the_raw_value_comes_as_plain_text_exactly_as_the_agent_saw_it(imported: Imported, signed_in: SignedIn) -> None:
    pk = imported(
        record("raw", [call("A", {}, "<b>\x00中😀\n"), call("B", {}, {"n": [1, "中"]}), call("C", {}, "\ud800")])
    )[0].pk
    client = signed_in("researcher")
    answer = client.get(f"/rollouts/{pk}/whole/observation-R1/?view=raw")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.content.decode() == "<b>\x00中😀\n"
    assert client.get(f"/rollouts/{pk}/whole/observation-R2/?view=raw").content.decode() == '{"n":[1,"中"]}'
    assert client.get(f"/rollouts/{pk}/whole/observation-R3/?view=download").content.decode() == "\\ud800"


@pytest.mark.parametrize(
    "path",
    [
        "whole/observation-R9/",
        "whole/observation-P1/",
        "whole/extra-R1/",
        "whole/labels/",
        "whole/goal2/",
        "whole/observation-R1/?at=/nowhere",
        "whole/observation-R2/",
    ],
)
def test_what_is_not_there_is_not_found(imported: Imported, signed_in: SignedIn, path: str) -> None:
    silent = {"kind": "call", "actor": "agent", "tool": "B", "arguments": {}}
    pk = imported(record("r", [call("A", {}, {"a": 1}), silent]))[0].pk
    assert signed_in("researcher").get(f"/rollouts/{pk}/{path}").status_code == 404


def test_a_long_observation_opens_as_page_as_viewer_and_part_by_part(imported: Imported, signed_in: SignedIn) -> None:
    rows = [{"id": number} for number in range(120)]
    pk, client = imported(record("rows", [call("A", {}, {"rows": rows})]))[0].pk, signed_in("researcher")
    where = f"/rollouts/{pk}/whole/observation-R1/"
    assert f'hx-get="{where}"' in client.get(f"/rollouts/{pk}/").content.decode()
    assert "<html" in client.get(where).content.decode()
    viewer = client.get(where, headers=HTMX).content.decode()
    assert viewer.lstrip().startswith('<div class="viewer" id="viewer-observation-R1"')
    more = client.get(f"{where}?view=table&at=/rows&from=50", headers=HTMX).content.decode()
    assert more.startswith("<tr>")
    assert "100 of 120 rows" in more
    branch = client.get(f"{where}?view=tree&at=/rows/7", headers=HTMX).content.decode()
    assert branch.startswith("<li>")
    as_table = client.get(
        f"{where}?view=table&at=/rows", headers={**HTMX, "HX-Target": "viewer-observation-R1"}
    ).content.decode()
    assert 'id="viewer-observation-R1"' in as_table


def test_every_step_has_its_permalink_and_its_evidence_points_at_it(imported: Imported, signed_in: SignedIn) -> None:
    pk = imported(silent_case())[0].pk
    body = signed_in("researcher").get(f"/rollouts/{pk}/").content.decode()
    ids = re.findall(r'\bid="([^"]+)"', body)
    assert len(ids) == len(set(ids))
    assert {"P1", "R1", "R2", "R3", "answer"} <= set(ids)
    links = set(re.findall(r'href="#([PR]\d+)"', body))
    assert links <= set(ids)
    assert '<mark class="signal">' in body


def test_nothing_on_a_page_is_inline_script_or_style(imported: Imported, signed_in: SignedIn) -> None:
    pk, client = imported(silent_case())[0].pk, signed_in("researcher")
    for path in ("/overview/", "/rollouts/", f"/rollouts/{pk}/", f"/rollouts/{pk}/whole/observation-R1/", "/nowhere/"):
        body = client.get(path).content.decode()
        assert not re.search(r"<script(?![^>]*\bsrc=)", body)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", body)


def test_25_steps_of_a_megabyte_make_a_page_under_300_kilobytes(imported: Imported, signed_in: SignedIn) -> None:
    pk = imported(record("heavy", [call("A", {"n": n}, "x" * 1_000_000, "Look.") for n in range(25)]))[0].pk
    assert len(signed_in("researcher").get(f"/rollouts/{pk}/").content) < 300_000


def queries_of(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def test_the_list_is_light_and_costs_the_same_queries_for_200_rows_as_for_10(
    imported: Imported, signed_in: SignedIn
) -> None:
    client = signed_in("researcher")
    task = {"query": "Find the newest order of the customer and say " + "where it is " * 500, "reference": []}
    counts = []
    for many in (10, 190):
        imported(
            *(record(f"{many}-{n}", [call("A", {"n": n}, "b", "Hm.")], task=task) for n in range(many)),
            name=f"{many}.jsonl",
        )
        counts.append(queries_of(client, "/rollouts/"))
    assert counts[0] == counts[1] <= 10
    assert len(client.get("/rollouts/").content) < 60_000


def test_a_page_of_200_steps_costs_the_same_queries_as_one_of_10(imported: Imported, signed_in: SignedIn) -> None:
    client = signed_in("researcher")
    short, long = imported(*(record(f"of-{n}", [call("A", {"i": i}, {"i": i}) for i in range(n)]) for n in (10, 200)))
    assert queries_of(client, f"/rollouts/{short.pk}/") == queries_of(client, f"/rollouts/{long.pk}/") <= 11


def test_filters_stand_in_the_address_and_nonsense_filters_nothing(imported: Imported, signed_in: SignedIn) -> None:
    imported(silent_case(), record("plain", [call("A", {}, "b", "Fine.")]))
    client = signed_in("researcher")
    assert "Where is my order?" not in client.get("/rollouts/?noticed=yes").content.decode()
    body = client.get("/rollouts/?noticed=perhaps&model=999&batch=x&before=y").content.decode()
    assert "Where is my order?" in body
    assert body.count("field-error") == 3
    part = client.get("/rollouts/?noticed=yes", headers={**HTMX, "HX-Target": "rollouts"}).content.decode()
    assert "<html" not in part
    assert 'id="rollouts"' in part


def test_an_empty_list_says_what_to_do_next(signed_in: SignedIn, imported: Imported) -> None:
    client = signed_in("researcher")
    assert "No trajectories yet" in client.get("/rollouts/").content.decode()
    imported(silent_case())
    assert "No rollout passes these filters" in client.get("/rollouts/?noticed=no").content.decode()


def test_a_diagnosis_is_worded_anew_and_every_wording_is_kept(imported: Imported, signed_in: SignedIn) -> None:
    pk, client = imported(silent_case())[0].pk, signed_in("researcher")
    where = f"/rollouts/{pk}/steps/R1/diagnosis/"
    for said in ("First words.", "Second words.", "Second words."):
        answer = client.post(where, {"words": said}, follow=True)
        assert answer.redirect_chain[-1][0] == f"/rollouts/{pk}/#R1"
    assert [edit.text for edit in DiagnosisEdit.objects.order_by("pk")] == ["First words.", "Second words."]
    assert "Second words." in client.get(f"/rollouts/{pk}/").content.decode()
    part = client.post(where, {"words": ""}, headers=HTMX, follow=True).content.decode()
    assert part.lstrip().startswith('<div class="diagnosis"')
    assert "Uses the polluted value" in part


def test_a_note_too_long_keeps_what_was_typed(imported: Imported, signed_in: SignedIn) -> None:
    pk, client = imported(silent_case())[0].pk, signed_in("researcher")
    answer = client.post(f"/rollouts/{pk}/mechanism/", {"words": "y" * 4_001}, headers=HTMX)
    assert answer.status_code == 422
    assert "y" * 4_001 in answer.content.decode()
    assert not MechanismNote.objects.exists()


def test_the_failure_mechanism_is_written_and_taken_back(imported: Imported, signed_in: SignedIn) -> None:
    pk, client = imported(silent_case())[0].pk, signed_in("researcher")
    client.post(f"/rollouts/{pk}/mechanism/", {"words": "Kept the old value."})
    assert "Kept the old value." in client.get(f"/rollouts/{pk}/").content.decode()
    client.post(f"/rollouts/{pk}/mechanism/", {"words": ""})
    assert "Nobody has written one." in client.get(f"/rollouts/{pk}/").content.decode()
    assert [note.text for note in MechanismNote.objects.order_by("pk")] == ["Kept the old value.", ""]


def test_a_rollout_that_is_empty_of_everything_has_a_page(imported: Imported, signed_in: SignedIn) -> None:
    empty: dict[str, Any] = record("empty", [], task={"query": "", "reference": []}, final=None, end="budget")
    body = signed_in("researcher").get(f"/rollouts/{imported(empty)[0].pk}/").content.decode()
    assert "The record says no task." in body
    assert "stopped without an answer" in body
