"""A small project in a git checkout of its own: 24 questions, 4 of them dev, made-up grades.

Of the 20 test questions, in the dataset's order, the point answers the first 12 right, and the
control those but for the first 5, and the 13th: 5 wins, 1 loss, 14 ties.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.cli.main import run
from harness.datasets.split import drawn_indices

from .splits import json_lines, write_list, write_register, write_split
from .study import CONTROL, POINT, git

DATASET_SHA256 = "ab" * 32
PLAN = """
question = "Is new better than old?"
{head}
[dataset]
name = "made"
sha256 = "{sha256}"
[split]
file = "split.json"
part = "test"
[point]
spec = "{point}"
[[control]]
spec = "{control}"
{control_keys}
[[rule]]
name = "better"
role = "primary"
against = "{control}"
interval = "exact"
level = 0.95
met_when = "lower > 0 points"
{rule_keys}
{tail}
[power]
discordance = 0.3
[stop]
text = "One run."
"""
DEV = drawn_indices(1, 4, 24)


def question_id(index: int) -> str:
    """The id of a question; the last two are abstention questions."""
    return f"q{index:02d}" + ("_abs" if index >= 22 else "")


TEST_IDS = tuple(question_id(index) for index in range(24) if index not in DEV)
DEV_IDS = tuple(question_id(index) for index in DEV)
POINT_RIGHT = frozenset(TEST_IDS[:12])
CONTROL_RIGHT = frozenset(TEST_IDS[5:13])
Change = Callable[[dict[str, Any]], None]


@dataclass
class Project:
    """The folder that the commands run in, and what is in it."""

    folder: Path
    registration: Path = field(default_factory=lambda: Path("registrations/made.json"))

    @property
    def ledger(self) -> Path:
        return self.folder / "registrations/ledger.jsonl"

    @property
    def verdict_file(self) -> Path:
        return self.folder / "registrations/made.verdict.json"

    def git(self, *arguments: str) -> None:
        git(self.folder, *arguments)

    def git_output(self, *arguments: str) -> str:
        return git(self.folder, *arguments)

    def commit(self, *paths: str) -> None:
        """Commit the paths, or all but grades."""
        self.git("add", *(paths or (".",)))
        self.git("commit", "-q", "-m", "made")

    def register(
        self, name: str = "made", commit: bool = True, accept: Iterable[str] = (), **keys: str
    ) -> None:
        """Write a plan and its registration, with warnings accepted; `head`, `rule_keys`,
        `control_keys` and `tail` are lines of TOML that go to those places, `point` and `control`
        other points. The contexts of answers are external unless `head` is given."""
        lines = {"head": 'contexts = "external"', "rule_keys": "", "control_keys": "", "tail": ""}
        values = {"sha256": DATASET_SHA256, "point": POINT, "control": CONTROL, **lines, **keys}
        plan = PLAN.format(**values)
        (self.folder / f"{name}.toml").write_text(plan)
        out = f"registrations/{name}.json"
        accepted = [part for warning in accept for part in ("--accept-warning", warning)]
        assert run(["register", f"{name}.toml", "--out", out, *accepted, "-q"]) == 0
        if commit:
            self.commit(f"{name}.toml", out)

    def rows(
        self, right: Iterable[str], ids: Iterable[str] = TEST_IDS, **values: Any
    ) -> list[dict[str, Any]]:
        """One row a question; `values` are keys that every row has."""
        correct = frozenset(right)
        return [{"question_id": name, "correct": name in correct, **values} for name in ids]

    def grade(
        self,
        name: str,
        point: str,
        rows: Iterable[Mapping[str, Any]],
        *options: str,
        expect: int = 0,
    ) -> Path:
        """Import rows as grades of the point under the registration, unless options say else or
        the part is dev."""
        source = self.folder / f"{name}.jsonl"
        source.write_text(json_lines(rows))
        cleared = any(option in options for option in ("--exploratory", "--registration", "dev"))
        clearance = () if cleared else ("--registration", str(self.registration))
        part = () if "--part" in options else ("--part", "test")
        out = f"grades/{name}"
        what = ["--format", "jsonl", "--point", point, "--split", "split.json", "--out", out]
        given = [*part, *clearance, *options]
        found = run(["grades", "import", source.name, *what, *given, "-q"])
        assert found == expect
        return Path(out)

    def grade_both(self, **values: Any) -> None:
        """The grades that the module describes."""
        self.grade("new", POINT, self.rows(POINT_RIGHT, **values))
        self.grade("old", CONTROL, self.rows(CONTROL_RIGHT, **values))

    def judge(self, *options: str, grades: Iterable[str] = ("new", "old")) -> int:
        """Judge on the named grades; the exit code."""
        given = [part for name in grades for part in ("--grades", f"grades/{name}")]
        return run(["judge", str(self.registration), *given, "-q", *options])

    def verdict(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.verdict_file.read_text())
        return found

    def judged(self, *options: str) -> dict[str, Any]:
        """The verdict of a judgment that comes to one."""
        assert self.judge(*options) == 0
        return self.verdict()

    def openings(self) -> list[dict[str, Any]]:
        if not self.ledger.exists():
            return []
        return [json.loads(line) for line in self.ledger.read_text().splitlines()]

    def edit_registration(self, change: Change) -> None:
        """Edit the registration as it would have been written."""
        path = self.folder / self.registration
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def make_project(
    folder: Path, *, checkout: bool = True, dataset_sha256: str = DATASET_SHA256
) -> Project:
    """The project in `folder`, which must be the current directory of the test."""
    (folder / "datasets").mkdir(parents=True)
    (folder / "registrations").mkdir()
    questions = {question_id(index): ("even", "odd")[index % 2] for index in range(24)}
    listed = write_list(folder / "datasets/made.questions.jsonl", questions)
    write_register(folder / "datasets/register.toml", listed, sha256=dataset_sha256)
    write_split(folder / "split.json", questions, seed=1, dev=4, dataset_sha256=dataset_sha256)
    project = Project(folder)
    if checkout:
        project.git("init", "-q")
        (folder / ".gitignore").write_text("grades/\n*.jsonl\n")
        project.commit()
    return project
