"""Evidence counted from ranges, and from the same contexts traced by text, is the same.

A replay knows the ranges that it quotes. An import knows the text alone. On every case without an
ambiguity counter all counts agree; how many cases have one is stated here for the sample.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.datasets.layout import read_questions
from harness.errors import Faults
from harness.evidence import CaseEvidence, ShownRecord, as_row, labels_of, measure
from harness.model import view_of
from harness.replay.run import Run
from harness.replay.sources.omnimemeval.checks import Checks
from harness.replay.sources.omnimemeval.haystack_records import DatasetRecords
from harness.replay.sources.omnimemeval.traced_case import TracedCase, trace_case

from ...make.questions import made_questions
from ...make.recordings import recording_of_questions

POINTS = (
    "items",
    "quote-curve(head=320, tail=160)",
    "2.6.5a1(budget=2800)",
    "evidence(budget=1000)",
    "whole(budget=4000)",
)


@dataclass(frozen=True)
class Compared:
    """One case at one point: the counts that differ, by range and by text."""

    place: tuple[str, str]
    different: Mapping[str, tuple[object, object]]
    checks: Checks


def compare(folder: Path, data: Path) -> Iterator[Compared]:
    """Every case of a run at every point."""
    opened = Run.open(folder)
    by_range = {
        (row["case_id"], row["point"]): row
        for row in opened.evidence_rows(opened.points).to_pylist()
    }
    items: dict[tuple[str, str], set[int]] = {}
    for row in opened.table("quotes").to_pylist():
        items.setdefault((row["case_id"], row["point"]), set()).add(row["item"])
    questions = {question.question_id: question for question in read_questions(data)}
    records = DatasetRecords(data.name, "0" * 64)
    for point in opened.points:
        for case_id, _, context in opened.contexts(point):
            question = questions[case_id]
            texts = records.records_of(question, "", Faults())
            traced = trace_case(question, texts, context)
            row = by_range[case_id, str(point)]
            places = sorted(items.get((case_id, opened.computed_as[str(point)]), ()))
            if row["first_item_rank"] is not None:
                # a context does not tell which items of the window it left out
                row["first_item_rank"] = places.index(row["first_item_rank"] - 1) + 1
            counts = as_row(by_text(traced, row["context_tokens"]))
            different = {
                name: (row[name], count) for name, count in counts.items() if row[name] != count
            }
            yield Compared((case_id, str(point)), different, traced.checks)


def by_text(traced: TracedCase, tokens: int | None) -> CaseEvidence:
    records = view_of(traced.case)[1]
    shown = [
        ShownRecord(item.item, records[quote.record].record_id, quote.ranges)
        for item in traced.selection.items
        for quote in (item.head, *item.excerpts)
    ]
    return measure(labels_of(traced.case), shown, tokens)


def tally(compared: Sequence[Compared]) -> Counter[str]:
    """How many are ambiguous, and how many of each kind differ; none that is not may."""
    assert [each for each in compared if each.different and not each.checks.ambiguous] == []
    assert sum(each.checks.parts_unlocated for each in compared) == 0
    assert sum(each.checks.rendered_differently for each in compared) == 0
    kinds = Counter("ambiguous" if each.checks.ambiguous else "clear" for each in compared)
    kinds["different"] = sum(bool(each.different) for each in compared)
    return kinds


def replayed(recording: Path, out: Path) -> Path:
    specs = [part for spec in POINTS for part in ("--point", spec)]
    assert run(["replay", str(recording), "--out", str(out), "-q", "--no-tokens", *specs]) == 0
    return out


def test_the_bundled_sample(checkout: Path, tmp_path: Path) -> None:
    sample = checkout / "datasets" / "sample"
    folder = replayed(sample / "recording", tmp_path / "run")
    kinds = tally(list(compare(folder, sample / "sample.json.xz")))
    assert kinds["clear"] + kinds["ambiguous"] == 150 * len(POINTS)
    assert kinds["ambiguous"] < 0.3 * 150 * len(POINTS)
    assert kinds["different"] == 0


def test_made_up_questions_full_of_oddities(tmp_path: Path) -> None:
    recording = recording_of_questions(made_questions(30))
    folder = replayed(recording, tmp_path / "run")
    kinds = tally(list(compare(folder, recording.with_name("data.json"))))
    assert kinds["clear"] > 100


@pytest.mark.shared
def test_a_part_of_the_real_data(shared: Path, tmp_path: Path) -> None:
    """Every fourth question of the subset, whose windows are recorded with made-up vectors."""
    subset = shared / "data" / "longmemeval" / "longmemeval_s_subset35.jsonl.gz"
    with gzip.open(subset, "rt", encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines][::4]
    recording = recording_of_questions(questions)
    folder = replayed(recording, tmp_path / "run")
    kinds = tally(list(compare(folder, recording.with_name("data.json"))))
    assert kinds["clear"] + kinds["ambiguous"] == len(questions) * len(POINTS)
    assert kinds["clear"] > kinds["ambiguous"]
    assert kinds["different"] == 0
