"""Splits, as the library draws them, with the list of their questions beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.cli.main import run
from harness.datasets.question_list import ListedQuestion
from harness.datasets.split import drawn_indices
from harness.datasets.split_draw import draw_split
from harness.trial.grades import Grades

from .cases import long_cases
from .recordings import DATASET_SHA256

LONG_IDS = tuple(case.case_id for case in long_cases())
LONG_DEV = tuple(LONG_IDS[index] for index in drawn_indices(3, 4, 8))


def write_split(
    path: Path, questions: Mapping[str, str], *, seed: int, dev: int, dataset_sha256: str
) -> Path:
    """Draw a split of the questions (type by id), whose list is written to `questions.jsonl`."""
    listed = [ListedQuestion(name, kind) for name, kind in questions.items()]
    split = draw_split(listed, seed=seed, dev=dev, dataset_sha256=dataset_sha256)
    path.write_text(split.text(), encoding="utf-8")
    lines = [{"question_id": name, "question_type": kind} for name, kind in questions.items()]
    path.with_name("questions.jsonl").write_text(json_lines(lines), encoding="utf-8")
    return path


def json_lines(rows: Iterable[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def long_split(folder: Path) -> Path:
    """The split of `long_cases` in `folder`; `LONG_DEV` is its dev part."""
    types = {case.case_id: str(case.category) for case in long_cases()}
    path = folder / "split.json"
    return write_split(path, types, seed=3, dev=4, dataset_sha256=DATASET_SHA256)


def long_grades(
    folder: Path,
    point: str,
    right: Iterable[str],
    *,
    part: str = "dev",
    names: Iterable[str] | None = None,
    **row: Any,
) -> Grades:
    """Grades of a part of `long_split`, or of the `names` alone: the questions in `right` were
    answered right."""
    split = long_split(folder)
    source = folder / f"{point} {part}.jsonl"
    correct = set(right)
    given = names or (LONG_DEV if part == "dev" else LONG_IDS)
    rows = [{"question_id": name, "correct": name in correct, **row} for name in given]
    source.write_text(json_lines(rows), encoding="utf-8")
    out = folder / f"grades of {point} {part}"
    options = ["--questions", str(folder / "questions.jsonl"), "--part", part, "--out", str(out)]
    options += [] if part == "dev" else ["--exploratory"]
    arguments = [str(source), "--format", "jsonl", "--point", point, "--split", str(split)]
    assert run(["grades", "import", *arguments, *options, "-q"]) == 0
    return Grades.open(out)
