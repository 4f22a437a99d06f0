"""A `Case` as one JSON object of `harness.case/1`."""

from __future__ import annotations

import base64
from typing import Any

from harness.model import BlockSet, Case, Gold, Item, Record

from .case_reader import CASE_SCHEMA


def case_object(case: Case) -> dict[str, Any]:
    """Return the object of a case; every key is written, null where there is nothing."""
    query = case.query
    return {
        "schema": CASE_SCHEMA,
        "case_id": case.case_id,
        "category": case.category,
        "query": {
            "text": query.text,
            "date": query.date,
            "vector": None if query.vector is None else query.vector.tolist(),
        },
        "records": [_record(record) for record in case.records],
        "items": [_item(item) for item in case.items],
        "gold": None if case.gold is None else _gold(case.gold),
    }


def _record(record: Record) -> dict[str, Any]:
    return {
        "record_id": record.record_id,
        "text": record.text,
        "timestamp": record.timestamp,
        "session_id": record.session_id,
        "metadata": dict(record.metadata),
        "blocks": None if record.blocks is None else _blocks(record.blocks),
    }


def _blocks(blocks: BlockSet) -> list[dict[str, Any]]:
    bounds = zip(blocks.starts.tolist(), blocks.ends.tolist(), strict=True)
    return [
        {"start": start, "end": end, "vector": _vector(blocks, index)}
        for index, (start, end) in enumerate(bounds)
    ]


def _vector(blocks: BlockSet, index: int) -> str | None:
    if blocks.vectors is None or index in blocks.missing:
        return None
    return base64.b64encode(blocks.vectors[index].tobytes()).decode("ascii")


def _item(item: Item) -> dict[str, Any]:
    value: dict[str, Any] = {
        "head": item.head,
        "claims": list(item.claims),
        "reserved": item.reserved,
    }
    if item.recall is not None:
        value["recall"] = {"rank": item.recall.rank, "score": item.recall.score}
    return value


def _gold(gold: Gold) -> dict[str, Any]:
    return {
        "answer": gold.answer,
        "abstention": gold.abstention,
        "sessions": list(gold.sessions),
        "evidence": [
            {"record_id": span.record_id, "start": span.start, "end": span.end, "role": span.role}
            for span in gold.evidence
        ],
    }
