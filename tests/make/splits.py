"""Splits as the library draws them, the lists of their questions, and registers that name both."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.cli.main import run
from harness.datasets.question_list import ListedQuestion
from harness.datasets.split import Split, drawn_indices
from harness.datasets.split_draw import draw_split
from harness.trial.grades import Grades

from .cases import long_cases
from .recordings import DATASET_SHA256

LONG_IDS = tuple(case.case_id for case in long_cases())
LONG_DEV = tuple(LONG_IDS[index] for index in drawn_indices(3, 4, 8))


def write_split(
    path: Path, questions: Mapping[str, str], *, seed: int, dev: int, dataset_sha256: str
) -> Split:
    """Draw a split of the questions, whose types are given by id."""
    listed = [ListedQuestion(name, kind) for name, kind in questions.items()]
    split = draw_split(listed, seed=seed, dev=dev, dataset_sha256=dataset_sha256)
    path.write_text(split.text(), encoding="utf-8")
    return split


def write_list(path: Path, questions: Mapping[str, str]) -> Path:
    """Write the list of a dataset's questions, whose types are given by id."""
    lines = [{"question_id": name, "question_type": kind} for name, kind in questions.items()]
    path.write_text(json_lines(lines), encoding="utf-8")
    return path


def write_register(path: Path, questions: Path, *, sha256: str) -> Path:
    """Write a register of one dataset, `made`, with its list of questions in the same folder."""
    path.write_text(
        f'[[dataset]]\nname = "made"\nurl = "https://example.org/made.json"\nsize = 1\n'
        f'sha256 = "{sha256}"\nlicence = "MIT"\ncitation = "made up"\n'
        f'questions = "{questions.name}"\n',
        encoding="utf-8",
    )
    return path


def json_lines(rows: Iterable[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def long_split(folder: Path) -> Path:
    """The split of `long_cases` in `folder`; `LONG_DEV` is its dev part."""
    types = {case.case_id: str(case.category) for case in long_cases()}
    write_list(folder / "questions.jsonl", types)
    path = folder / "split.json"
    write_split(path, types, seed=3, dev=4, dataset_sha256=DATASET_SHA256)
    return path


def long_grades(
    folder: Path,
    point: str,
    right: Iterable[str],
    *,
    part: str = "dev",
    names: Iterable[str] | None = None,
    failed: Collection[str] = (),
    **row: Any,
) -> Grades:
    """Grades of a part of `long_split`, or of the `names` alone: the questions in `right` were
    answered right, and those in `failed` are errors."""
    split = long_split(folder)
    source = folder / f"{point} {part}.jsonl"
    correct = set(right)
    given = names or (LONG_DEV if part == "dev" else LONG_IDS)
    rows = [{"question_id": name, "correct": name in correct, **row} for name in given]
    rows = [each | {"error": each["question_id"] in failed} for each in rows]
    source.write_text(json_lines(rows), encoding="utf-8")
    out = folder / f"grades of {point} {part}"
    options = ["--questions", str(folder / "questions.jsonl"), "--part", part, "--out", str(out)]
    options += [] if part == "dev" else ["--exploratory"]
    arguments = [str(source), "--format", "jsonl", "--point", point, "--split", str(split)]
    assert run(["grades", "import", *arguments, *options, "-q"]) == 0
    return Grades.open(out)
