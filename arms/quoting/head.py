"""The quote of an item's head record, up to a cap of characters."""

from __future__ import annotations

from harness.model import Quote, Range

from .ranges import SEPARATOR_LENGTH, KeptRanges, merge_touching
from .record import QuotableRecord


def head_quote(position: int, record: QuotableRecord, cap: int) -> Quote:
    """Quote a text within the cap whole, one that does not divide by its first characters, and any
    other by its best ranges."""
    if len(record.text) <= cap:
        ranges: tuple[Range, ...] = ((0, len(record.text)),)
    elif not record.divides:
        ranges = ((0, cap),)
    else:
        ranges = _filled(record, cap)
    return Quote(position, ranges)


def _filled(record: QuotableRecord, cap: int) -> tuple[Range, ...]:
    """Return governing ranges in rank order until one does not fit; one that overlaps is
    skipped.

    A first range longer than the cap is cut to it and is the only one. A range that touches kept
    ones on both sides is still counted as costing no separator, although it frees one: the
    reference counts so.
    """
    kept = KeptRanges()
    taken: list[Range] = []
    used = 0
    for start, end in record.ranked_ranges:
        if kept.overlaps(start, end):
            continue
        if not taken and end - start > cap:
            return ((start, start + cap),)
        separator = 0 if not taken or kept.touches(start, end) else SEPARATOR_LENGTH
        if used + end - start + separator > cap:
            break
        used += end - start + separator
        kept.keep(start, end)
        taken.append((start, end))
    return merge_touching(taken)
