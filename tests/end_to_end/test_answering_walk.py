"""`docs/answering.md`, run as it stands: from a run to a verdict, by a model on this machine."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.datasets.question_list import read_question_list
from harness.datasets.split import read_split
from harness.datasets.split_draw import draw_split
from harness.readers.store import AnswerStore
from harness.trial.grades import Grades

from ..make.local_reader import local_reader, needed, reader_file
from ..make.study import git

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
POINTS = ("2.6.5a1(budget=800)", "count-curve(k=1)")


def commands(checkout: Path) -> list[str]:
    """Every line of the page's `sh` blocks, continued lines joined."""
    page = (checkout / "docs/answering.md").read_text("utf-8")
    blocks = (block.replace("\\\n", " ") for block in BLOCK.findall(page))
    return [line for block in blocks for line in block.splitlines() if line.strip()]


@pytest.fixture
def clone(checkout: Path, tmp_path: Path) -> Path:
    """What a checkout has of the files that the page names, in a git repository of its own, with
    this checkout's environment."""
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(checkout / name, tmp_path / name)
        os.utime(tmp_path / name, (0, 0))  # older than what is installed
    for name in ("datasets", "examples"):
        shutil.copytree(checkout / name, tmp_path / name)
    (tmp_path / "registrations").mkdir()
    (tmp_path / ".venv").symlink_to(checkout / ".venv")
    (tmp_path / ".gitignore").write_text("build/\n.venv\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "made")
    return tmp_path


@pytest.fixture
def environment(checkout: Path) -> dict[str, str]:
    somebody = {"NAME": "somebody", "EMAIL": "somebody@example.org"}
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in somebody.items()
    }
    path = f"{checkout / '.venv/bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **who, "PATH": path}


def test_the_split_is_that_of_the_sample(checkout: Path) -> None:
    """Restricted to the 24 questions: twelve of each part, no others."""
    listed = read_question_list(checkout / "datasets/sample/questions.jsonl")
    whole = read_split(checkout / "datasets/splits/sample.json")
    names = (checkout / "examples/answering/questions.txt").read_text().split()
    drawn = draw_split(
        listed,
        seed=whole.seed,
        dev=whole.drawn,
        dataset_sha256=str(whole.dataset_sha256),
        present=[question for question in listed if question.question_id in names],
    )
    file = checkout / "examples/answering/split.json"
    assert file.read_text("utf-8") == drawn.text()
    partition = read_split(file).partition(names)
    assert (len(partition.dev), len(partition.test), partition.absent) == (12, 12, ())


@pytest.mark.reader
def test_the_walk(checkout: Path, clone: Path, environment: dict[str, str]) -> None:
    needed()
    with local_reader(checkout) as port:
        reader_file(checkout, clone / "examples", port)
        git(clone, "commit", "-q", "-a", "-m", "another port")
        for command in commands(checkout):
            finished = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", command],
                cwd=clone,
                env=environment,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                check=False,
            )
            said = f"{command}\n{finished.stdout}\n{finished.stderr}"
            assert finished.returncode == 0, said
    check_calls(clone)
    check_verdict(clone)


def check_calls(clone: Path) -> None:
    """As many answers as distinct prompts, each asked once; every token reported."""
    sets = [json.loads(path.read_text()) for path in (clone / "build/walk/answers/sets").iterdir()]
    assert len(sets) == 4
    prompts = {question["prompt_sha256"] for each in sets for question in each["questions"]}
    with AnswerStore(clone / "build/walk/answers") as store:
        entries = [entry for _, entry in store.entries()]
        (reader,) = store.readers()
        assert store.charged(reader).calls == len(entries) == len(prompts)
    assert all(entry.answer for entry in entries)
    for part in ("dev", "test"):
        for point in POINTS:
            grades = Grades.open(clone / "build/walk/grades" / part / point)
            assert grades.counts.graded == grades.counts.expected == 12
            assert all(row.prompt_tokens_api for row in grades.rows())


def check_verdict(clone: Path) -> None:
    verdict = json.loads((clone / "registrations/walk.verdict.json").read_text())
    (rule,) = verdict["rules"]
    assert rule["state"] in ("MET", "NOT MET")
    assert rule["n"] == 12
    assert rule["cost"]["held"] is True
    assert (verdict["stamp"], verdict["not_checked"]) == ("confirmatory", [])


def test_the_page_has_the_whole_study(checkout: Path) -> None:
    verbs = [
        " ".join(word for word in shlex.split(command)[:2] if not word.startswith(("RUN", "ANSW")))
        for command in commands(checkout)
    ]
    wanted = iter(verbs)
    for verb in (
        "make answer",
        "make grade",
        "harness choose",
        "harness register",
        "make answer",
        "make grade",
        "harness judge",
    ):
        assert verb in wanted
