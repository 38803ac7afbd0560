"""What researchers' programs read: whole, exact, page by page, and with as many queries for 200 rows as for 10."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmark.core import text
from benchmark.models import AgentModel, ImportBatch, Judgment, Rollout, Step, Unit
from tests.api_clients import Caller, body_of

pytestmark = pytest.mark.django_db

UGLY = '{"price":54.10,"big":12345678901234567890,"名":"灯 💡","nul":"\\u0000","half":"\\ud800","e":1e5}'


@pytest.fixture
def caller(calling: Callable[..., Caller]) -> Caller:
    """An author's program: reading is all it may do."""
    return calling("author")


def call(observation: str | None, **columns: Any) -> dict[str, Any]:
    """Columns of a call with an observation given as JSON source text."""
    seen = "" if observation is None else text.plain(text.parse(observation))
    return {
        "kind": "call",
        "actor": "agent",
        "tool": "Read",
        "observation": observation,
        "head": seen[:1000],
        "characters": len(seen),
        **columns,
    }


def all_pages(caller: Caller, path: str, **query: Any) -> list[dict[str, Any]]:
    """Every row of a list, by following `next`."""
    rows: list[dict[str, Any]] = []
    page = caller.get(path, data=query).json()
    while True:
        rows += page["results"]
        if page["next"] is None:
            return rows
        page = caller.client.get(page["next"]).json()


def queries_of(caller: Caller, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        response = caller.get(path)
    assert response.status_code == 200
    return len(queries)


def test_every_rollout_is_on_one_page_and_on_one_only(caller: Caller, make_rollout: Callable[..., Rollout]) -> None:
    made = [make_rollout().pk for _ in range(7)]
    assert [row["id"] for row in all_pages(caller, "rollouts", limit=3)] == made[::-1]


def test_a_row_that_arrives_meanwhile_shifts_no_page(caller: Caller, make_rollout: Callable[..., Rollout]) -> None:
    made = [make_rollout().pk for _ in range(4)]
    first = caller.get("rollouts", data={"limit": 2}).json()
    make_rollout()
    second = caller.client.get(first["next"]).json()
    assert [row["id"] for row in second["results"]] == [made[1], made[0]]
    back = caller.client.get(second["previous"]).json()
    assert [row["id"] for row in back["results"]] == [made[3], made[2]]


def test_rollouts_are_narrowed_down_as_on_their_page(caller: Caller, make_rollout: Callable[..., Rollout]) -> None:
    other = AgentModel.objects.create(name="other")
    wanted = make_rollout(model=other, condition="explicit", noticed=True)
    make_rollout(condition="correct", noticed=None)
    for query in ({"model": other.pk}, {"condition": "explicit"}, {"noticed": "yes"}):
        assert [row["id"] for row in all_pages(caller, "rollouts", **query)] == [wanted.pk]
    assert len(all_pages(caller, "rollouts", judge="rule/1", result="unsolved")) == 2


def test_a_file_still_being_imported_is_in_no_answer(caller: Caller, make_rollout: Callable[..., Rollout]) -> None:
    rollout = make_rollout(status=Rollout.Status.RUNNING)
    assert all_pages(caller, "rollouts") == []
    for path in ("", "/steps", "/steps/0/observation", "/judgments"):
        assert caller.get(f"rollouts/{rollout.pk}{path}").status_code == 404


def test_a_rollout_tells_its_labels_model_and_unit(caller: Caller, make_rollout: Callable[..., Rollout]) -> None:
    unit = Unit.objects.create(name="u1", digest="0" * 64, record="{}", leaf="numeric_bucket_shift")
    rollout = make_rollout(unit=unit, labels='{"noticed":false}', inputs=UGLY, final_result='{"n":54.10}')
    Judgment.objects.create(rollout=rollout, judge="rule/1", label="judge_error")
    found = caller.get(f"rollouts/{rollout.pk}")
    body = found.json()
    assert (body["model"], body["model_kind"], body["unit"]["leaf"]) == ("some-model", "llm", "numeric_bucket_shift")
    assert body["results"] == {"rule/1": "unsolved"}
    assert (body["task"], body["noticed"], body["labels"]) == ("What did user 1 read last?", False, {"noticed": False})
    assert b'"final_result":{"n":54.10}' in found.content
    assert UGLY.encode() in found.content


def test_steps_come_without_their_bodies_and_say_where_those_are(
    caller: Caller, make_rollout: Callable[..., Rollout]
) -> None:
    long = text.write("x" * 100_000)
    failed = call(None, error_type="Timeout", error_message="no answer", error_rule="E1", arguments='{"n":1.50}')
    rollout = make_rollout(prefix_count=1, step_count=2, steps=[call(long), failed, call(UGLY)])
    response = caller.get(f"rollouts/{rollout.pk}/steps")
    first, second, third = response.json()["results"]
    assert len(response.content) < 5_000
    assert [first["number"], second["number"], third["number"]] == ["P1", "R1", "R2"]
    assert (len(first["head"]), first["characters"]) == (1000, 100_000)
    assert second["error"] == {"type": "Timeout", "message": "no answer", "rule": "E1"}
    assert second["observation"] is None
    assert b'"arguments":{"n":1.50}' in response.content
    assert body_of(caller.client.get(third["observation"])).decode() == UGLY


def test_steps_are_paged_in_their_own_order(caller: Caller, make_rollout: Callable[..., Rollout]) -> None:
    rollout = make_rollout(prefix_count=5, step_count=6, steps=[call("1") for _ in range(11)])
    assert [row["index"] for row in all_pages(caller, f"rollouts/{rollout.pk}/steps", limit=4)] == list(range(11))


def test_an_observation_is_the_recorded_text_to_the_byte(caller: Caller, make_rollout: Callable[..., Rollout]) -> None:
    rollout = make_rollout(prefix_count=0, step_count=1, steps=[call(UGLY)])
    response = caller.get(f"rollouts/{rollout.pk}/steps/0/observation")
    assert response.headers["Content-Type"] == "application/json"
    assert body_of(response).decode() == UGLY
    assert caller.get(f"rollouts/{rollout.pk}/steps/1/observation").status_code == 404


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [("bytes=0-9", 0, 10), ("bytes=5-", 5, None), ("bytes=-7", -7, None), ("bytes=3-999999999", 3, None)],
)
def test_a_range_of_a_long_observation(
    caller: Caller, make_rollout: Callable[..., Rollout], asked: str, start: int, end: int | None
) -> None:
    whole = UGLY.encode()
    rollout = make_rollout(prefix_count=0, step_count=1, steps=[call(UGLY)])
    response = caller.get(
        f"rollouts/{rollout.pk}/steps/0/observation", headers={"Range": asked, "Accept-Encoding": "gzip"}
    )
    assert response.status_code == 206
    assert body_of(response) == whole[start:end]
    first = range(len(whole))[start]
    assert response.headers["Content-Range"] == f"bytes {first}-{first + len(whole[start:end]) - 1}/{len(whole)}"


