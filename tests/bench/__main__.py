"""`make bench`: every figure, with the load of the machine while it was taken. Nothing passes or fails here.

python -m tests.bench [--database sqlite|postgresql] [--trajectories 2000] [PART…]
"""

import argparse
import json
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench import browsing, content
from tests.bench.deployment import Deployment, deployed, has_postgresql
from tests.bench.figures import p50_p95, percentile, say, timed, title
from tests.bench.visiting import Visitor, label

PARTS = ("import", "label", "pages", "long", "browser")
SIDE_BY_SIDE = 8


def main() -> None:
    """Measure on each database in turn."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these of {', '.join(PARTS)}")
    parser.add_argument("--database", choices=["sqlite", "postgresql"])
    parser.add_argument("--trajectories", type=int, default=2000)
    asked = parser.parse_args()
    vendors = [asked.database] if asked.database else ["sqlite", *(["postgresql"] if has_postgresql() else [])]
    with tempfile.TemporaryDirectory(prefix="rite-bench-") as folder:
        files = _Files(Path(folder), asked.trajectories)
        for vendor in vendors:
            title(
                f"{vendor}, {asked.trajectories} trajectories of 30–100 KB ({files.many.stat().st_size / 1e6:.0f} MB)"
            )
            with deployed(vendor) as deployment:
                _measure(deployment, files, set(asked.parts or PARTS))


class _Files:
    """What is imported: one trajectory, many, and a few with very long observations."""

    def __init__(self, folder: Path, count: int) -> None:
        self.count = count
        self.one = _written(folder / "one.jsonl", content.records(1, seed=2))
        self.many = _written(folder / "many.jsonl", content.records(count))
        self.long = _written(folder / "long.jsonl", content.long_records())
        self.plain = _written(folder / "plain.jsonl", content.records(8, seed=3, calls=24))
        start = time.perf_counter()
        with self.many.open(encoding="utf-8") as lines:
            for line in lines:
                json.loads(line)
        self.parsing = time.perf_counter() - start


def _measure(deployment: Deployment, files: _Files, parts: set[str]) -> None:
    _import(deployment, files)
    researcher = deployment.stage("people", researchers=1, annotators=SIDE_BY_SIDE)["researcher"][0]
    wanted: dict[str, Any] = {"seats": SIDE_BY_SIDE, "labels_per_item": 3, "newest_import": False}
    full = deployment.stage("study", name="Full", rollouts=files.count, review="per_item", **wanted)
    labels = deployment.stage("label_all", study=full)
    annotators = deployment.stage("people", researchers=0, annotators=SIDE_BY_SIDE)["annotator"]
    deployment.stage("study", name="Live", rollouts=min(files.count, 800), review="per_item", **wanted)
    with deployment.serving():
        visitor = Visitor(deployment, researcher)
        if "label" in parts:
            _label(deployment, annotators)
        if "pages" in parts:
            _list(visitor)
        _say_memory(deployment, "before the first report", "120 MB each")
        if "pages" in parts:
            _reports(visitor, full, labels)
            _say_memory(deployment, "after reports", "400 MB in all")
        if "long" in parts:
            _long(deployment, visitor, files)
        if "browser" in parts:
            _browse(deployment, files, researcher)


def _import(deployment: Deployment, files: _Files) -> None:
    alone, idle = deployment.watched("import_traces", str(files.one))
    seconds, most = deployment.watched("import_traces", str(files.many))
    seconds -= alone
    beside = f"{seconds / files.parsing:.1f} × json.loads of the file ({files.parsing:.2f} s)"
    say("import", f"{files.count / seconds:.0f} trajectories/s", "≥ 350", beside)
    say(
        "import, memory at its peak above one record's",
        f"{most - idle:.0f} MB",
        "≤ 150 MB",
        f"{idle:.0f} → {most:.0f} MB",
    )


def _label(deployment: Deployment, annotators: list[str]) -> None:
    smallest = timed(lambda: Visitor(deployment, "").get("/accounts/login/"), 20)
    say("sign-in page, for comparison", p50_p95(smallest))
    for clients, each in ((1, 60), (SIDE_BY_SIDE, 100)):
        before = deployment.web_seconds()
        work = label(deployment, annotators[:clients], each)
        cost = (deployment.web_seconds() - before) / len(work.submits)
        who = f"{clients} client{'s' * (clients > 1)}"
        say(f"next item, {who}: p50 / p95", p50_p95(work.next_items), "p95 ≤ 150 ms" * (clients > 1))
        say(f"submit, {who}: p50 / p95", p50_p95(work.submits), "p95 ≤ 150 ms" * (clients > 1))
        beside = f"{1000 * cost:.0f} ms of web processor time a label"
        say(f"labels, {who}", f"{work.rate:.0f} labels/s", "≥ 60" * (clients > 1), beside)


def _list(visitor: Visitor) -> None:
    page = visitor.get("/rollouts/")
    seconds = timed(lambda: visitor.get("/rollouts/"), 30)
    say("list of 30: p50 / p95", p50_p95(seconds), "≤ 40 ms")
    say("list of 30", f"{len(page.body) / 1024:.0f} KB", "≤ 60 KB", f"{page.sent / 1024:.0f} KB sent")


def _reports(visitor: Visitor, study: int, labels: int) -> None:
    for file in ("labels.csv", "labels.jsonl"):
        answer = visitor.get(f"/studies/{study}/files/{file}")
        seconds = percentile(timed(lambda file=file: visitor.get(f"/studies/{study}/files/{file}"), 3), 0.5)
        size = f"{len(answer.body) / 1e6:.2f} MB"
        say(
            f"export of {labels} labels and as many reviews, {file}",
            f"{seconds:.2f} s, {size}",
            "≤ 1 s, < 2 MB",
            f"{answer.sent / 1e6:.2f} MB sent",
        )
    first, *later = timed(lambda: visitor.get(f"/studies/{study}/agreement/"), 4)
    say(f"agreement page over {labels} labels, the process's first", f"{first:.2f} s")
    say(f"agreement page over {labels} labels", f"{percentile(later, 0.5):.2f} s", "≤ 1 s")


def _say_memory(deployment: Deployment, when: str, goal: str) -> None:
    each = " + ".join(f"{one:.0f}" for one in deployment.web_memory())
    say(f"memory of web processes {when}", f"{each} MB", goal, f"{deployment.all_memory():.0f} MB in all")


def _long(deployment: Deployment, visitor: Visitor, files: _Files) -> None:
    deployment.manage("import_traces", str(files.long))
    newest = re.findall(r'<a href="(\d+)/"', visitor.get("/rollouts/").body.decode())
    for place, what in enumerate(("one step of 5 MB", "25 steps of 1 MB")):
        path = f"/rollouts/{newest[place]}/"
        page = visitor.get(path)
        seconds = timed(lambda path=path: visitor.get(path), 5)
        say(f"rollout of {what}: p50 / p95", p50_p95(seconds), "≤ 200 ms")
        say(
            f"rollout of {what}, before anything is opened",
            f"{len(page.body) / 1024:.0f} KB",
            "≤ 300 KB",
            f"{page.sent / 1024:.0f} KB sent",
        )


def _browse(deployment: Deployment, files: _Files, researcher: str) -> None:
    deployment.manage("import_traces", str(files.plain))
    annotator = deployment.stage("people", researchers=0, annotators=2)["annotator"][1]
    wanted = {"rollouts": 8, "seats": 2, "labels_per_item": 2, "newest_import": True}
    deployment.stage("study", name="Seen", review="at_end", **wanted)
    browsing.measure(deployment, researcher, annotator)


def _written(path: Path, records: Any) -> Path:
    with path.open("w", encoding="utf-8") as lines:
        for record in records:
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path


if __name__ == "__main__":
    main()
