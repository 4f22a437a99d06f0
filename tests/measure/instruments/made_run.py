"""A run of the made questions of `tests.show`, with more labels, and grades of its points.

Every turn of an answer session is evidence, and two questions have a turn of a record outside the
window as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.cli.main import run as call
from harness.replay.run import Run
from harness.trial.grades import Grades

from ...show.made_run import case, session

POINTS = (
    "items",
    "count-curve(k=1)",
    "count-curve(k=2)",
    "count-curve(k=full)",
    "quote-curve(head=320, tail=160)",
    "quote-curve(head=500, tail=250)",
    "quote-curve(head=20, tail=10)",
    "2.6.5a1(budget=800)",
    "evidence(budget=800)",
    "evidence(budget=1200)",
)
IDS = tuple(f"question {number}" for number in range(8))
DEV = ("question 1", "question 3", "question 4", "question 6")


def labelled(number: int) -> dict[str, Any]:
    """The case of `tests.show`, with its further labels."""
    value = case(number)
    gold = value["gold"]
    if gold is not None and not gold["abstention"]:
        gold["evidence"] = [
            {"record_id": f"r{name[1:]}", "start": start, "end": end, "role": "user"}
            for name in gold["sessions"]
            for start, end in session(int(name[1:]))[1]
        ]
        if number in (1, 5):
            gold["sessions"].append("far")
            far = {"record_id": "far away", "start": 3, "end": 9, "role": "assistant"}
            gold["evidence"].append(far)
    return value


def make_run(folder: Path) -> Run:
    """The run in `folder/run`, of the recording in `folder/recording`."""
    folder.mkdir(exist_ok=True)
    source, recording, out = folder / "cases.jsonl", folder / "recording", folder / "run"
    source.write_text("".join(json.dumps(labelled(n)) + "\n" for n in range(8)), encoding="utf-8")
    assert call(["import", "cases", str(source), "--out", str(recording), "-q"]) == 0
    points = [part for point in POINTS for part in ("--point", point)]
    assert call(["replay", str(recording), "--out", str(out), "-q", *points]) == 0
    return Run.open(out)


def make_split(folder: Path) -> Path:
    """A split of the eight questions, with their list beside it."""
    types = [str(labelled(number)["category"]) for number in range(8)]
    dev = [
        {"index": IDS.index(name), "question_id": name, "question_type": types[IDS.index(name)]}
        for name in DEV
    ]
    path = folder / "split.json"
    path.write_text(json.dumps({"seed": 3, "drawn": len(DEV), "of": 8, "dev": dev}), "utf-8")
    lines = [
        json.dumps({"question_id": name, "question_type": kind}) + "\n"
        for name, kind in zip(IDS, types, strict=True)
    ]
    (folder / "questions.jsonl").write_text("".join(lines), "utf-8")
    return path


def make_grades(
    folder: Path,
    point: str,
    right: Iterable[str],
    *,
    part: str = "dev",
    names: Iterable[str] | None = None,
    **row: Any,
) -> Grades:
    """Grades of the part of `make_split`, or of the `names` alone: the questions in `right` were
    answered right."""
    split = make_split(folder)
    source = folder / f"{point} {part}.jsonl"
    correct = set(right)
    given = names or (DEV if part == "dev" else IDS)
    rows = [{"question_id": name, "correct": name in correct, **row} for name in given]
    source.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    out = folder / f"grades of {point} {part}"
    options = ["--questions", str(folder / "questions.jsonl"), "--part", part, "--out", str(out)]
    options += [] if part == "dev" else ["--exploratory"]
    arguments = [str(source), "--format", "jsonl", "--point", point, "--split", str(split)]
    assert call(["grades", "import", *arguments, *options, "-q"]) == 0
    return Grades.open(out)
