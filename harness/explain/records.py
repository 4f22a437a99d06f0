"""The records of the window one by one, for an arm that has no sequence, no candidates."""

from __future__ import annotations

from collections.abc import Mapping

from harness.model import Quote, Selection

from .explanation import RecordReason
from .growing import LargerSettings
from .subject import ExplainedSelection, quotes_by_place


def explain_records(
    subject: ExplainedSelection,
) -> tuple[tuple[str, ...], tuple[RecordReason, ...]]:
    """Return a row for each record of each item, heads first."""
    quoted = quotes_by_place(subject.selection)
    larger = LargerSettings(subject)
    reasons = tuple(
        reason_of(subject, place, record, quoted, larger)
        for place, item in enumerate(subject.view.items)
        for record in item.records
    )
    shown = sum(bool(item.head.ranges or item.excerpts) for item in subject.selection.items)
    return (f"{shown:,} of {len(subject.view.items):,} items are shown.",), reasons


def reason_of(
    subject: ExplainedSelection,
    place: int,
    record: int,
    quoted: Mapping[tuple[int, int], Quote],
    larger: LargerSettings,
) -> RecordReason:
    """Return why the record at position `record` is or is not quoted for the item at `place`."""
    quote = quoted.get((place, record))
    ranges = () if quote is None else quote.ranges
    characters = subject.length(record)
    count = sum(end - start for start, end in ranges)
    shown = any(item.item == place for item in subject.selection.items)
    if quote is None:
        reason = _left_out(place, record, larger, item_is_shown=shown)
    else:
        reason = "whole" if count == characters else "in part"
    return RecordReason(
        item=place + 1,
        part="head" if record == subject.view.items[place].head else "claim",
        record_id=subject.record_id(record),
        characters=characters,
        quoted=count,
        ranges=ranges,
        taken=quote is not None,
        reason=reason,
    )


def _left_out(place: int, record: int, larger: LargerSettings, *, item_is_shown: bool) -> str:
    def shows(selection: Selection) -> bool:
        return (place, record) in quotes_by_place(selection)

    base = "no room was left for it" if item_is_shown else "its item is not shown"
    settings = larger.that_show(shows)
    return f"{base}; shown from {' or '.join(settings)}" if settings else base
