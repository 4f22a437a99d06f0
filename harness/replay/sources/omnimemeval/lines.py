"""Contexts of libraries that write no dated headers, and what of them can be located.

After the preamble such a context is lines: memories of one line or many, and what the library
writes around them. Where a memory ends is not known, nor which record it was made from; most
libraries write memories in words of their own. So a line is located where its text stands in one
place of one record, and nowhere else: as it is, without the mark of a list, or without a label that
ends in a colon. Lines that follow it there are one quote with it. What stands in several places, or
is so short that it may stand somewhere by chance, is not located.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from harness.replay.context import PREAMBLE

from .tracing import QuoteOrigin, TracedPart

SHORTEST = 20
"""Characters: a name or a turn of phrase stands in a long record by chance, a sentence does not."""

MOST_LINES = 2_000
"""Of one quote; a longer one goes on in another."""

_MARK = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+(?=\S)")
_LABEL = re.compile(r".{1,80}?:\s+")
_BETWEEN = "\0"


def trace_lines(context: str, records: Sequence[QuoteOrigin]) -> tuple[TracedPart, ...]:
    """Return the lines of `context` that say something, each as a part of its own, but for lines
    that stand together in a record.

    A part that is not located has `several_places` where its text stands in several.
    """
    texts = _Texts(records)
    lines = context.removeprefix(PREAMBLE).split("\n")
    parts: list[TracedPart] = []
    place = 0
    while place < len(lines):
        if lines[place].strip():
            part, count = texts.longest(lines, place)
            parts.append(part)
            place += count
        else:
            place += 1
    return tuple(parts)


class _Texts:
    """The texts of records as one, in which a line is searched for once."""

    def __init__(self, records: Sequence[QuoteOrigin]) -> None:
        self._whole = _BETWEEN.join(record.text for record in records)
        lengths = (len(record.text) + len(_BETWEEN) for record in records)
        self._starts = list(accumulate(lengths, initial=0))

    def longest(self, lines: Sequence[str], place: int) -> tuple[TracedPart, int]:
        """Return the part that the line at `place` begins, and how many lines it takes."""
        bare, *others = _spellings(lines[place])
        for text in (lines[place].strip(), bare, *others):
            at = -1 if _BETWEEN in text else self._whole.find(text)
            if at < 0:
                continue
            text, at, count = self._extended(text, at, lines[place + 1 : place + MOST_LINES])
            several = self._whole.find(text, at + 1) >= 0
            if several or len(text) < SHORTEST:
                return _not_located(text, several=several), count
            record = bisect_right(self._starts, at) - 1
            start = at - self._starts[record]
            return TracedPart(text, (record,), ((start, start + len(text)),)), count
        return _not_located(bare), 1

    def _extended(self, text: str, at: int, following: Sequence[str]) -> tuple[str, int, int]:
        """Add the lines that follow `text` in a record too; return it, its place, and how many
        lines it has."""
        count, longer = 1, text
        for number, line in enumerate(following, start=2):
            if _BETWEEN in line:
                break
            further = at
            if not self._whole.startswith(f"\n{line}", at + len(longer)):
                further = self._whole.find(f"{longer}\n{line}", at + 1)
            if further < 0:
                break
            longer, at = f"{longer}\n{line}", further
            if line.strip():
                text, count = longer, number
        return text, at, count


def _spellings(line: str) -> Iterator[str]:
    """Yield a line without the mark of a list, and what of that follows a label, if it has one."""
    text = _MARK.sub("", line.strip(), count=1)
    yield text
    label = _LABEL.match(text)
    if label is not None and label.end() < len(text):
        yield text[label.end() :]


def _not_located(text: str, *, several: bool = False) -> TracedPart:
    return TracedPart(text, (), ((0, len(text)),), several_places=several)
