"""Points that show the same context share one answer, so a comparison of two points differs only
where their contexts do: also with a reader that answers the same prompt otherwise each time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.datasets.split import drawn_indices
from harness.model import Case, Gold, Item, Query, Record

from ..make.once import copied
from ..make.recordings import recording_of
from ..make.splits import write_split

POINTS = ("count-curve(k=1)", "count-curve(k=2)")
IDS = tuple(f"q{number:02d}" for number in range(17))
DEV = tuple(IDS[index] for index in drawn_indices(1, 16, len(IDS)))
ALIKE = DEV[:10]
"""Questions with one record: one item and two show the same context."""

# of its calls every other one is right, whatever the prompt is
NOISY = """
import json, sys
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)
    with open("calls.txt", "a") as calls:
        calls.write(f"{number}\\n")
    print(json.dumps({"answer": "It is green." if number % 2 else "No."}), flush=True)
"""


def case(question_id: str) -> Case:
    count = 1 if question_id in ALIKE else 3
    records = tuple(
        Record(f"{question_id}-{place}", f"user: text {place} of {question_id}", session_id="s")
        for place in range(count)
    )
    items = tuple(Item(record.record_id) for record in records)
    question = Query(f"Which colour has {question_id}?")
    return Case(question_id, question, records, items, "made", Gold("green", sessions=("s",)))


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of both points over sixteen dev questions, and a noisy reader."""
    monkeypatch.chdir(tmp_path)
    copied(recording_of([case(name) for name in IDS], dataset_sha256=None), Path("recording"))
    given = [word for point in POINTS for word in ("--point", point)]
    assert run(["replay", "recording", "--out", "run", "-q", *given]) == 0
    types = dict.fromkeys(IDS, "made")
    write_split(Path("split.json"), types, seed=1, dev=len(DEV), dataset_sha256="ab" * 32)
    Path("noisy.py").write_text(NOISY)
    command = json.dumps([sys.executable, "noisy.py"])
    Path("noisy.toml").write_text(f'kind = "command"\nmodel = "noisy"\ncommand = {command}\n')
    return tmp_path


def answered_and_graded(points: tuple[str, ...], store: str, out: str) -> None:
    given = [word for point in points for word in ("--point", point)]
    part = ["--split", "split.json", "--part", "dev", "-q"]
    reader = ["--reader", "noisy.toml", "--store", store]
    assert run(["answer", "run", *given, *reader, *part]) == 0
    graded = ["--grader", "contains", "--recording", "recording", "--out", out, "-q"]
    assert run(["grade", store, *graded]) == 0


def flips(capsys: pytest.CaptureFixture[str], *sides: str, counts: bool) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run(["answers", "flips", *sides, "--json", *(["--counts"] if counts else [])]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.usefixtures("asked")
def test_flips_are_only_where_contexts_differ(capsys: pytest.CaptureFixture[str]) -> None:
    answered_and_graded(POINTS, "answers", "graded")
    sides = tuple(f"graded/{point}" for point in POINTS)
    by_contexts = {row["contexts"]: row for row in flips(capsys, *sides, counts=True)}
    same = by_contexts["the same context"]
    assert (same["compared"], same["first_only"], same["second_only"]) == (len(ALIKE), 0, 0)
    assert by_contexts["all"]["compared"] == len(DEV)
    found = {row["question_id"] for row in flips(capsys, *sides, counts=False)}
    assert found.isdisjoint(ALIKE)
    # the calls are the distinct prompts
    calls = Path("calls.txt").read_text().split()
    assert len(calls) == len(ALIKE) + 2 * (len(DEV) - len(ALIKE))


@pytest.mark.usefixtures("asked")
def test_stores_of_their_own_bring_the_noise_of_the_reader(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What sharing prevents: asked apart, equal contexts are answered differently."""
    answered_and_graded(POINTS[:1], "first", "one")
    Path("noisy.py").write_text(NOISY.replace('if number % 2 else "No."', 'if False else "No."'))
    answered_and_graded(POINTS[1:], "second", "two")
    sides = (f"one/{POINTS[0]}", f"two/{POINTS[1]}")
    same = flips(capsys, *sides, counts=True)[-3]
    assert same["contexts"] == "the same context"
    assert same["first_only"] > 0
    found = [row for row in flips(capsys, *sides, counts=False) if row["question_id"] in ALIKE]
    assert {row["explanation"] for row in found} == {
        "same context: noise of the reader or the judge"
    }
