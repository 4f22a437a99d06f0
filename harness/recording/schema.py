"""The tables of a recording, version 1. `docs/file-formats.md` describes every column.

Per-case tables have their rows in case order, `CASES_PER_GROUP` cases in each row group, so that a
reader takes a few cases at a time. `records` and `blocks` hold each distinct record and block once;
blocks that several records share come first, the others in order of first use, so that the blocks
of a case lie together. `lookup_tables` has the further tables of a recording of lookups.
"""

from __future__ import annotations

import pyarrow as pa

from harness.model import LOOKUP

from .lookup_tables import LOOKUP_TABLES

RECORDING_SCHEMA = "harness.recording/1"
CASES_PER_GROUP = 16
RECORDS_PER_GROUP = 32
BLOCKS_PER_GROUP = 4096

QUERIES = "queries.parquet"
CASE_RECORDS = "case_records.parquet"
WINDOWS = "windows.parquet"
GOLD = "gold.parquet"
RECORDS = "records.parquet"
BLOCKS = "blocks.parquet"
TABLES = (QUERIES, CASE_RECORDS, WINDOWS, GOLD, RECORDS, BLOCKS)
ENTRIES = (*TABLES, *LOOKUP_TABLES)
"""What a recording writes at the top of its folder, its records aside."""


def tables_of(kind: str) -> tuple[str, ...]:
    """Return the tables of a recording of that kind of case."""
    return ENTRIES if kind == LOOKUP else TABLES


QUERIES_SCHEMA = pa.schema(
    [
        pa.field("case", pa.int32(), nullable=False),
        pa.field("case_id", pa.string(), nullable=False),
        pa.field("category", pa.string()),
        pa.field("text", pa.string(), nullable=False),
        pa.field("date", pa.string()),
        pa.field("vector", pa.list_(pa.float32())),
    ]
)
CASE_RECORDS_SCHEMA = pa.schema(
    [
        pa.field("case", pa.int32(), nullable=False),
        pa.field("place", pa.int32(), nullable=False),
        pa.field("record_id", pa.string(), nullable=False),
        pa.field("session_id", pa.string()),
        pa.field("record", pa.int32(), nullable=False),
    ]
)
WINDOWS_SCHEMA = pa.schema(
    [
        pa.field("case", pa.int32(), nullable=False),
        pa.field("place", pa.int32(), nullable=False),
        pa.field("head", pa.int32(), nullable=False),
        pa.field("claims", pa.list_(pa.int32()), nullable=False),
        pa.field("reserved", pa.bool_(), nullable=False),
        pa.field("recall_rank", pa.int32()),
        pa.field("recall_score", pa.float64()),
    ]
)
EVIDENCE_TYPE = pa.struct(
    [
        pa.field("record_id", pa.string(), nullable=False),
        pa.field("start", pa.int32(), nullable=False),
        pa.field("end", pa.int32(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
    ]
)
GOLD_SCHEMA = pa.schema(
    [
        pa.field("case", pa.int32(), nullable=False),
        pa.field("answer", pa.string()),
        pa.field("answer_is_integer", pa.bool_(), nullable=False),
        pa.field("abstention", pa.bool_(), nullable=False),
        pa.field("sessions", pa.list_(pa.string()), nullable=False),
        pa.field("evidence", pa.list_(EVIDENCE_TYPE), nullable=False),
    ]
)
RECORDS_SCHEMA = pa.schema(
    [
        pa.field("record", pa.int32(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("timestamp", pa.string()),
        pa.field("metadata", pa.string(), nullable=False),
        pa.field("block_ends", pa.list_(pa.int32())),
        pa.field("blocks", pa.list_(pa.int32())),
    ]
)


def with_every_answer(table_schema: pa.Schema) -> pa.Schema:
    """Return the schema of a table of labels of which each has an answer; other tables keep theirs.

    Its answers are declared so that they are never null: recordings were written so before labels
    without an answer were valid, and keep their bytes.
    """
    place = table_schema.get_field_index("answer")
    if place < 0:
        return table_schema
    return table_schema.set(place, table_schema.field(place).with_nullable(False))


def blocks_schema(dimension: int | None) -> pa.Schema:
    """Return the schema of `blocks`: vectors are `dimension` bytes (one null byte wide without
    any)."""
    return pa.schema(
        [
            pa.field("block", pa.int32(), nullable=False),
            pa.field("text", pa.string(), nullable=False),
            pa.field("vector", pa.binary(dimension or 1)),
        ]
    )
