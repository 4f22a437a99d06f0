"""The counts of `CaseEvidence` as columns of a Parquet table, one row a case and point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields

import pyarrow as pa

from .case_evidence import CaseEvidence

Row = dict[str, bool | int | None]


def _column(name: str, kind: pa.DataType, meaning: str, *, null: str = "") -> pa.Field:
    described = {"meaning": meaning} | ({"null": null} if null else {})
    return pa.field(name, kind, nullable=bool(null), metadata=described)


SCHEMA = pa.schema(
    [
        _column("labelled", pa.bool_(), "the case has gold"),
        _column("answer_sessions", pa.int32(), "answer sessions, each id once"),
        _column(
            "answer_sessions_shown",
            pa.int32(),
            "answer sessions with at least one quoted character",
        ),
        _column("evidence_turns", pa.int32(), "labelled turns, in the window or not"),
        _column(
            "evidence_turns_touched",
            pa.int32(),
            "labelled turns with at least one quoted character",
        ),
        _column("evidence_turn_chars", pa.int32(), "characters of the labelled turns"),
        _column(
            "evidence_turn_chars_quoted",
            pa.int32(),
            "characters of the labelled turns that are quoted, each once",
        ),
        _column(
            "quoted_chars_raw",
            pa.int32(),
            "quoted characters as shown, repeats counted each time, separators not at all",
        ),
        _column("quoted_chars_merged", pa.int32(), "quoted characters, each of a record once"),
        _column(
            "quoted_chars_in_answer_sessions",
            pa.int32(),
            "quoted characters of answer sessions, each of a record once",
        ),
        _column(
            "first_item_rank",
            pa.int32(),
            "place in the window, from 1, of the first item that quotes an answer session",
            null="no item does",
        ),
        _column(
            "context_tokens",
            pa.int32(),
            "tokens of the rendered context",
            null="tokens were not counted",
        ),
    ]
)
"""Names, types and nullability; each field's metadata has its `meaning` and what `null` means."""


def as_row(evidence: CaseEvidence) -> Row:
    """The counts by column name, for `pyarrow.Table.from_pylist` with `SCHEMA`."""
    return asdict(evidence)


def as_table(cases: Sequence[CaseEvidence]) -> pa.Table:
    """The counts of many cases as a table of `SCHEMA`, in the order given."""
    arrays = [
        pa.array([getattr(case, field.name) for case in cases], SCHEMA.field(field.name).type)
        for field in fields(CaseEvidence)
    ]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)
