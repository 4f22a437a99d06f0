"""A made-up study: a dataset of twelve questions, its register, a split, and a registration.

Run in the folder itself, so that paths in the registration are short.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cli.main import run
from harness.datasets.register import Register, read_register
from harness.trial.grades import Grades

from .splits import json_lines, write_list, write_register, write_split

IDS = (*(f"q{number}" for number in range(10)), "q3_abs", "q7_abs")
TYPES = ("single", "multi")
SHA256 = "a" * 64
POINT, CONTROL = "external(name=new)", "external(name=old)"

SHORT_PLAN = """
question = "Does the new one answer better than the old one?"
[dataset]
name = "made"
sha256 = "{sha256}"
[split]
file = "split.json"
part = "test"
[point]
spec = "external(name=new)"
[[control]]
spec = "external(name=old)"
[[rule]]
name = "better"
role = "primary"
against = "external(name=old)"
interval = "exact"
level = 0.95
met_when = "lower > 0 points"
[stop]
text = "One run."
"""


PLAN = f"""
question = "At no more than 1,000 Context Tokens, does 2.6.5a1 answer better than four items?"
[dataset]
name = "made"
sha256 = "{SHA256}"
[split]
file = "split.json"
part = "test"
[cohort]
exclude = []
[recording]
sha256 = "{"b" * 64}"
[point]
spec = "2.6.5a1( budget = 2800 )"
[[control]]
spec = "count-curve(k=4)"
[[control]]
spec = "count-curve(k=full)"
[reader]
model = "a-reader"
[judge]
model = "a-judge"
[same_cost]
measure = "context_tokens"
within = 0.05
[[rule]]
name = "better at the same cost"
role = "primary"
against = "count-curve(k=4)"
interval = "exact"
level = 0.95
met_when = "lower > 0 points"
cost = "prompt_tokens_api <= 1000"
[[rule]]
name = "holds every item's accuracy"
role = "secondary"
against = "count-curve(k=full)"
interval = "exact"
level = 0.95
met_when = "lower >= -2.0 points"
[family]
correction = "none"
[power]
discordance = 0.12
[stop]
text = "One run."
"""
"""The plan of the documentation over this dataset."""


@dataclass(frozen=True)
class Study:
    """The study in `folder`; `dev` and `test` are the parts of the split."""

    folder: Path
    dev: tuple[str, ...]
    test: tuple[str, ...]

    @property
    def split(self) -> Path:
        return self.folder / "split.json"

    @property
    def register(self) -> Path:
        return self.folder / "register.toml"

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def log(self, name: str, right: Mapping[str, bool], **changes: Any) -> Path:
        """An official evaluation log with these verdicts; `changes` replace fields of each row."""
        rows = [{**log_row(question_id, label), **changes} for question_id, label in right.items()]
        return self.write(name, json_lines(rows))

    def command(self, files: Iterable[Path], *more: str, out: str = "grades") -> list[str]:
        """`harness grades import` of the files; `more` may override every option."""
        given = {
            "--format": "longmemeval-eval",
            "--point": POINT,
            "--split": str(self.split),
            "--register": str(self.register),
            "--out": str(self.folder / out),
        }
        options = [
            part for name, value in given.items() if name not in more for part in (name, value)
        ]
        return ["grades", "import", *map(str, files), *options, "-q", *more]

    def imported(self, files: Iterable[Path], *more: str, out: str = "grades") -> Grades:
        assert run(self.command(files, *more, out=out)) == 0
        return Grades.open(self.folder / out)

    def register_plan(self, name: str = "registration.json") -> Path:
        """A registration of `SHORT_PLAN`, not committed."""
        plan = self.write("plan.toml", SHORT_PLAN.format(sha256=SHA256))
        out = self.folder / name
        command = ["register", str(plan), "--register", str(self.register), "--out", str(out)]
        assert run([*command, "--accept-warning", "no-discordance", "-q"]) == 0
        return out


def log_row(question_id: str, label: Any, tokens: Any = 1000) -> dict[str, Any]:
    """A row as the official evaluation writes it."""
    return {
        "question_id": question_id,
        "hypothesis": "It is so.",
        "tokens": {"prompt_tokens": tokens, "completion_tokens": 20, "eval_prompt_tokens": 300},
        "autoeval_label": {"model": "a-judge", "label": label},
    }


def verdicts(ids: Iterable[str]) -> dict[str, bool]:
    """Two of three right, by place."""
    return {question_id: place % 3 > 0 for place, question_id in enumerate(ids)}


def make_study(folder: Path) -> Study:
    questions = {name: TYPES[place % 2] for place, name in enumerate(IDS)}
    listed = write_list(folder / "questions.jsonl", questions)
    write_register(folder / "register.toml", listed, sha256=SHA256)
    split = write_split(folder / "split.json", questions, seed=5, dev=4, dataset_sha256=SHA256)
    partition = split.partition(IDS)
    return Study(folder, partition.dev, partition.test)


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder`, as somebody."""
    who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    command = ["git", "-C", str(folder), *who, *arguments]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    return finished.stdout.strip()


def commit(folder: Path, *files: Path) -> str:
    """Commit the files, in a new checkout if there is none; returns the commit."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q")
    git(folder, "add", "-A", *map(str, files))
    git(folder, "commit", "-q", "-m", "made")
    return git(folder, "rev-parse", "HEAD")


def changed(*replacements: tuple[str, str]) -> str:
    """The plan with texts replaced; each must be there."""
    text = PLAN
    for old, new in replacements:
        if old not in text:
            raise ValueError(f"the plan has no {old!r}")
        text = text.replace(old, new, 1)
    return text


def write_plan(study: Study, text: str = PLAN, name: str = "plan.toml") -> Path:
    """The plan's file, as a relative path."""
    study.write(name, text)
    return Path(name)


def register_of(study: Study) -> Register:
    return read_register(study.register)
