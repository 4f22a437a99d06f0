"""Recordings and runs, made once per content; tests must leave them as they are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.cli.main import run as call
from harness.model import Case
from harness.recording.case_writer import case_object
from harness.replay.run import Run

from .cases import labelled_cases, long_cases, small_cases
from .once import copied, once
from .questions import Object, record, word_embedder, write_questions

DATASET_SHA256 = "ab" * 32
SMALL_POINTS = ("count-curve(k=1)", "count-curve(k=2)", "items")
LONG_POINTS = (
    "items",
    "count-curve(k=1)",
    "count-curve(k=2)",
    "count-curve(k=full)",
    "2.6.5a1(budget=800)",
    "2.6.5a1(budget=1200)",
    "evidence(budget=800)",
    "evidence(budget=1000)",
    "evidence(budget=1200)",
)
LABELLED_POINTS = (
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


def recording_of(
    cases: Iterable[Case],
    *,
    recall: Mapping[str, Any] | None = None,
    dataset_sha256: str | None = DATASET_SHA256,
) -> Path:
    """The recording of the cases."""
    header = {
        "schema": "harness.cases/1",
        "recall": recall or {"recall": "by hand", "k": 6},
        "embedder": None,
        "dataset_sha256": dataset_sha256,
    }
    lines = [header, *map(case_object, cases)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return once(lambda folder: _import_cases(folder, text), text) / "recording"


def _import_cases(folder: Path, text: str) -> None:
    source = folder / "cases.jsonl"
    source.write_text(text, encoding="utf-8")
    assert call(["import", "cases", str(source), "--out", str(folder / "recording"), "-q"]) == 0


def recording_of_questions(questions: Sequence[Object], *options: str) -> Path:
    """The recording of LongMemEval questions by the word embedder; `data.json` is beside it."""
    text = json.dumps(list(questions), ensure_ascii=False)

    def build(folder: Path) -> None:
        data = write_questions(folder / "data.json", questions)
        with word_embedder():
            assert record(data, folder / "recording", *options) == 0

    return once(build, text, *options) / "recording"


def run_of(recording: Path, points: Iterable[str] = (), *options: str) -> Path:
    """The run of a recording at the points (every default point without any)."""
    arguments = (str(recording), *_specs(points), *options)

    def build(folder: Path) -> None:
        assert call(["replay", "--out", str(folder / "run"), "-q", *arguments]) == 0

    return once(build, *arguments) / "run"


def run_beside(recording: Path, points: Iterable[str] = (), *options: str) -> Path:
    """The run of a copy of the recording, which lies beside it, with what it was made from."""
    points = tuple(points)

    def build(folder: Path) -> None:
        replayed(recording, folder, points, *options)

    return once(build, str(recording), *points, *options) / "run"


def replayed(recording: Path, folder: Path, points: Iterable[str] = (), *options: str) -> Path:
    """Copy a recording, with what is beside it, to `folder`, and replay it into `folder/run`."""
    shutil.copytree(recording.parent, folder, dirs_exist_ok=True)
    given = ["replay", str(folder / "recording"), "--out", str(folder / "run"), "-q"]
    assert call([*given, *_specs(points), *options]) == 0
    return folder / "run"


def _specs(points: Iterable[str]) -> list[str]:
    return [part for point in points for part in ("--point", point)]


def worst_first() -> list[Case]:
    """`long_cases` with each window upside down, in another order."""
    return [replace(case, items=case.items[::-1]) for case in reversed(long_cases())]


def write_recording(folder: Path, cases: Iterable[Case]) -> Path:
    """A copy in `folder/recording` of the recording of cases by a recall of the folder's name."""
    made = recording_of(cases, recall={"recall": folder.name})
    return copied(made, folder / "recording")


def small_recording() -> Path:
    return recording_of(small_cases(), dataset_sha256=None)


def small_run(*options: str) -> Path:
    """The run of `small_cases` at three points; `options` may add more."""
    return run_beside(small_recording(), SMALL_POINTS, *options)


def long_recording() -> Path:
    return recording_of(long_cases())


def long_run(*options: str, points: Sequence[str] = LONG_POINTS) -> Run:
    """The run of `long_cases` at points that several arms tell apart."""
    return Run.open(run_beside(long_recording(), points, *options))


def labelled_run() -> Run:
    """The run of `labelled_cases`, with curves."""
    return Run.open(run_beside(recording_of(labelled_cases()), LABELLED_POINTS))
