"""From the real dataset to runs, with the default recall and embedder.

A question of each type, and one of abstention, of the 35-question subset are recorded and replayed
through every default point; two of the subset twice from nothing. Embedding some 14,000 texts takes
nearly all of the time. Everything slow is a fixture of this module.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.model import MEMORY, divide
from harness.points import default_points, load_arm
from harness.recording.recording import Recording
from harness.replay import schema
from harness.replay.run import Run

from ..make.questions import contents_of

pytestmark = [pytest.mark.shared, pytest.mark.embed]

SUBSET = Path("data") / "longmemeval" / "longmemeval_s_subset35.jsonl.gz"
Question = dict[str, Any]


@pytest.fixture(scope="module")
def lines(shared: Path) -> list[str]:
    with gzip.open(shared / SUBSET, "rt", encoding="utf-8") as stream:
        return list(stream)


@pytest.fixture(scope="module")
def seven(lines: list[str]) -> list[str]:
    """The first of the abstentions, and of each type: the subset has them in fives."""
    return lines[::5]


@pytest.fixture(scope="module")
def questions(seven: list[str]) -> list[Question]:
    return [json.loads(line) for line in seven]


@pytest.fixture(scope="module")
def recording(seven: list[str], tmp_path_factory: pytest.TempPathFactory) -> Recording:
    folder = tmp_path_factory.mktemp("subset")
    data = folder / "seven.jsonl"
    data.write_text("".join(seven), encoding="utf-8")
    given = ["record", "longmemeval", str(data), "--out", str(folder / "recording")]
    assert run([*given, "--cache", str(folder / "cache.sqlite"), "--jobs", "2", "-q"]) == 0
    return Recording.open(folder / "recording")


@pytest.fixture(scope="module")
def replayed(recording: Recording) -> Run:
    out = recording.folder.parent / "run"
    assert run(["replay", str(recording.folder), "--out", str(out), "--jobs", "2", "-q"]) == 0
    return Run.open(out)


def test_every_question_has_its_window(recording: Recording, questions: list[Question]) -> None:
    counts = recording.manifest.content["counts"]
    assert (counts["cases"], counts["items"], counts["reserved_items"]) == (7, 7 * 12, 14)
    assert 9_000 < counts["distinct_blocks"] < 14_000
    assert counts["records"] < 7 * 12 + 1
    assert len({question["question_type"] for question in questions}) == 6
    assert recording.manifest.content["dimension"] == 512
    assert recording.case_ids == tuple(question["question_id"] for question in questions)


def test_records_are_sessions_and_evidence_is_what_was_said(
    recording: Recording, questions: list[Question]
) -> None:
    located = 0
    for case, question in zip(recording.cases(), questions, strict=True):
        assert case.gold is not None
        assert case.gold.answer == question["answer"]
        assert case.gold.abstention == question["question_id"].endswith("_abs")
        texts = {record.record_id: record.text for record in case.records}
        for record in case.records:
            position = int(record.record_id.rpartition(":")[2])
            assert record.session_id == question["haystack_session_ids"][position]
            said = [
                f"{turn['role']}: {content}"
                for turn in question["haystack_sessions"][position]
                if (content := turn["content"].replace("<|endoftext|>", "").strip())
            ]
            assert record.text == "\n\n".join([f"Session date: {record.timestamp}", *said])
            assert record.blocks is not None
            assert record.blocks.ends.tolist() == [span.end for span in divide(record.text)]
            assert record.blocks.complete_vectors is not None
        turns = [
            (f"{question['question_id']}:{position}", turn["content"].strip())
            for position, session in enumerate(question["haystack_sessions"])
            for turn in session
            if turn.get("has_answer")
        ]
        assert len(turns) == len(case.gold.evidence)
        for (record_id, content), span in zip(turns, case.gold.evidence, strict=True):
            assert span.record_id == record_id
            if record_id in texts:
                assert texts[record_id][span.start : span.end] == content
                located += 1
    assert located > 6


def test_every_case_went_through_every_point(replayed: Run) -> None:
    assert [str(point) for point in replayed.points] == [
        str(point) for point in default_points(kind=MEMORY)
    ]
    for table in (schema.SELECTIONS, schema.EVIDENCE):
        rows = replayed.table(table, ["case_id", "point"]).to_pylist()
        points = Counter(row["point"] for row in rows)
        assert points == dict.fromkeys(replayed.computed_as.values(), 7)
    used = replayed.table(schema.SELECTIONS).to_pylist()
    assert all(row["used"] <= row["budget"] for row in used if row["passages_taken"] > 1)
    assert all(0 < row["context_tokens"] < row["prompt_tokens_estimated"] for row in used)


def test_arms_that_promise_growth_keep_it(replayed: Run) -> None:
    content = replayed.manifest.content
    assert content["growth_checks"]["2.6.5a1"] == 5 * 7
    assert not any(load_arm(arm).promises_growth for arm in content["losses"])


def test_every_item_shows_every_answer_session_of_the_window(
    recording: Recording, replayed: Run
) -> None:
    found = {
        row["case_id"]: row
        for row in replayed.table(schema.EVIDENCE).to_pylist()
        if row["point"] == replayed.computed_as["items"]
    }
    shown = total = 0
    for case in recording.cases():
        assert case.gold is not None
        answers = set(case.gold.sessions)
        there = answers & {record.session_id for record in case.records}
        assert found[case.case_id]["answer_sessions"] == len(answers)
        assert found[case.case_id]["answer_sessions_shown"] == len(there)
        shown, total = shown + len(there), total + len(answers)
    assert shown / total > 0.9  # the recall has not come apart


def from_nothing(folder: Path, lines: list[str], jobs: str) -> dict[str, bytes]:
    """Everything that recording and replaying wrote, in a folder with nothing but the questions."""
    folder.mkdir()
    (folder / "two.jsonl").write_text("".join(lines), encoding="utf-8")
    for verb in (
        ["record", "longmemeval", "two.jsonl", "--out", "recording", "--cache", "cache.sqlite"],
        ["replay", "recording", "--out", "run"],
    ):
        command = [sys.executable, "-m", "harness.cli.main", *verb, "--jobs", jobs, "-q"]
        subprocess.run(command, cwd=folder, check=True)
    recorded, run_files = contents_of(folder / "recording"), contents_of(folder / "run")
    return recorded | {f"run/{name}": data for name, data in run_files.items()}


def test_twice_from_nothing_is_the_same_to_the_byte(lines: list[str], tmp_path: Path) -> None:
    two = lines[3::20]
    assert len(two) == 2
    first = from_nothing(tmp_path / "first", two, jobs="2")
    second = from_nothing(tmp_path / "second", two, jobs="1")
    assert first == second
    assert {"manifest.json", "blocks.parquet", "run/manifest.json"} <= set(first)
