"""The rows of a recording's tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import lookup_tables
from .entries import BlockKey, CaseEntry, RecordBody, metadata_json


def record_row(number: int, body: RecordBody, numbers: Mapping[BlockKey, int]) -> dict[str, Any]:
    ends = body.block_ends
    return {
        "record": number,
        "text": body.text,
        "timestamp": body.timestamp,
        "metadata": metadata_json(body.metadata),
        "block_ends": None if ends is None else list(ends),
        "blocks": None if ends is None else [numbers[key] for key in body.block_keys],
    }


def query_rows(number: int, case: CaseEntry) -> list[dict[str, Any]]:
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


def case_record_rows(number: int, case: CaseEntry) -> list[dict[str, Any]]:
    return [
        {
            "case": number,
            "place": place,
            "record_id": record.record_id,
            "session_id": record.session_id,
            "record": record.body,
        }
        for place, record in enumerate(case.records)
    ]


def window_rows(number: int, case: CaseEntry) -> list[dict[str, Any]]:
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


def gold_rows(number: int, case: CaseEntry) -> list[dict[str, Any]]:
    gold = case.gold
    if gold is None:
        return []
    return [
        {
            "case": number,
            "answer": str(gold.answer),
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


def lookup_rows(number: int, case: CaseEntry) -> list[dict[str, Any]]:
    return [] if case.lookup is None else [lookup_tables.lookup_row(number, case.lookup)]


def lookup_gold_rows(number: int, case: CaseEntry) -> list[dict[str, Any]]:
    gold = case.lookup_gold
    return [] if gold is None else [lookup_tables.lookup_gold_row(number, gold)]
