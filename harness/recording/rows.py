"""The rows of a recording's tables, written from the model's values and read back into them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from harness.model import (
    Case,
    Document,
    EvidenceSpan,
    Gold,
    Item,
    Json,
    Query,
    RecallPlace,
    Record,
    Section,
)

Row = dict[str, Any]


class DistinctRecord(NamedTuple):
    """What a record holds apart from its ids; records that hold the same are stored once.

    `metadata` is JSON. `block_ends`: where each block ends, in order; None without a current block
    set. `blocks`: as many numbers of distinct blocks. `document`: path, version, sections and first
    paragraph of the document that it is, in a recording of lookups.
    """

    text: str
    timestamp: str | None
    metadata: str
    block_ends: tuple[int, ...] | None
    blocks: tuple[int, ...]
    document: tuple[str, int | None, tuple[Section, ...], str] | None


def distinct_record(
    record: Record, blocks: Sequence[int], document: Document | None
) -> DistinctRecord:
    """Return what `record`, whose blocks have these numbers, holds apart from its ids."""
    ends = None if record.blocks is None else tuple(record.blocks.ends.tolist())
    of_document = None
    if document is not None:
        of_document = (
            document.path,
            document.version,
            document.sections,
            document.first_paragraph,
        )
    return DistinctRecord(
        record.text,
        record.timestamp,
        _metadata_json(record.metadata),
        ends,
        tuple(blocks),
        of_document,
    )


def _metadata_json(metadata: Mapping[str, Json]) -> str:
    return json.dumps(dict(metadata), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def record_row(number: int, record: DistinctRecord, places: Sequence[int]) -> Row:
    """Return the row of a record; `places` leads from the number of a block to its row."""
    ends = record.block_ends
    return {
        "record": number,
        "text": record.text,
        "timestamp": record.timestamp,
        "metadata": record.metadata,
        "block_ends": None if ends is None else list(ends),
        "blocks": None if ends is None else [places[block] for block in record.blocks],
    }


def query_rows(number: int, case: Case) -> list[Row]:
    query = case.query
    return [
        {
            "case": number,
            "case_id": case.case_id,
            "category": case.category,
            "text": query.text,
            "date": query.date,
            "vector": query.vector,
        }
    ]


def query_of(row: Row) -> Query:
    vector = row["vector"]
    return Query(
        row["text"],
        row["date"],
        None if vector is None else np.array(vector, dtype=np.float32),
    )


def case_record_rows(number: int, case: Case, records: Sequence[int]) -> list[Row]:
    """Return a row for each record of the case; `records` are their numbers."""
    return [
        {
            "case": number,
            "place": place,
            "record_id": record.record_id,
            "session_id": record.session_id,
            "record": records[place],
        }
        for place, record in enumerate(case.records)
    ]


def window_rows(number: int, case: Case) -> list[Row]:
    places = {record.record_id: place for place, record in enumerate(case.records)}
    return [
        {
            "case": number,
            "place": place,
            "head": places[item.head],
            "claims": [places[claim] for claim in item.claims],
            "reserved": item.reserved,
            "recall_rank": None if item.recall is None else item.recall.rank,
            "recall_score": None if item.recall is None else item.recall.score,
        }
        for place, item in enumerate(case.items)
    ]


def item_of(row: Row, records: Sequence[Record]) -> Item:
    rank = row["recall_rank"]
    return Item(
        head=records[row["head"]].record_id,
        claims=tuple(records[claim].record_id for claim in row["claims"]),
        reserved=row["reserved"],
        recall=None if rank is None else RecallPlace(rank, row["recall_score"]),
    )


def gold_rows(number: int, case: Case) -> list[Row]:
    gold = case.gold
    if gold is None:
        return []
    return [
        {
            "case": number,
            "answer": None if gold.answer is None else str(gold.answer),
            "answer_is_integer": isinstance(gold.answer, int),
            "abstention": gold.abstention,
            "sessions": list(gold.sessions),
            "evidence": [
                {
                    "record_id": span.record_id,
                    "start": span.start,
                    "end": span.end,
                    "role": span.role,
                }
                for span in gold.evidence
            ],
        }
    ]


def gold_of(row: Row) -> Gold:
    answer = row["answer"]
    if answer is not None and row["answer_is_integer"]:
        answer = int(answer)
    evidence = tuple(
        EvidenceSpan(span["record_id"], span["start"], span["end"], span["role"])
        for span in row["evidence"]
    )
    return Gold(answer, row["abstention"], tuple(row["sessions"]), evidence)
