"""The tables of a folder of grades, version 1. `docs/formats/grades.md` describes every column."""

from __future__ import annotations

import pyarrow as pa

GRADES_SCHEMA = "harness.grades/1"

GRADED = "graded.parquet"
OUTCOMES = "outcomes.parquet"
TABLES = (GRADED, OUTCOMES)

WORK_KEY = b"harness.grades.work"
"""Key of the metadata of `graded.parquet` that holds the manifest's `work` as canonical JSON, so
that the hash of the folder is also of what the grades are of and of what let them be made."""

GRADED_SCHEMA = pa.schema(
    [
        pa.field("question_id", pa.string(), nullable=False),
        pa.field("pass", pa.int32(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("source_sha256", pa.string()),
        pa.field("row", pa.int32()),
        pa.field("reader", pa.string()),
        pa.field("judge", pa.string()),
        pa.field("prompt_tokens", pa.int32()),
        pa.field("completion_tokens", pa.int32()),
        pa.field("tokens_source", pa.string()),
        pa.field("context_tokens", pa.int32()),
        pa.field("context_sha256", pa.string()),
    ]
)
OUTCOMES_SCHEMA = pa.schema(
    [
        pa.field("question_id", pa.string(), nullable=False),
        pa.field("pass", pa.int32(), nullable=False),
        pa.field("correct", pa.bool_(), nullable=False),
    ]
)
