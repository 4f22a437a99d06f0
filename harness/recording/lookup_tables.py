"""The further tables of a recording of lookups, and their rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from harness.model import Case, Document, Lookup, LookupGold, LookupRow, RequiredPassage, Section

DOCUMENTS = "documents.parquet"
LOOKUPS = "lookups.parquet"
LOOKUP_GOLD = "lookup_gold.parquet"
LOOKUP_TABLES = (DOCUMENTS, LOOKUPS, LOOKUP_GOLD)


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


SECTION_TYPE = pa.struct(
    [
        _required("anchor", pa.string()),
        _required("level", pa.int32()),
        _required("start", pa.int32()),
        _required("end", pa.int32()),
        _required("lines", pa.int32()),
        _required("title", pa.string()),
    ]
)
DOCUMENTS_SCHEMA = pa.schema(
    [
        _required("record", pa.int32()),
        _required("path", pa.string()),
        pa.field("version", pa.int32()),
        _required("sections", pa.list_(SECTION_TYPE)),
        _required("first_paragraph", pa.string()),
    ]
)
ROW_TYPE = pa.struct([_required("path", pa.string()), pa.field("anchor", pa.string())])
LOOKUPS_SCHEMA = pa.schema(
    [
        _required("case", pa.int32()),
        _required("scope", pa.string()),
        _required("table", pa.string()),
        _required("spent_bytes", pa.int32()),
        _required("rows", pa.list_(ROW_TYPE)),
    ]
)
PASSAGE_TYPE = pa.struct(
    [
        _required("field", pa.string()),
        _required("path", pa.string()),
        _required("version", pa.int32()),
        _required("anchor", pa.string()),
        _required("quote", pa.string()),
    ]
)
LOOKUP_GOLD_SCHEMA = pa.schema(
    [
        _required("case", pa.int32()),
        pa.field("answer", pa.string()),
        _required("outcome", pa.string()),
        _required("fields", pa.list_(pa.string())),
        _required("passages", pa.list_(PASSAGE_TYPE)),
    ]
)


def document_row(
    record: int,
    path: str,
    version: int | None,
    sections: Sequence[Section],
    first_paragraph: str,
) -> dict[str, Any]:
    return {
        "record": record,
        "path": path,
        "version": version,
        "sections": [
            {name: getattr(section, name) for name in SECTION_TYPE.names} for section in sections
        ],
        "first_paragraph": first_paragraph,
    }


def document_of(row: Mapping[str, Any], body: str, metadata: Mapping[str, Any]) -> Document:
    sections = tuple(Section(**section) for section in row["sections"])
    return Document(row["path"], row["version"], body, metadata, sections, row["first_paragraph"])


def lookup_rows(number: int, case: Case) -> list[dict[str, Any]]:
    lookup = case.lookup
    if lookup is None:
        return []
    return [
        {
            "case": number,
            "scope": lookup.scope,
            "table": lookup.table,
            "spent_bytes": lookup.spent_bytes,
            "rows": [{"path": row.path, "anchor": row.anchor} for row in lookup.rows],
        }
    ]


def lookup_of(row: Mapping[str, Any], documents: tuple[Document, ...]) -> Lookup:
    rows = tuple(LookupRow(entry["path"], entry["anchor"]) for entry in row["rows"])
    return Lookup(row["scope"], row["table"], row["spent_bytes"], rows, documents)


def lookup_gold_rows(number: int, case: Case) -> list[dict[str, Any]]:
    """Return the row of a case with gold; `fields` names those with an empty list too."""
    gold = case.lookup_gold
    if gold is None:
        return []
    return [
        {
            "case": number,
            "answer": None
            if gold.answer is None
            else json.dumps(dict(gold.answer), ensure_ascii=False),
            "outcome": gold.outcome,
            "fields": list(gold.evidence),
            "passages": [
                {
                    "field": name,
                    "path": passage.path,
                    "version": passage.version,
                    "anchor": passage.anchor,
                    "quote": passage.quote,
                }
                for name, passages in gold.evidence.items()
                for passage in passages
            ],
        }
    ]


def lookup_gold_of(row: Mapping[str, Any]) -> LookupGold:
    evidence: dict[str, list[RequiredPassage]] = {name: [] for name in row["fields"]}
    for entry in row["passages"]:
        passage = RequiredPassage(entry["path"], entry["version"], entry["anchor"], entry["quote"])
        evidence[entry["field"]].append(passage)
    passages_of = {name: tuple(passages) for name, passages in evidence.items()}
    answer = None if row["answer"] is None else json.loads(row["answer"])
    return LookupGold(answer, row["outcome"], passages_of)
