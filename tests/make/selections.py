"""Selections made by hand, and lines as other systems record them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.explain.parity import RankedPassage, RecordedSelection, RecordedSequence, TextByHash
from harness.explain.parity.recorded import Budget, ShownExcerpt, ShownItem
from harness.model import Case, Item, Omitted, Query, Record
from harness.recording.case_writer import case_object

from .cases import made_record

TEA, COFFEE = "Tea is hot. ", "Coffee."
LONG = "x" * 800 + ". "


def made_case(case_id: str = "first") -> Case:
    """The head `tea` with the claim `coffee`, then a record of two blocks."""
    records = (
        Record("tea", TEA),
        Record("coffee", COFFEE),
        made_record("long", "Tea? ", LONG),
    )
    return Case(case_id, Query("Tea?"), records, (Item("tea", ("coffee",)), Item("long")))


def made_selection() -> RecordedSelection:
    """Two items; three passages, of which two are taken."""
    passages = (
        RankedPassage("tea", 0, 12, 0, 0),
        RankedPassage("long", 0, 5, 1, 0),
        RankedPassage("long", 5, 805, 1, 1),
    )
    items = (
        ShownItem(
            "tea",
            ((0, 12),),
            TextByHash.of(TEA),
            (ShownExcerpt("coffee", ((0, 7),), TextByHash.of(COFFEE)),),
        ),
        ShownItem("long", ((0, 5),), TextByHash.of("Tea? ")),
    )
    return RecordedSelection(
        items,
        used=24,
        sequence=RecordedSequence(passages, (None, 0, 1), (("tea",), ("tea",), ()), taken=2),
        budget=Budget(800, "characters"),
        omitted=Omitted(0, 1, 0),
        context=TextByHash.of("Conversation memories:\n\n[undated]\nTea is hot. \n"),
        candidates=({"item": 0, "score": 0.5}, {"item": 1, "score": 0.25}),
        expansion={"rows": 2, "blocks": [{"bytes": 7}, {"bytes": 9}]},
    )


def expected_lines() -> list[dict[str, Any]]:
    """What the arms `items`, `evidence` and `whole` answer for `made_case`, worked out by hand.

    Both records of the first item are short. The last record has two blocks; the question shares
    trigrams with the first alone, so they rank in text order. The second block does not fit: cut to
    800 characters it would make 817.
    """
    long = {"head": "long", "ranges": [[0, 5]], "content": "Tea? ", "excerpts": []}
    tea = {"head": "tea", "ranges": [[0, 12]], "content": TEA}
    coffee = {"record_id": "coffee", "range": [0, 7], "content": COFFEE}
    line = {
        "case_id": "first",
        "budget": 800,
        "used": 24,
        "items": [{**tea, "excerpts": [coffee]}, long],
        "left_out": None,
    }
    sequence = [_passage("tea", 0, 12, 0, 0), _passage("long", 0, 5, 1, 0)]
    return [
        {**line, "arm": "items", "sequence_taken": None},
        {**line, "arm": "evidence", "sequence_taken": sequence},
        {**line, "arm": "whole", "sequence_taken": sequence},
    ]


def _passage(record_id: str, start: int, end: int, record: int, inside: int) -> dict[str, Any]:
    ranks = {"record": record, "inside": inside, "cosine": None}
    return {"record_id": record_id, "span": [start, end], "ranks": ranks}


def write_lines(path: Path, *values: Any) -> str:
    """The values as JSON Lines in `path`; a string is a line as it is."""
    lines = [
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for value in values
    ]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def write_case(path: Path, *cases: Case) -> str:
    return write_lines(path, *map(case_object, cases))
