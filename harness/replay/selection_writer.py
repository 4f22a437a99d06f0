"""A selection as one JSON object of `harness.selection/1`."""

from __future__ import annotations

from typing import Any

from harness.model import Case, Expansion, ItemQuote, Passage, Positions, Quote, Selection

from .rows import candidate_rows

SELECTION_SCHEMA = "harness.selection/1"


def selection_object(
    case: Case, records: Positions, point: str, selection: Selection, context: str
) -> dict[str, Any]:
    """Return the object of what `point` chose for `case`.

    `parts` (the words that the passages' `parts` count) is there for a policy that has them,
    `candidates` for one that scores candidates, `expansion` for one of lookups.
    """
    sequence = enumerate(selection.sequence)
    value: dict[str, Any] = {
        "schema": SELECTION_SCHEMA,
        "case_id": case.case_id,
        "point": point,
        "items": [_item(item, records) for item in selection.items],
        "sequence": [
            _passage(passage, records, index < selection.taken) for index, passage in sequence
        ],
        "budget": selection.budget,
        "used": selection.used,
        "budget_unit": selection.budget_unit,
        "omitted": {
            "items": selection.omitted.items,
            "passages": selection.omitted.passages,
            "excerpts": selection.omitted.excerpts,
        },
        "context": context,
    }
    if selection.sequence.parts:
        value["parts"] = list(selection.sequence.parts)
    if selection.expansion is not None:
        value["expansion"] = _expansion(selection.expansion, records)
    if selection.candidates is not None:
        value["candidates"] = list(candidate_rows(selection.candidates))
    return value


def _expansion(expansion: Expansion, records: Positions) -> dict[str, Any]:
    """Return counts and bytes as in the table `expansions` of a run, and the blocks."""
    return {
        "rows": expansion.rows,
        "rows_expanded": expansion.rows_expanded,
        "related_documents": expansion.related_documents,
        "fetches": expansion.fetches,
        "coalesced": expansion.coalesced,
        "block_bytes": expansion.block_bytes,
        "stub_bytes": expansion.stub_bytes,
        "relation_bytes": expansion.relation_bytes,
        "note_bytes": expansion.note_bytes,
        "over_budget_bytes": expansion.over_budget_bytes,
        "omitted": [
            {"location": location, "tokens": tokens} for location, tokens in expansion.omitted
        ],
        "blocks": [
            {
                "record_id": records[block.record].record_id,
                "location": block.location,
                "related": block.related,
                "form": block.form,
                "range": [block.start, block.end],
                "bytes": block.size,
                "same_as": block.same_as,
            }
            for block in expansion.blocks
        ],
    }


def _item(item: ItemQuote, records: Positions) -> dict[str, Any]:
    head = records[item.head.record]
    return {
        "head": head.record_id,
        "content": item.head.text(head.text),
        "ranges": [list(span) for span in item.head.ranges],
        "excerpts": [_excerpt(quote, records) for quote in item.excerpts],
    }


def _excerpt(quote: Quote, records: Positions) -> dict[str, Any]:
    """Build an excerpt: `range` reaches from the first character quoted to the last; `ranges` is
    there when more than one range is quoted."""
    record = records[quote.record]
    value: dict[str, Any] = {
        "record_id": record.record_id,
        "range": [quote.ranges[0][0], quote.ranges[-1][1]],
        "content": quote.text(record.text),
    }
    if len(quote.ranges) > 1:
        value["ranges"] = [list(span) for span in quote.ranges]
    return value


def _passage(passage: Passage, records: Positions, taken: bool) -> dict[str, Any]:
    return {
        "record_id": records[passage.record].record_id,
        "span": [passage.start, passage.end],
        "ranks": {
            "record": passage.ranks.record,
            "inside": passage.ranks.inside,
            "cosine": passage.ranks.cosine,
        },
        "parts": list(passage.parts),
        "taken": taken,
    }