@pytest.mark.parametrize("asked", ["bytes=x", "bytes=9-2", "bytes=0-1,3-4", "lines=0-1", "bytes=-"])
def test_what_is_no_single_range_gets_the_whole(
    caller: Caller, make_rollout: Callable[..., Rollout], asked: str
) -> None:
    rollout = make_rollout(prefix_count=0, step_count=1, steps=[call(UGLY)])
    response = caller.get(f"rollouts/{rollout.pk}/steps/0/observation", headers={"Range": asked})
    assert (response.status_code, body_of(response).decode()) == (200, UGLY)


def test_a_range_behind_the_end_is_refused_with_the_length(
    caller: Caller, make_rollout: Callable[..., Rollout]
) -> None:
    rollout = make_rollout(prefix_count=0, step_count=1, steps=[call("[1]")])
    response = caller.get(f"rollouts/{rollout.pk}/steps/0/observation", headers={"Range": "bytes=3-"})
    assert response.status_code == 416
    assert "3 bytes" in response.json()["detail"]


def test_an_observation_of_five_megabytes_comes_whole(caller: Caller, make_rollout: Callable[..., Rollout]) -> None:
    source = json.dumps(["灯" * 50] * 33_000, ensure_ascii=False, separators=(",", ":"))
    assert len(source.encode()) > 5_000_000
    rollout = make_rollout(prefix_count=0, step_count=1, steps=[call(source)])
    assert body_of(caller.get(f"rollouts/{rollout.pk}/steps/0/observation")).decode() == source


def test_judgments_of_several_judges_stand_side_by_side(caller: Caller, make_rollout: Callable[..., Rollout]) -> None:
    rollout = make_rollout()
    Judgment.objects.create(rollout=rollout, judge="other/2", label="solved", rationale="It holds.")
    rows = caller.get(f"rollouts/{rollout.pk}/judgments").json()["results"]
    assert [(row["judge"], row["label"]) for row in rows] == [("other/2", "solved"), ("rule/1", "unsolved")]


@pytest.mark.parametrize(("path", "most"), [("rollouts?limit=200", 7), ("rollouts/{pk}/steps?limit=200", 4)])
def test_lists_take_as_many_queries_for_200_rows_as_for_10(
    caller: Caller, make_rollout: Callable[..., Rollout], path: str, most: int
) -> None:
    rollout = make_rollout(prefix_count=0, step_count=10, steps=[call("1") for _ in range(10)])
    _fill(rollout, 9)
    caller.get("rollouts")
    few = queries_of(caller, path.format(pk=rollout.pk))
    _fill(rollout, 190)
    Step.objects.bulk_create(Step(rollout=rollout, index=10 + number, **call("1")) for number in range(190))
    assert queries_of(caller, path.format(pk=rollout.pk)) == few <= most


def _fill(like: Rollout, count: int) -> None:
    start = Rollout.objects.count()
    unit = Unit.objects.create(name="u", digest=f"{start:064x}", record="{}")
    rows = Rollout.objects.bulk_create(
        Rollout(
            origin="import",
            batch=like.batch,
            record_sha256=f"{start + number:f>64}",
            model=like.model,
            unit=unit,
            matched_group="g",
        )
        for number in range(count)
    )
    Judgment.objects.bulk_create(Judgment(rollout=row, judge="rule/1", label="solved") for row in rows)


def test_one_rollout_takes_a_handful_of_queries(caller: Caller, make_rollout: Callable[..., Rollout]) -> None:
    rollout = make_rollout()
    caller.get("rollouts")
    assert queries_of(caller, f"rollouts/{rollout.pk}") <= 4
    assert queries_of(caller, f"rollouts/{rollout.pk}/steps/0/observation") <= 3


def test_imports_list_without_their_reports(calling: Callable[..., Caller]) -> None:
    researcher = calling("researcher")
    ImportBatch.objects.bulk_create(
        ImportBatch(file_name=f"{number}.json", who=researcher.account, status="done") for number in range(3)
    )
    ImportBatch.objects.create(file_name="x.bin", status="refused", why="Not JSON.")
    rows = all_pages(researcher, "imports", limit=2)
    assert [row["file_name"] for row in rows] == ["x.bin", "2.json", "1.json", "0.json"]
    assert rows[1]["who"] == researcher.account.username
    assert "report" not in rows[0]
    refused = all_pages(researcher, "imports", status="refused")
    assert [row["why"] for row in refused] == ["Not JSON."]
