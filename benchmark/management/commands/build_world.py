"""`build_world`: make the bundled world from its seed, or check that it comes out the same."""

import json
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from benchmark.core.workflows.world.making import write_world

WORLD = Path(__file__).resolve().parents[3] / "fixtures" / "world"


class Command(BaseCommand):
    help = "Make the bundled world from its seed; --check compares digests with what is stored and writes nothing."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="compare with the stored world")
        parser.add_argument("--into", type=Path, default=WORLD, help="folder of the world (default: fixtures/world)")
        parser.add_argument("--tables", nargs="+", help="only these tables and what they are made from")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["into"]
        if not options["check"]:
            manifest = write_world(folder, options["tables"])
            self._tell(manifest, options["json"], f"{len(manifest['files'])} tables written to {folder}.")
            return
        stored = _stored(folder)
        with tempfile.TemporaryDirectory() as scratch:
            manifest = write_world(Path(scratch) / "world", options["tables"])
        differing = _differing(stored["files"], manifest["files"])
        if differing:
            for name in differing:
                self.stderr.write(f"{name} comes out differently.")
            sys.exit(1)
        self._tell(manifest, options["json"], f"All {len(manifest['files'])} tables come out the same.")

    def _tell(self, manifest: dict[str, Any], as_json: bool, sentence: str) -> None:
        self.stdout.write(json.dumps(manifest) if as_json else sentence)


def _stored(folder: Path) -> dict[str, Any]:
    path = folder / "MANIFEST.json"
    if not path.exists():
        raise CommandError(f"There is no world in {folder}; run build_world first.")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def _differing(stored: dict[str, Any], made: dict[str, Any]) -> list[str]:
    return [name for name in sorted({*stored, *made}) if stored.get(name) != made.get(name)]
