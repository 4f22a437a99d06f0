"""A trial over contexts of ours: the made-up project with a recording of its test questions, and a
run in `run` of which every context is known."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.cli.main import run
from harness.model import Case, EvidenceSpan, Gold, Item, Query, Record
from harness.points import parse_point
from harness.replay.run import Run

from .once import copied
from .project import CONTROL_RIGHT, POINT_RIGHT, TEST_IDS, Project, make_project
from .recordings import recording_of

ONE, TWO, FULL, ITEMS = "count-curve(k=1)", "count-curve(k=2)", "count-curve(k=full)", "items"
POINTS = (ONE, TWO, FULL, ITEMS)


def made_case(question_id: str) -> Case:
    """The answer session is the second item: one item shows none of it, two show all of it."""
    records = tuple(
        Record(f"{question_id}-{place}", f"user: {text}", session_id=f"s{place}")
        for place, text in enumerate(("It rained.", f"I am {question_id}.", "It shone."))
    )
    evidence = (EvidenceSpan(f"{question_id}-1", 6, 13, "user"),)
    return Case(
        question_id,
        Query("Who am I?"),
        records,
        tuple(Item(record.record_id) for record in records),
        "made",
        Gold(question_id, sessions=("s1",), evidence=evidence),
    )


def other_case(question_id: str) -> Case:
    """A question of the same id over another window."""
    records = (Record("r", "hello"),)
    return Case(question_id, Query("hi"), records, (Item("r"),), "made", Gold(question_id))


@dataclass
class Trial:
    """Registrations and judgments of the project's points, each by name."""

    project: Project
    contexts: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.project.folder

    @property
    def ledger(self) -> Path:
        return self.project.ledger

    def register(self, name: str, accept: Iterable[str] = (), **keys: str) -> None:
        """Register and commit a plan of two items against one, unless `keys` say other points;
        warnings that it has are accepted by name."""
        keys = {"head": f"# {name}", "point": TWO, "control": ONE, **keys}
        self.project.register(name, True, accept, **keys)

    def rows(
        self,
        point: str,
        right: Iterable[str],
        *,
        contexts_of: str | None = None,
        known: bool = True,
        **values: Any,
    ) -> list[dict[str, Any]]:
        """Answers to the contexts of a point, of the same one unless said; `known` says whether
        they name those contexts."""
        rows = self.project.rows(right, **values)
        if known:
            digests = self.contexts[contexts_of or point]
            rows = [{**row, "context_sha256": digests[row["question_id"]]} for row in rows]
        return rows

    def grade(
        self,
        name: str,
        point: str,
        right: Iterable[str] = POINT_RIGHT,
        registration: str | None = "made",
        **how: Any,
    ) -> str:
        """Import answers, exploratory ones without a registration; returns the folder's name."""
        clearance = ["--exploratory"]
        if registration is not None:
            clearance = ["--registration", f"registrations/{registration}.json"]
        self.project.grade(name, point, self.rows(point, right, **how), *clearance)
        return name

    def grade_both(self, registration: str = "made", suffix: str = "", **how: Any) -> list[str]:
        """Answers of the point and of the control, as the project has them."""
        return [
            self.grade(f"new{suffix}", TWO, POINT_RIGHT, registration, **how),
            self.grade(f"old{suffix}", ONE, CONTROL_RIGHT, registration, **how),
        ]

    def judge(
        self, grades: Iterable[str], name: str = "made", *options: str, run_of: str | None = "run"
    ) -> int:
        """Judge; the exit code."""
        folders = [part for each in grades for part in ("--grades", f"grades/{each}")]
        given = [] if run_of is None else ["--run", run_of]
        return run(["judge", f"registrations/{name}.json", *folders, *given, "-q", *options])

    def verdict(self, name: str = "made") -> dict[str, Any]:
        path = self.folder / f"registrations/{name}.verdict.json"
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    def judged(
        self, grades: Iterable[str], name: str = "made", run_of: str | None = "run"
    ) -> dict[str, Any]:
        """The verdict of a judgment that comes to one."""
        assert self.judge(grades, name, run_of=run_of) == 0
        return self.verdict(name)

    def opened(self) -> dict[str, Any]:
        """The verdict of a first, honest judgment of the point."""
        self.register("made")
        return self.judged(self.grade_both())

    def commit_ledger(self) -> None:
        self.project.git("add", "-f", "registrations/ledger.jsonl")
        self.project.git("commit", "-q", "-m", "opened")

    def another_run(self) -> str:
        """A run of the same ids and points over other windows."""
        recording = recording_of(map(other_case, TEST_IDS), dataset_sha256=None)
        copied(recording, self.folder / "other-recording")
        points = [part for point in POINTS for part in ("--point", point)]
        assert run(["replay", "other-recording", "--out", "other-run", "-q", *points]) == 0
        return "other-run"


def make_trial(folder: Path) -> Trial:
    """The trial in `folder`, which must be the current directory of the test."""
    project = make_project(folder)
    ignored = "grades/\n*.jsonl\n*.verdict.json\nrecording/\nrun/\nother-*/\n"
    (folder / ".gitignore").write_text(ignored)
    project.commit(".gitignore")
    copied(recording_of(map(made_case, TEST_IDS), dataset_sha256=None), folder / "recording")
    points = [part for point in POINTS for part in ("--point", point)]
    assert run(["replay", "recording", "--out", "run", "-q", *points]) == 0
    opened = Run.open(Path("run"))
    contexts = {
        point: {name: digest for name, digest, _ in opened.contexts(parse_point(point))}
        for point in POINTS
    }
    return Trial(project, contexts)
