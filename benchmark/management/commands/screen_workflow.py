"""`screen_workflow FILE…`: which workflows are fit for the benchmark, with every reason."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from benchmark.core.formats.workflow_file import MOST_BYTES, FileRefused, screen_file
from benchmark.core.workflows.screening import Choice, Verdict, choose

_LANGUAGES = {"rite": "RITE", "dify": "Dify"}


class Command(BaseCommand):
    """Screens files one after the other; one that cannot be read does not stop the next."""

    help = "Screen workflows (RITE's own language or Dify app exports): keep or refuse, with every reason. No database."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The files, and the form of the answer."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--json", action="store_true", help="one JSON document on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write every verdict, then the choice for each task family; fail where a file could not be read."""
        outcomes = [(path, _screened(path)) for path in options["files"]]
        verdicts = [outcome for _, outcome in outcomes if isinstance(outcome, Verdict)]
        choices = choose(verdicts)
        if options["json"]:
            document = {
                "files": [_entry(path, outcome) for path, outcome in outcomes],
                "families": [_family(choice) for choice in choices],
            }
            self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2))
        else:
            self.stdout.write("\n".join(_lines(outcomes, choices)))
        refused = [path.name for path, outcome in outcomes if isinstance(outcome, str)]
        if refused:
            raise CommandError(f"{len(refused)} of {len(outcomes)} files could not be read: {', '.join(refused)}.")


def _screened(path: Path) -> Verdict | str:
    """The verdict, or why the file could not be read."""
    try:
        with path.open("rb") as stream:
            return screen_file(stream.read(MOST_BYTES + 1), path.name)
    except FileRefused as refused:
        return str(refused)
    except OSError as error:
        return f"{path}: {error.strerror}."


def _lines(outcomes: list[tuple[Path, Verdict | str]], choices: list[Choice]) -> Iterator[str]:
    for path, outcome in outcomes:
        if isinstance(outcome, str):
            yield f"{path.name}: cannot be read."
            yield from (f"  {line}" for line in outcome.splitlines())
        else:
            yield from _verdict_lines(outcome)
        yield ""
    yield "One for each task family:" if choices else "No workflow is kept."
    for choice in choices:
        yield f"  {choice.family}: {choice.chosen.file}. {choice.why}"
    stages = sorted({choice.chosen.stage for choice in choices if choice.chosen.stage})
    if stages:
        yield f"Business stages they span: {', '.join(stages)}."


def _verdict_lines(verdict: Verdict) -> Iterator[str]:
    version = f", version {verdict.version}" if verdict.version else ""
    language = f"{_LANGUAGES[verdict.language]}{version}"
    yield f"{verdict.file}: {'keep' if verdict.keep else 'refuse'}. {verdict.title} ({language})"
    counts = verdict.counts
    facing = f"{_number(counts.tools, 'tool')} and {_number(counts.models, 'model')}"
    yield f"  {_number(counts.nodes, 'node')}, {counts.working} of them working; {_number(counts.interfaces, 'interface')}: {facing}."
    control = [_number(counts.branches, "branch", "branches"), _number(counts.loops, "loop")]
    yield f"  {', '.join(control)}, {_number(counts.side_effects, 'side effect')}."
    yield from (f"  Because, {reason.rule.value}: {reason.text}" for reason in verdict.reasons)
    yield from (f"  To neutralise: {node}." for node in verdict.neutralise)
    yield from (f"  Note: {note}" for note in verdict.notes)


def _number(count: int, one: str, more: str = "") -> str:
    return f"{count} {one if count == 1 else more or one + 's'}"


def _entry(path: Path, outcome: Verdict | str) -> dict[str, Any]:
    if isinstance(outcome, str):
        return {"file": path.name, "read": False, "why": outcome.splitlines()}
    reasons = [{"rule": reason.rule.value, "text": reason.text} for reason in outcome.reasons]
    return {"read": True, "keep": outcome.keep, **asdict(outcome), "reasons": reasons}


def _family(choice: Choice) -> dict[str, Any]:
    return {
        "family": choice.family,
        "chosen": choice.chosen.file,
        "passed_over": [verdict.file for verdict in choice.passed_over],
        "why": choice.why,
    }
