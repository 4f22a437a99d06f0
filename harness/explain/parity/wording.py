"""Differences in words, for people, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness.errors import listed
from harness.model import Json

from .comparison import SelectionDiff, SelectionPart

Sides = tuple[str, str]
"""What the left and the right side are called."""

_NOTHING = "nothing"
_ENTRIES = {"ranges": "range", "excerpts": "excerpt", "content": "quote"}
"""What the entries of an item are called, by field."""


def difference_lines(title: str, comparison: SelectionDiff, sides: Sides) -> Iterator[str]:
    """Yield what differs, and the first difference with both sides, each on a line of its own."""
    yield f"{title}: differs in {listed(comparison.differing)}"
    first = comparison.first
    if first is None:
        return
    yield f"  first at {where(first)}"
    width = max(map(len, sides))
    yield f"    {sides[0]:<{width}}  {_shown(first, first.left, first.right)}"
    yield f"    {sides[1]:<{width}}  {_shown(first, first.right, first.left)}"


def where(parting: SelectionPart) -> str:
    """Return the place of a parting; places count from 0."""
    if parting.in_sequence:
        whole = "walk" if parting.field == "candidates" else f"sequence ({parting.field})"
        return f"place {parting.place} of the {whole}"
    if parting.field == "items":
        return f"item {parting.place}"
    words = []
    if parting.item is not None:
        words.append(f"item {parting.item}, {_ENTRIES[parting.field]} {parting.place}")
    else:
        words.append(parting.field)
    if parting.character is not None:
        words.append(f"character {parting.character}")
    return ", ".join(words)


def difference_object(comparison: SelectionDiff, sides: Sides) -> dict[str, Any]:
    """Compute the fields that differ, and where each parts, as JSON."""
    first = comparison.first
    return {
        "differing": list(comparison.differing),
        "first": None if first is None else _parting_object(first, sides),
        "partings": [_parting_object(parting, sides) for parting in comparison.partings],
    }


def _parting_object(parting: SelectionPart, sides: Sides) -> dict[str, Any]:
    places = {"item": parting.item, "place": parting.place, "character": parting.character}
    return {
        "field": parting.field,
        **{name: place for name, place in places.items() if place is not None},
        sides[0]: parting.left,
        sides[1]: parting.right,
    }


def _shown(parting: SelectionPart, value: Json, other: Json) -> str:
    """Return what stands on one side, beside what stands on the `other`."""
    if value is None:
        return _NOTHING
    if parting.field == "candidates":
        return _candidate(value, other or {})
    if parting.in_sequence:
        return _passage(value)
    if parting.field == "excerpts":
        return f"{value['record_id']} {_ranges(value['ranges'])}"
    if parting.field == "ranges":
        return _ranges([value])
    if parting.field == "budget":
        return "no budget" if value["amount"] is None else f"{value['amount']:,} {value['unit']}"
    if parting.field == "omitted":
        return ", ".join(f"{count} {name}" for name, count in value.items())
    if parting.field == "expansion":
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and parting.character is not None:
        return json.dumps(value, ensure_ascii=False) if value else "the end"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _passage(value: dict[str, Any]) -> str:
    """Return `mem:4 [96:120] record 1, inside 0, cosine 4 taken`."""
    start, end = value["span"]
    ranks = ", ".join(
        f"{name} {'–' if rank is None else rank}" for name, rank in value["ranks"].items()
    )
    words = [f"{value['record_id']} [{start}:{end}]", f"ranks {ranks}"]
    if value.get("parts"):
        words.append(f"parts {' '.join(value['parts'])}")
    if "taken" in value:
        words.append("taken" if value["taken"] else "not taken")
    return "  ".join(words)


def _candidate(value: dict[str, Any], other: dict[str, Any]) -> str:
    """Return `item 3 score 0.5 selected true`: the item, and what the other side has otherwise."""
    differing = [name for name in value if name != "item" and value[name] != other.get(name)]
    words = [f"{name} {json.dumps(value[name], ensure_ascii=False)}" for name in differing]
    return "  ".join([f"item {value['item']}", *words])


def _ranges(ranges: Json) -> str:
    return " ".join(f"[{start}:{end}]" for start, end in ranges)
