"""The `Case` of a recorded first lookup as one JSON object of `harness.lookup/1`."""

from __future__ import annotations

from typing import Any

from harness.model import Case, Document, Lookup, LookupGold

from .lookup_reader import LOOKUP_SCHEMA


def lookup_object(case: Case, lookup: Lookup) -> dict[str, Any]:
    """Return the object of a lookup; every key is written, null where there is nothing."""
    return {
        "schema": LOOKUP_SCHEMA,
        "case_id": case.case_id,
        "category": case.category,
        "query": case.query.text,
        "scope": lookup.scope,
        "table": lookup.table,
        "spent_bytes": lookup.spent_bytes,
        "documents": [_document(document) for document in lookup.documents],
        "gold": None if case.lookup_gold is None else _gold(case.lookup_gold),
    }


def _document(document: Document) -> dict[str, Any]:
    return {
        "path": document.path,
        "version": document.version,
        "metadata": dict(document.metadata),
        "body": document.body,
        "sections": [
            {
                "anchor": section.anchor,
                "level": section.level,
                "start": section.start,
                "end": section.end,
                "lines": section.lines,
            }
            for section in document.sections
        ],
    }


def _gold(gold: LookupGold) -> dict[str, Any]:
    return {
        "answer": None if gold.answer is None else dict(gold.answer),
        "outcome": gold.outcome,
        "evidence": {
            name: [
                {
                    "path": passage.path,
                    "version": passage.version,
                    "anchor": passage.anchor,
                    "quote": passage.quote,
                }
                for passage in passages
            ]
            for name, passages in gold.evidence.items()
        },
    }
