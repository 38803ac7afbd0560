"""The replica on a small workflow with loops, branches, repetition and a write: what a trace must tell."""

from collections.abc import Mapping
from typing import Any

import pytest

from benchmark.core.workflows import checks
from benchmark.core.workflows.dsl import Kind
from benchmark.core.workflows.replica import Change, run
from benchmark.core.workflows.tools.envelope import ArgumentProblem
from benchmark.core.workflows.tools.specification import Role, ToolSpec, ToolUse
from benchmark.core.workflows.tools.toolbox import Toolbox
from benchmark.core.workflows.trace import Read
from benchmark.core.workflows.world.reading import World

FILE = b"""
dsl: rite.workflow/1
id: pages
title: Pages
stage: test
family: test
version: 1
inputs:
  type: object
  properties: {feed: {type: string}}
  required: [feed]
  additionalProperties: false
nodes:
  - {id: n01, kind: start}
  - {id: n02, kind: loop, until: $n03.next = null, most: 9, body: [n03]}
  - id: n03
    kind: tool
    tool: Page
    purpose: Fetch the next page.
    arguments: {feed: $in.feed, page: "$n03.next?"}
  - id: n04
    kind: code
    tool: Count
    purpose: Count what is there.
    arguments: {pages: "$n03[].rows"}
  - {id: n05, kind: branch, when: $n04.n < 4, then: [n06], again: {n04: {extra: $n06.rows}}}
  - id: n06
    kind: tool
    tool: Page
    purpose: Fetch one more.
    arguments: {feed: $in.feed, page: 9}
  - {id: n07, kind: loop, over: "$n03[]", by: next, first: 1, body: [n08]}
  - id: n08
    kind: side_effect
    tool: Report
    purpose: Report the page.
    arguments: {n: $item.next}
  - {id: n09, kind: end, result: {n: $n04.n, extra: "$n06.rows?"}}
"""
ROWS = {None: ([1], 2), 2: ([2, 3], None), 9: ([7], None)}


def _page(world: World, arguments: Mapping[str, Any]) -> Any:
    if arguments["feed"] == "none":
        raise ArgumentProblem("feed", "there is no feed none")
    if arguments["feed"] == "broken":
        raise RuntimeError("disk")
    rows, following = ROWS[arguments["page"]]
    return {"rows": rows, "next": following}


def _count(world: World, arguments: Mapping[str, Any]) -> Any:
    return {"n": sum(map(len, arguments["pages"])) + len(arguments.get("extra") or [])}


def _spec(name: str, run: Any, properties: dict[str, Any], kind: Kind = Kind.TOOL) -> ToolUse:
    schema = {"type": "object", "properties": properties, "required": [], "additionalProperties": False}
    role = Role.SIDE_EFFECT if kind is Kind.SIDE_EFFECT else Role.WORKFLOW
    return ToolUse(
        ToolSpec(name=name, kind=kind, description="", arguments=schema, gives={}, run=run, aliases=(name.lower(),)),
        role,
    )


def _toolbox() -> Toolbox:
    uses = {
        "Page": _spec("Page", _page, {"feed": {"type": "string", "minLength": 1}, "page": {}}),
        "Count": _spec("Count", _count, {"pages": {}, "extra": {}}, Kind.CODE),
        "Report": _spec("Report", _count, {"n": {"type": ["integer", "null"]}}, Kind.SIDE_EFFECT),
    }
    return Toolbox(World(), uses, clock=5, workflow="pages")


def _run(feed: str = "f", *changes: Change) -> Any:
    return run(checks.load(FILE, "pages.yaml"), {"feed": feed}, _toolbox(), changes=changes)


def test_every_node_that_ran_is_recorded_once_in_order():
    trace = _run()
    assert [step.run for step in trace.steps] == [
        "n01", "n03#0", "n03#1", "n02", "n04", "n05", "n06", "n04#1", "n08#0", "n07", "n09",
    ]  # fmt: skip
    assert trace.result == {"n": 4, "extra": [7]}
    assert trace.stopped is None


def test_a_loop_by_a_field_takes_the_largest_first():
    assert _run().step("n08#0").arguments == {"n": 2}


def test_a_write_is_neutralised_and_audited():
    trace = _run()
    assert trace.step("n08#0").observation == {"status": "ok", "data": {"accepted": True, "replica": True}}
    assert trace.audit == ({"run": "n08#0", "tool": "Report", "arguments": {"n": 2}},)


def test_reads_tell_from_which_run_each_argument_came():
    trace = _run()
    assert trace.step("n04").reads == (
        Read("pages", "n03#0", "/rows", True),
        Read("pages", "n03#1", "/rows", True),
    )
    assert Read("n", "n03#0", "/next", True) in trace.step("n08#0").reads


def test_a_counterfactual_changes_one_run_and_what_follows_from_it():
    trace = _run("f", Change(run="n04", data={"n": 99}))
    assert trace.result == {"n": 99, "extra": None}
    assert [step.run for step in trace.steps if step.node == "n06"] == []
    arguments = _run("f", Change(run="n03#0", arguments={"page": 9}))
    assert arguments.step("n03#0").observation["data"]["rows"] == [7]


@pytest.mark.parametrize(
    ("feed", "why"),
    [
        ("none", "ArgumentError: there is no feed none"),
        ("broken", "ToolExecutionError"),
        ("", "feed must not be empty"),
    ],
)
def test_a_tool_that_refuses_stops_the_run_with_the_reason(feed: str, why: str):
    trace = _run(feed)
    assert trace.result is None
    assert trace.stopped is not None
    assert why in trace.stopped


def test_inputs_outside_the_schema_stop_the_run_at_the_start():
    trace = run(checks.load(FILE, "pages.yaml"), {"feed": 3}, _toolbox())
    assert trace.stopped == "start: 3 is not of type 'string'"


def test_aliases_and_the_workflows_prefix_name_the_same_tool():
    toolbox = _toolbox()
    assert toolbox.canonical_name("pages.Page") == toolbox.canonical_name("page") == "Page"
    assert toolbox.call("Nothing", {})["error"]["type"] == "UnknownTool"


def test_running_twice_gives_the_same_trace_but_for_the_times():
    def timeless(trace: Any) -> Any:
        return [(step.run, step.arguments, step.observation, step.reads) for step in trace.steps]

    assert timeless(_run()) == timeless(_run())
