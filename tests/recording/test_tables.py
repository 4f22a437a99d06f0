"""The tables of a recording, column by column, against the dataset that it was made of."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from harness.model import divide
from harness.recording import schema
from harness.retrieval import quantise

from ..make.questions import DIMENSION, Object, vector_of

Rows = list[dict[str, Any]]


def rows(recording: Path, table: str) -> Rows:
    found: Rows = pq.read_table(recording / table).to_pylist()
    return found


def iso(date: str) -> str:
    day, *_, time = date.split()
    return f"{day.replace('/', '-')}T{time}:00+00:00"


def test_queries_are_the_questions_in_order(recording: Path, questions: list[Object]) -> None:
    found = rows(recording, schema.QUERIES)
    assert [row["case"] for row in found] == list(range(40))
    for row, asked in zip(found, questions, strict=True):
        assert row["case_id"] == asked["question_id"]
        assert row["category"] == asked["question_type"]
        assert row["text"] == asked["question"]
        assert row["date"] == "2023-12-30T23:40:00+00:00"
        assert row["vector"] == np.array(vector_of(row["text"]), dtype=np.float32).tolist()


def test_gold_is_the_labels(recording: Path, questions: list[Object]) -> None:
    texts = {row["record"]: row["text"] for row in rows(recording, schema.RECORDS)}
    bodies = {
        (row["case"], row["record_id"]): texts[row["record"]]
        for row in rows(recording, schema.CASE_RECORDS)
    }
    located = 0
    for row, asked in zip(rows(recording, schema.GOLD), questions, strict=True):
        assert row["answer"] == str(asked["answer"])
        assert row["answer_is_integer"] == isinstance(asked["answer"], int)
        assert row["abstention"] == asked["question_id"].endswith("_abs")
        assert row["sessions"] == asked["answer_session_ids"]
        wanted = [
            (f"{asked['question_id']}:{place}", one["role"], one["content"].strip())
            for place, session in enumerate(asked["haystack_sessions"])
            for one in session
            if one.get("has_answer")
        ]
        assert [(span["record_id"], span["role"]) for span in row["evidence"]] == [
            (record_id, role) for record_id, role, _ in wanted
        ]
        for span, (record_id, _, content) in zip(row["evidence"], wanted, strict=True):
            text = bodies.get((row["case"], record_id))  # evidence may be outside the window
            located += text is not None
            assert text is None or text[span["start"] : span["end"]] == content
    assert located > 30


def test_windows_are_ten_places_and_two_reserved(recording: Path) -> None:
    by_case: dict[int, Rows] = {}
    for row in rows(recording, schema.WINDOWS):
        by_case.setdefault(row["case"], []).append(row)
    assert sorted(by_case) == list(range(40))
    for window in by_case.values():
        assert [row["place"] for row in window] == list(range(12))
        assert [row["reserved"] for row in window] == [False] * 10 + [True] * 2
        assert [row["recall_rank"] for row in window[:10]] == list(range(10))
        scores = [row["recall_score"] for row in window]
        assert scores[:10] == sorted(scores[:10], reverse=True)
        assert scores[10] >= scores[11]
        assert [row["head"] for row in window] == list(range(12))
        assert all(row["claims"] == [] for row in window)


def test_records_of_a_case_are_sessions_of_its_haystack(
    recording: Path, questions: list[Object]
) -> None:
    records = rows(recording, schema.RECORDS)
    for row in rows(recording, schema.CASE_RECORDS):
        asked = questions[row["case"]]
        question_id, _, position = row["record_id"].rpartition(":")
        assert question_id == asked["question_id"]
        assert row["session_id"] == asked["haystack_session_ids"][int(position)]
        record = records[row["record"]]
        assert record["timestamp"] == iso(asked["haystack_dates"][int(position)])
        said = [
            f"{one['role']}: {content}"
            for one in asked["haystack_sessions"][int(position)]
            if (content := one["content"].replace("<|endoftext|>", "").strip())
        ]
        assert record["text"] == "\n\n".join([f"Session date: {record['timestamp']}", *said])


def test_each_distinct_record_and_block_stands_once(recording: Path) -> None:
    records, blocks = rows(recording, schema.RECORDS), rows(recording, schema.BLOCKS)
    assert [row["record"] for row in records] == list(range(len(records)))
    assert [row["block"] for row in blocks] == list(range(len(blocks)))
    assert len({row["text"] for row in records}) == len(records)
    assert len({row["text"] for row in blocks}) == len(blocks)
    used = {row["record"] for row in rows(recording, schema.CASE_RECORDS)}
    assert used == set(range(len(records)))
    assert {number for row in records for number in row["blocks"]} == set(range(len(blocks)))


def test_blocks_are_those_of_the_division(recording: Path) -> None:
    texts = [row["text"] for row in rows(recording, schema.BLOCKS)]
    for row in rows(recording, schema.RECORDS):
        assert row["metadata"] == "{}"
        assert row["block_ends"] == [span.end for span in divide(row["text"])]
        assert "".join(texts[number] for number in row["blocks"]) == row["text"]


def test_shared_blocks_come_first_and_each_part_is_in_order_of_use(recording: Path) -> None:
    uses: dict[int, set[int]] = {}
    order: dict[int, None] = {}
    for row in rows(recording, schema.RECORDS):
        for number in row["blocks"]:
            uses.setdefault(number, set()).add(row["record"])
            order[number] = None
    shared = [number for number in order if len(uses[number]) > 1]
    single = [number for number in order if len(uses[number]) == 1]
    assert shared == list(range(len(shared)))
    assert single == list(range(len(shared), len(uses)))
    assert shared


def test_vectors_are_one_int8_row_for_each_block_and_zeros_for_white_space(
    recording: Path,
) -> None:
    blank = 0
    for row in rows(recording, schema.BLOCKS):
        assert len(row["vector"]) == DIMENSION
        if not row["text"].strip():
            blank += 1
            assert row["vector"] == bytes(DIMENSION)
        else:
            vector = np.array(vector_of(row["text"]), dtype=np.float32)
            assert row["vector"] == quantise(vector).tobytes()
    assert blank


def test_the_manifest_counts_what_is_there(recording: Path) -> None:
    from harness.recording.recording import Recording

    manifest = Recording.open(recording).manifest
    records, blocks = rows(recording, schema.RECORDS), rows(recording, schema.BLOCKS)
    counts = manifest.content["counts"]
    assert counts["cases"] == counts["cases_with_gold"] == 40
    assert counts["items"] == len(rows(recording, schema.WINDOWS)) == 480
    assert counts["reserved_items"] == 80
    assert counts["records"] == len(records)
    assert counts["distinct_blocks"] == len(blocks)
    assert counts["blocks"] == sum(len(row["blocks"]) for row in records)
    assert manifest.content["dimension"] == DIMENSION
    data = (recording.parent / "data.json").read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    assert manifest.work["dataset_sha256"] == sha256
    assert manifest.content["dataset"] == {"name": "data.json", "sha256": sha256}
    assert manifest.work["embedder"]["name"] == "words"
    assert manifest.content["recall"]["recall"] == "bm25"
    assert set(manifest.files) == set(schema.TABLES)
