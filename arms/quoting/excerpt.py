"""Excerpts: one short quote of a claim that is not an item's head."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.model import CaseView, Quote

from .record import QuotableRecord, quotable_records

EXCERPT_CHARACTERS = 500


def excerpt_of(position: int, record: QuotableRecord) -> Quote:
    """Return the best block's governing range, cut to its first 500 characters.

    A record without a current block set is not divided for an excerpt: its first 500 characters.
    """
    if record.current and len(record.ranked):
        start, end = record.ranked_ranges[0]
    else:
        start, end = 0, len(record.text)
    return Quote(position, ((start, min(end, start + EXCERPT_CHARACTERS)),))


def admit_in_rounds(
    wanted: Sequence[Sequence[int]], lengths: Callable[[int], int], room: int
) -> tuple[list[int], int]:
    """Admit each item's first excerpt in item order, then each second, and so on, while they fit.

    `wanted[i]` lists the excerpts of item i, `lengths` gives an excerpt's length. The first that
    does not fit ends it. Returns how many of each item's excerpts were admitted, and their total
    length.
    """
    admitted = [0] * len(wanted)
    used = 0
    for turn in range(max((len(excerpts) for excerpts in wanted), default=0)):
        for item, excerpts in enumerate(wanted):
            if turn >= len(excerpts):
                continue
            length = lengths(excerpts[turn])
            if used + length > room:
                return admitted, used
            admitted[item] += 1
            used += length
    return admitted, used


def claim_excerpt(case: CaseView, position: int) -> Quote:
    """Return the excerpt of the record at `position`."""
    return excerpt_of(position, quotable_records(case)[position])
