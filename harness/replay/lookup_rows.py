"""Rows of what lookups printed: one per case and point, and one per block."""

from __future__ import annotations

from typing import Any

from harness.evidence.tokens import READER_ENCODING, Tokenizer
from harness.model import Case, Expansion, Selection
from harness.worlds.citable import citable_fields, fields_with_evidence

BYTES_PER_TOKEN = 4


def expansion_row(case: Case, selection: Selection, *, counted: bool) -> dict[str, Any]:
    """Return the row of a selection with an expansion; `counted`: whether tokens are counted."""
    lookup, expansion = case.lookup, expansion_of(selection)
    if lookup is None:
        raise ValueError(f"case {case.case_id!r} is not a lookup")
    text = lookup.table + expansion.text
    return {
        "category": case.category,
        "result_tokens_estimated": len(text.encode("utf-8")) // BYTES_PER_TOKEN,
        "result_tokens": Tokenizer(READER_ENCODING).count(text) if counted else None,
        "table_bytes": lookup.spent_bytes,
        "block_bytes": expansion.block_bytes,
        "relation_bytes": expansion.relation_bytes,
        "note_bytes": expansion.note_bytes,
        "stub_bytes": expansion.stub_bytes,
        "over_budget_bytes": expansion.over_budget_bytes,
        "rows": expansion.rows,
        "rows_expanded": expansion.rows_expanded,
        "related_documents": expansion.related_documents,
        "fetches": expansion.fetches,
        "omitted": len(expansion.omitted),
        "coalesced": expansion.coalesced,
        **_block_counts(expansion),
        **_citable_counts(case, expansion),
    }


def expansion_of(selection: Selection) -> Expansion:
    """Return the selection's expansion; raises `ValueError` without one."""
    if selection.expansion is None:
        raise ValueError("the selection has no expansion")
    return selection.expansion


def block_rows(selection: Selection, record_ids: list[str]) -> list[dict[str, Any]]:
    """Return a row for each printed block, in printed order."""
    return [
        {
            "place": place,
            "record_id": record_ids[block.record],
            "location": block.location,
            "related": block.related,
            "form": block.form,
            "start": block.start,
            "end": block.end,
            "bytes": block.size,
            "same_as": block.same_as,
        }
        for place, block in enumerate(expansion_of(selection).blocks)
    ]


def _block_counts(expansion: Expansion) -> dict[str, int]:
    blocks = expansion.blocks
    return {
        "blocks": len(blocks),
        "stubs": sum(block.form == "stub" for block in blocks),
        "outlines": sum(block.form == "outline" for block in blocks),
        "pinned_documents": sum(
            block.form == "document" and block.anchor is not None for block in blocks
        ),
        "uncitable_blocks": sum(block.anchor is None for block in blocks),
    }


def _citable_counts(case: Case, expansion: Expansion) -> dict[str, int]:
    gold, lookup = case.lookup_gold, case.lookup
    if gold is None or lookup is None:
        return {"fields": 0, "fields_citable": 0, "fields_citable_with_stubs": 0}
    blocks, documents = expansion.blocks, lookup.documents
    return {
        "fields": len(fields_with_evidence(gold)),
        "fields_citable": len(citable_fields(gold, blocks, documents)),
        "fields_citable_with_stubs": len(citable_fields(gold, blocks, documents, stubs=True)),
    }
