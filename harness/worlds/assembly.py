"""A case of a recorded lookup, put together from what was printed and the documents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from harness.model import (
    MAX_BLOCK_CHARACTERS,
    BlockSet,
    Case,
    Document,
    EvidenceSpan,
    Gold,
    Item,
    Lookup,
    LookupGold,
    LookupRow,
    Query,
    Record,
    RequiredPassage,
    divide,
)

NOT_FOUND = "not-found"


def record_id_of(path: str, version: int | None) -> str:
    """Return the id of a document's record: its path, and its version where that is known."""
    return path if version is None else f"{path}/v{version}"


def in_row_order(rows: Sequence[LookupRow], documents: Sequence[Document]) -> tuple[Document, ...]:
    """Return the documents that rows name, as the rows first name them, then the others as they
    come."""
    by_path = {document.path: document for document in documents}
    named = dict.fromkeys(row.path for row in rows if row.path in by_path)
    first = [by_path[path] for path in named]
    return (*first, *(document for document in documents if document.path not in named))


def record_of(document: Document) -> Record:
    """Return the document as the record that evidence arms read."""
    return Record(
        record_id=record_id_of(document.path, document.version),
        text=document.body,
        session_id=document.path,
        metadata=document.metadata,
        blocks=section_blocks(document),
    )


def section_blocks(document: Document) -> BlockSet:
    """Return the preamble and each heading's own text, up to the next heading of any level; what is
    too long is divided by the block rules. White space before the first heading belongs to it."""
    body = document.body
    starts = sorted({section.start for section in document.sections})
    if starts and not body[: starts[0]].strip():
        starts[0] = 0
    cuts = sorted({0, *starts, len(body)})
    ends: list[int] = []
    for start, end in pairwise(cuts):
        if end - start <= MAX_BLOCK_CHARACTERS:
            ends.append(end)
        else:
            ends.extend(start + span.end for span in divide(body[start:end]))
    ends_column = np.array(ends, dtype=np.int32)
    starts_column = np.array([0, *ends[:-1]], dtype=np.int32)[: len(ends)]
    return BlockSet(starts_column, ends_column, None)


def lookup_case(
    case_id: str,
    category: str | None,
    query: Query,
    lookup: Lookup,
    gold: LookupGold | None,
    records: Mapping[str, Record] | None = None,
) -> Case:
    """Return the case of a lookup whose documents are in row order.

    `records` are the documents' records by id, where they are made already.
    """
    made = [
        (records or {}).get(record_id_of(document.path, document.version)) or record_of(document)
        for document in lookup.documents
    ]
    named = {row.path for row in lookup.rows}
    shown = [
        record
        for record, document in zip(made, lookup.documents, strict=True)
        if document.path in named
    ]
    return Case(
        case_id=case_id,
        query=query,
        records=tuple(made),
        items=tuple(Item(record.record_id) for record in shown),
        category=category,
        gold=None if gold is None else gold_of(gold, lookup.documents),
        lookup=lookup,
        lookup_gold=gold,
    )


def gold_of(gold: LookupGold, documents: Sequence[Document]) -> Gold:
    """Return the labels as evidence metrics read them: required documents, and the quotes' ranges.

    A passage of a document or version that is not at hand is a range outside the window.
    """
    passages = [(name, passage) for name, required in gold.evidence.items() for passage in required]
    answer = gold.answer
    return Gold(
        answer=None
        if answer is None
        else json.dumps(dict(answer), ensure_ascii=False, sort_keys=True),
        abstention=gold.outcome == NOT_FOUND,
        sessions=tuple(dict.fromkeys(passage.path for _, passage in passages)),
        evidence=tuple(_span(name, passage, documents) for name, passage in passages),
    )


def _span(name: str, passage: RequiredPassage, documents: Sequence[Document]) -> EvidenceSpan:
    record_id = record_id_of(passage.path, passage.version)
    for document in documents:
        if (document.path, document.version) != (passage.path, passage.version):
            continue
        for section in document.sections:
            if section.anchor == passage.anchor:
                start = document.body.find(passage.quote, section.start, section.end)
                if start >= 0:
                    return EvidenceSpan(record_id, start, start + len(passage.quote), name)
    return EvidenceSpan(record_id, 0, len(passage.quote), name)
