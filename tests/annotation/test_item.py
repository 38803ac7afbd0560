"""One item: what each request answers to its annotator, and that it answers nothing to anybody else."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.actions import labelling
from annotation.models import Assignment, BlindLabel, Comment, Draft, LabelVoid, Review, Seat, Study
from benchmark.core import text
from benchmark.models import Account, Step

pytestmark = pytest.mark.django_db

BOTH = {"result": "yes", "noticed": "no"}
STAGE = {"HX-Request": "true", "HX-Target": "stage"}
ITEM = {"HX-Request": "true", "HX-Target": "item"}
AHEAD = {**ITEM, "X-Prefetch": "1"}


@pytest.fixture
def place(make_study: Callable[..., Study]) -> Assignment:
    """The first of two places of one annotator."""
    return Assignment.objects.filter(item__study=make_study()).first()


@pytest.fixture
def client(place: Assignment, signed_in: Callable[..., Client]) -> Client:
    """The annotator, signed in."""
    return signed_in(place.seat.account)


@pytest.fixture
def url(place: Assignment) -> str:
    """The address of the item."""
    return f"/queue/{place.public_id}/"


def test_a_submit_leads_back_to_the_item_with_its_review_open(client: Client, url: str) -> None:
    assert client.post(f"{url}submit/", BOTH).url == url
    page = client.get(url).content.decode()
    assert "Automatic: <b>no</b>" in page
    assert "The answer is wrong." in page
    assert 'href="#R3"' in page


def test_the_same_submit_again_is_a_success_and_another_one_is_told_what_is_locked(client: Client, url: str) -> None:
    for _ in range(2):
        assert client.post(f"{url}submit/", BOTH).status_code == 302
    answer = client.post(f"{url}submit/", {"result": "no", "noticed": "no"}, headers=STAGE)
    assert answer.status_code == 409
    row = re.sub(r"<[^>]+>|\s+", " ", answer.content.decode())
    assert re.search(r"Result\s+yes\s+no\s+Noticed\s+no\s+no", row)
    assert BlindLabel.objects.get().result is True


def test_an_incomplete_submit_is_answered_with_what_was_typed(client: Client, url: str) -> None:
    answer = client.post(f"{url}submit/", {"result": "no", "noticed_evidence": "R77"}, headers=STAGE)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "There is no step R77 here." in page
    assert re.search(r'name="result" value="no"[^>]* checked', page)
    assert 'value="R77"' in page


def test_a_fragment_holds_the_panel_alone_and_never_the_trajectory(client: Client, url: str) -> None:
    panel = client.get(url, headers=STAGE).content.decode()
    assert panel.startswith('<section id="stage"')
    assert "Thought 1." not in panel
    item = client.get(url, headers=ITEM).content.decode()
    assert 'id="item"' in item
    assert "<html" not in item


def test_fetching_ahead_is_not_showing(client: Client, place: Assignment, url: str) -> None:
    assert client.get(url, headers=AHEAD).status_code == 200
    place.refresh_from_db()
    assert place.first_shown is None
    assert client.post(f"{url}shown/").status_code == 204
    place.refresh_from_db()
    assert place.first_shown is not None


def test_a_review_cannot_be_fetched_ahead(client: Client, place: Assignment, url: str) -> None:
    client.post(f"{url}submit/", BOTH)
    answer = client.get(url, headers=AHEAD)
    assert (answer.status_code, answer.content) == (204, b"")
    place.refresh_from_db()
    assert place.review_opened_at is None


def test_active_seconds_are_kept_with_the_label(client: Client, place: Assignment, url: str) -> None:
    Assignment.objects.update(first_shown=timezone.now() - timedelta(seconds=200))
    client.post(f"{url}shown/", {"seconds": "90.5"})
    client.post(f"{url}draft/", {"seconds": "70"})
    client.post(f"{url}submit/", {**BOTH, "seconds": "101.5"})
    assert BlindLabel.objects.get().active_seconds == 101.5


@pytest.mark.parametrize("seconds", ["", "NaN", "-3", "soon"])
def test_a_broken_clock_never_stands_in_the_way_of_a_label(client: Client, url: str, seconds: str) -> None:
    assert client.post(f"{url}submit/", {**BOTH, "seconds": seconds, "version": seconds}).status_code == 302
    assert BlindLabel.objects.get().active_seconds == 0


def test_a_draft_comes_back_with_the_page(client: Client, url: str) -> None:
    answer = client.post(f"{url}draft/", {"noticed": "yes", "noticed_evidence": "r1 P2", "version": "0"}, headers=STAGE)
    assert "draft saved" in answer.content.decode()
    page = client.get(url).content.decode()
    assert re.search(r'name="noticed" value="yes"[^>]* checked', page)
    assert 'name="noticed_evidence" value="P2, R1"' in page
    assert 'name="version" value="1"' in page


def test_a_stale_tab_is_told_what_the_other_one_saved(client: Client, url: str) -> None:
    client.post(f"{url}draft/", {"result": "yes", "version": "0"})
    answer = client.post(f"{url}draft/", {"result": "no", "version": "0"})
    assert answer.status_code == 409
    assert "another tab saved Result yes, Noticed open" in answer.content.decode()
    assert 'data-version="1"' in answer.content.decode()
    assert Draft.objects.get().result is True


@pytest.mark.parametrize(("status", "words"), [("paused", "This study is paused."), ("closed", "This study is closed")])
def test_a_study_that_stands_still_refuses_in_a_sentence_and_keeps_what_was_typed(
    client: Client, url: str, status: str, words: str
) -> None:
    Study.objects.update(status=status)
    answer = client.post(f"{url}submit/", BOTH, headers=STAGE)
    assert answer.status_code == 409
    assert words in answer.content.decode()
    assert re.search(r'name="result" value="yes"[^>]* checked', answer.content.decode())
    assert words in client.get(url).content.decode()


def test_after_the_session_expired_a_fragment_offers_the_sign_in(url: str) -> None:
    answer = Client().post(f"{url}draft/", BOTH, headers={**STAGE, "HX-Current-URL": f"http://testserver{url}"})
    assert answer.status_code == 401
    assert f"/accounts/login/?next={url}" in answer.content.decode()
    assert Client().get(url).url == f"/accounts/login/?next={url}"


def test_a_review_needs_an_answer_to_each_label_and_keeps_the_comment(client: Client, url: str) -> None:
    client.post(f"{url}submit/", BOTH)
    client.get(url)
    answer = client.post(f"{url}review/", {"result": "agree", "comment": "Look at R2."}, headers=STAGE)
    assert answer.status_code == 422
    assert "Choose agree, disagree or unsure" in answer.content.decode()
    assert "Look at R2." in answer.content.decode()
    assert not Review.objects.exists()
    assert client.post(f"{url}review/", {"result": "agree", "noticed": "unsure", "comment": "Look at R2."}).url == url
    assert Comment.objects.get().text == "Look at R2."


def test_a_review_from_a_stale_tab_is_answered_with_both(client: Client, url: str) -> None:
    client.post(f"{url}submit/", BOTH)
    client.get(url)
    client.post(f"{url}review/", {"result": "agree", "noticed": "agree", "version": "0"})
    late = {"result": "disagree", "noticed": "agree", "comment": "mine", "version": "0"}
    answer = client.post(f"{url}review/", late, headers=STAGE)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "Another tab saved another review" in page
    assert "mine" in page
    client.post(f"{url}review/", {**late, "version": "1"})
    assert [review.result for review in Review.objects.all()] == ["agree", "disagree"]


def test_before_its_time_a_review_is_neither_shown_nor_taken(client: Client, place: Assignment, url: str) -> None:
    Study.objects.update(review=Study.ReviewMode.AT_END)
    client.post(f"{url}submit/", BOTH)
    page = client.get(url).content.decode()
    assert "Its review comes later" in page
    assert "The answer is wrong." not in page
    assert client.post(f"{url}review/", {"result": "agree", "noticed": "agree"}).status_code == 409
    assert not Review.objects.exists()
    place.refresh_from_db()
    assert place.review_opened_at is None


def test_a_label_set_aside_shows_no_review(client: Client, place: Assignment, url: str) -> None:
    client.post(f"{url}submit/", BOTH)
    LabelVoid.objects.create(label=BlindLabel.objects.get(), reason="secret reason", who=place.item.study.owner)
    page = client.get(url).content.decode()
    assert "set this label aside" in page
    assert "secret reason" not in page
    assert "The answer is wrong." not in page


def test_a_study_of_one_question_asks_reveals_and_reviews_that_one(client: Client, url: str) -> None:
    Study.objects.update(asks_noticed=False)
    page = client.get(url).content.decode()
    assert 'name="noticed"' not in page
    client.post(f"{url}submit/", {"result": "yes", "noticed": "yes"})
    label = BlindLabel.objects.get()
    assert (label.result, label.noticed) == (True, None)
    page = client.get(url).content.decode()
    assert "The answer is wrong." in page
    assert "Signals an anomaly" not in page
    client.post(f"{url}review/", {"result": "agree"})
    assert (Review.objects.get().result, Review.objects.get().noticed) == ("agree", "")


def unreachable(place: Assignment, how: str) -> str:
    """Make a place unreachable in one of the ways, and give the public id to ask for."""
    if how == "another's":
        seat = Seat.objects.create(study=place.item.study, number=2, account=place.item.study.owner)
        return Assignment.objects.create(item=place.item, seat=seat, order=0).public_id
    if how == "taken away":
        Assignment.objects.filter(pk=place.pk).update(released_at=timezone.now())
    elif how == "left":
        Seat.objects.update(left_at=timezone.now())
    elif how == "not started":
        Study.objects.update(status=Study.Status.DRAFT)
    elif how == "archived":
        Study.objects.update(archived=True)
    return "nosuchplace" if how == "unknown" else place.public_id


@pytest.mark.parametrize("how", ["unknown", "another's", "taken away", "left", "not started", "archived"])
def test_whatever_is_not_theirs_is_not_found_and_answers_alike(client: Client, place: Assignment, how: str) -> None:
    public_id = unreachable(place, how)
    seen = set()
    for path in ("", "consent/", "guidelines/", "whole/observation-R1/"):
        for headers in ({}, STAGE):
            answer = client.get(f"/queue/{public_id}/{path}", headers=headers)
            seen.add((answer.status_code, answer.content, answer.headers["Cache-Control"]))
    for path in ("shown/", "draft/", "submit/", "review/"):
        answer = client.post(f"/queue/{public_id}/{path}", BOTH)
        seen.add((answer.status_code, answer.content, answer.headers["Cache-Control"]))
    seen = {(status, re.sub(rb'value="\w{64}"', b"", body), cache) for status, body, cache in seen}
    nowhere = client.get("/queue/nowhere-at-all/")
    assert seen == {(404, re.sub(rb'value="\w{64}"', b"", nowhere.content), "no-store")}
    assert not BlindLabel.objects.exists()


def test_no_answer_below_the_queue_may_be_kept_by_a_cache(client: Client, url: str) -> None:
    for path in ("/queue/", "/queue/next/", url, f"{url}guidelines/", f"{url}whole/observation-R1/"):
        answer = client.get(path)
        assert answer.headers["Cache-Control"] == "no-store", path
        assert not {"ETag", "Last-Modified", "Age"} & set(answer.headers), path


def test_a_blind_page_is_made_of_plain_values(client: Client, url: str) -> None:
    answer = client.get(url)
    rows = [
        value for layer in answer.context for scope in layer for value in scope.values() if isinstance(value, Model)
    ]
    assert all(isinstance(row, Account) for row in rows)


def test_a_blind_page_never_reads_what_it_must_not_show(client: Client, url: str) -> None:
    hidden = [
        *("auto_result", "auto_noticed", "rationale", "automatic", "labels", "reading", "judgment", "locator"),
        *('rollout"."condition', 'rollout"."noticed', 'rollout"."model', 'item"."model', 'item"."condition'),
    ]
    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    read = " ".join(query["sql"].split(" FROM ")[0] for query in queries)
    assert [name for name in hidden if name in read] == []


def test_only_what_the_tool_itself_recorded_is_tagged_as_an_error(client: Client, place: Assignment, url: str) -> None:
    steps = Step.objects.filter(rollout=place.item.rollout)
    steps.filter(index=2).update(error_rule="envelope", error_type="ToolError", error_message="out of reach")
    steps.filter(index=3).update(error_rule="E3", error_type="status", error_message="guessed from the text")
    page = client.get(url).content.decode()
    assert page.count("✕ error") == 1
    assert "guessed from the text" not in page


def test_a_long_observation_is_fetched_in_pieces(client: Client, place: Assignment, url: str) -> None:
    long = "".join(f"line {number}\n" for number in range(100_000))
    Step.objects.filter(rollout=place.item.rollout, index=2).update(
        observation=text.write(long), head=long[:1000], characters=len(long)
    )
    page = client.get(url).content.decode()
    assert len(page) < 60_000
    assert f'hx-get="{url}whole/observation-R1/"' in page
    viewer = client.get(f"{url}whole/observation-R1/", headers={"HX-Request": "true"}).content.decode()
    assert "line 1999\n" in viewer
    assert len(viewer) < 30_000
    further = re.search(r'hx-get="([^"]+from=20000)"', viewer)[1].replace("&amp;", "&")
    piece = client.get(further, headers={"HX-Request": "true"}).content.decode()
    assert piece.startswith("<pre")
    assert "line 3000\n" in piece
    assert "line 1000\n" not in piece
    raw = client.get(f"{url}whole/observation-R1/?view=raw")
    assert raw.content.decode() == long
    assert raw.headers["Content-Disposition"] == 'inline; filename="observation-R1.txt"'
    for part in ("observation-R99/", "observation-X1/", "labels/", "reference-9/", "observation-R1/?at=/0"):
        assert client.get(f"{url}whole/{part}").status_code == 404


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("task", "What did user"),
        ("answer", "The user read about sports last."),
        ("reference-1", "sports"),
        ("arguments-R2", "u_1"),
        ("thought-P1", "Thought 0."),
    ],
)
def test_every_long_text_of_the_case_can_be_opened_whole(client: Client, url: str, part: str, words: str) -> None:
    assert words in client.get(f"{url}whole/{part}/").content.decode()


def test_hostile_text_comes_out_as_text(
    make_study: Callable[..., Study], make_rollout: Callable[..., Any], signed_in: Callable[..., Client]
) -> None:
    hostile = "<script>alert(1)</script> \u202e\x00 中文 👩‍👩‍👧"
    rollout = make_rollout(task=hostile, final_answer=hostile, goal=hostile)
    place = Assignment.objects.filter(item__study=make_study(rollouts=[rollout])).first()
    page = signed_in(place.seat.account).get(f"/queue/{place.public_id}/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; ⟨U+202E⟩␀ 中文 👩‍👩‍👧" in page


LOOP: dict[str, tuple[Callable[[Client, str], Any], int]] = {
    "item": (lambda client, url: client.get(url), 9),
    "stage": (lambda client, url: client.get(url, headers=STAGE), 6),
    "ahead": (lambda client, url: client.get(url, headers=AHEAD), 9),
    "submit": (lambda client, url: client.post(f"{url}submit/", BOTH), 12),
    "draft": (lambda client, url: client.post(f"{url}draft/", BOTH), 11),
    "next": (lambda client, url: client.get("/queue/next/"), 4),
}


@pytest.mark.parametrize("what", LOOP)
def test_no_request_of_the_labelling_loop_asks_more_of_the_database_for_200_items_than_for_10(
    make_study: Callable[..., Study], signed_in: Callable[..., Client], make_account: Callable[..., Account], what: str
) -> None:
    ask, most = LOOP[what]
    counts = []
    for size in (10, 200):
        person = make_account()
        places = Assignment.objects.filter(item__study=make_study(rollouts=size, seats=[person]))
        for place in places[: size // 2]:
            labelling.submit_blind(assignment=place, result=True, noticed=True, evidence={})
        client, url = signed_in(person), f"/queue/{places[size // 2].public_id}/"
        client.get(url)
        with CaptureQueriesContext(connection) as queries:
            assert ask(client, url).status_code in (200, 302)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= most
