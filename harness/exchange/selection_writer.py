"""A selection as one JSON object of `harness.selection/1`."""

from __future__ import annotations

from typing import Any

from harness.model import Case, ItemQuote, Passage, Positions, Quote, Selection

SELECTION_SCHEMA = "harness.selection/1"


def selection_object(
    case: Case, records: Positions, point: str, selection: Selection, context: str
) -> dict[str, Any]:
    """The object of what `point` chose for `case`.

    `parts` (the words that the passages' `parts` count) is there for a policy that has them.
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
    return value


def _item(item: ItemQuote, records: Positions) -> dict[str, Any]:
    head = records[item.head.record]
    return {
        "head": head.record_id,
        "content": item.head.text(head.text),
        "ranges": [list(span) for span in item.head.ranges],
        "excerpts": [_excerpt(quote, records) for quote in item.excerpts],
    }


def _excerpt(quote: Quote, records: Positions) -> dict[str, Any]:
    """`range` reaches from the first character quoted to the last; `ranges` is there when more than
    one range is quoted."""
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
