"""The command `screen_workflow`: plain words or JSON, and an exit code that says whether all could be read."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.core.workflows.dify_apps import chain

WF06 = Path(__file__).parents[3] / "fixtures" / "sources" / "workflows" / "wf06.yaml"
N8N = b'{"nodes": [{"id": "1"}], "connections": {}}'


def screened(*files: Path, json: bool = False) -> str:
    out = StringIO()
    call_command("screen_workflow", *files, json=json, stdout=out)
    return out.getvalue()


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_verdict_reasons_and_choice_are_said_in_plain_words(tmp_path: Path) -> None:
    short = written(tmp_path, "short.yml", chain(2, name="Small"))
    assert screened(WF06, short).splitlines() == [
        "wf06.yaml: keep. Cross-domain intent and interest modelling (RITE, version 1)",
        "  22 nodes, 17 of them working; 12 interfaces: 10 tools and 2 models.",
        "  2 branches, 1 loop, 2 side effects.",
        "  To neutralise: “UpdateInterestMemory” (n20), side_effect.",
        "  To neutralise: “ReportInterestTag” (n21), side_effect.",
        "  Note: Nothing reads what “ComposeInterestReport” (n19) gives.",
        "",
        "short.yml: refuse. Small (Dify)",
        "  4 nodes, 2 of them working; 0 interfaces: 0 tools and 0 models.",
        "  0 branches, 0 loops, 0 side effects.",
        "  Because, short utility graph: It has 2 working nodes; 6 are the fewest.",
        "",
        "One for each task family:",
        "  interest modelling: wf06.yaml. It is the only one of its family that is kept.",
        "Business stages they span: cross-domain user understanding.",
    ]


def test_json_holds_the_same_in_one_document(tmp_path: Path) -> None:
    document = json.loads(screened(WF06, written(tmp_path, "short.yml", chain(2)), json=True))
    assert [(entry["file"], entry["keep"]) for entry in document["files"]] == [
        ("wf06.yaml", True),
        ("short.yml", False),
    ]
    assert document["files"][1]["reasons"] == [
        {"rule": "short utility graph", "text": "It has 2 working nodes; 6 are the fewest."}
    ]
    assert [family["chosen"] for family in document["families"]] == ["wf06.yaml"]


def test_a_file_that_cannot_be_read_is_named_and_fails_the_command_but_not_the_others(tmp_path: Path) -> None:
    files = [
        written(tmp_path, "flow.json", N8N),
        written(tmp_path, "note.txt", b"hello"),
        written(tmp_path, "broken.yaml", b"dsl: rite.workflow/1\nid: Wrong Id"),
        tmp_path / "gone.yml",
        WF06,
    ]
    out = StringIO()
    with pytest.raises(CommandError) as failed:
        call_command("screen_workflow", *files, stdout=out)
    assert str(failed.value) == "4 of 5 files could not be read: flow.json, note.txt, broken.yaml, gone.yml."
    said = out.getvalue()
    assert "flow.json: n8n workflow (the keys connections and nodes): recognised, not read;" in said
    assert "note.txt: This is no workflow that is known" in said
    assert "broken.yaml, line 2, id: Write a short id" in said
    assert "wf06.yaml: keep." in said


def test_a_trace_is_told_from_a_workflow(tmp_path: Path) -> None:
    trace = written(tmp_path, "trace.json", b'{"resourceSpans": []}')
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("screen_workflow", trace, stdout=out)
    assert "OpenTelemetry spans (the key resourceSpans): this is no workflow" in out.getvalue()
