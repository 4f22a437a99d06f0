"""Ranges of one record: merging those that touch, and the length of the quote they make."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from harness.model import PASSAGE_SEPARATOR, Range

SEPARATOR_LENGTH = len(PASSAGE_SEPARATOR)


def merge_touching(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the ranges in text order, those that touch or overlap joined into one."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


class GrowingQuote:
    """A quote of one record that grows range by range and knows its own length.

    The ranges added must not overlap. `length` counts code points, separators included.
    """

    __slots__ = ("_ends", "_starts", "length")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self.length = 0

    def add(self, start: int, end: int) -> int:
        """Add a range; return by how much the quote's length grew (it may shrink: a range that
        touches one on either side frees their separator)."""
        before = self.length
        index = bisect_left(self._starts, start)
        touches_left = index > 0 and self._ends[index - 1] == start
        touches_right = index < len(self._starts) and self._starts[index] == end
        separators = (0 if not self._starts else 1) - touches_left - touches_right
        self.length += end - start + SEPARATOR_LENGTH * separators
        if touches_left and touches_right:
            self._ends[index - 1] = self._ends.pop(index)
            del self._starts[index]
        elif touches_left:
            self._ends[index - 1] = end
        elif touches_right:
            self._starts[index] = start
        else:
            self._starts.insert(index, start)
            self._ends.insert(index, end)
        return self.length - before


class KeptRanges:
    """Ranges that do not overlap, to ask whether another one overlaps any of them."""

    __slots__ = ("_ends", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether the range shares a character with a kept one."""
        index = bisect_left(self._starts, start)
        with_left = index > 0 and self._ends[index - 1] > start
        with_right = index < len(self._starts) and self._starts[index] < end
        return with_left or with_right

    def touches(self, start: int, end: int) -> bool:
        """Return whether a kept range ends where this one starts, or starts where it ends."""
        return start in self._ends or end in self._starts

    def keep(self, start: int, end: int) -> None:
        index = bisect_left(self._starts, start)
        self._starts.insert(index, start)
        self._ends.insert(index, end)
