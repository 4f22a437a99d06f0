"""Contexts as text, split into items, and where their quoted text comes from.

A context is the preamble and its blocks joined by one line break. A block is a header, `[<time>]`
on a line of its own, then the quoted text, and ends with a line break. So a header stands at the
start, or after a blank line; a line that looks like one inside quoted text otherwise is text.
Source: the reference facts of evidence allocation (contexts, split).

Quotes are found by searching the records of their question. A block's body is parts (the head's
quote, then excerpts) joined by a line with `…` alone; a part is passages of one record joined by `
… `. A record matches a part when all passages are in it, in order, each searched from the end of
the one before. Records are tried in this order: for a head, those whose time is the header's first;
then by position in the haystack. The first match wins. Source: the tracing of the published
cpersona evaluations, in our own words. Where we go further: a separator that stands in the record's
own text is text, not a joint (the longest text that is in a record in one piece is one passage);
and a match that could lie elsewhere in the record is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.datasets.agreement import same_instant
from harness.decode import quoted
from harness.model import PASSAGE_SEPARATOR, Range
from harness.replay.context import PART_SEPARATOR, PREAMBLE
from harness.words import counted

_HEADER = re.compile(r"(?:\A|(?<=\n\n))\[(\d{4}-\d{2}-\d{2}T[^\]\n]*)\]\n")
_BLOCK_JOINT = "\n"


class SplitError(ValueError):
    """A context that is not preamble and blocks; the message says what is there instead."""


@dataclass(frozen=True, slots=True)
class Block:
    """One item of a context: `time` as its header has it, `body` without the last line break."""

    time: str
    body: str

    @property
    def text(self) -> str:
        """Block as the context has it."""
        return f"[{self.time}]\n{self.body}\n"


def split_context(context: str) -> tuple[Block, ...]:
    """Return the blocks of `context`, none for an empty one.

    Raises `SplitError` unless joining them gives `context` again, byte for byte.
    """
    if context in ("", PREAMBLE):
        return ()
    if not context.startswith(PREAMBLE):
        raise SplitError(f"it begins with {quoted(context)}, expected {PREAMBLE!r}")
    rest = context[len(PREAMBLE) :]
    headers = list(_HEADER.finditer(rest))
    if not headers or headers[0].start() != 0:
        raise SplitError(
            f"after {PREAMBLE!r} it goes on with {quoted(rest)}, expected a header such as "
            "'[2023-05-20T02:21:00+00:00]' on a line of its own"
        )
    starts = [header.start() for header in headers]
    ends = [start - len(_BLOCK_JOINT) for start in starts[1:]] + [len(rest)]
    blocks = tuple(
        Block(header[1], rest[header.end() : max(header.end(), end - 1)])
        for header, end in zip(headers, ends, strict=True)
    )
    if join_blocks(blocks) != context:
        raise SplitError(f"its {counted(len(blocks), 'block')} do not join to the same text again")
    return blocks


def is_dated(context: str) -> bool:
    """Tell whether a context begins with an item, under its header."""
    return context.startswith(PREAMBLE) and _HEADER.match(context[len(PREAMBLE) :]) is not None


def join_blocks(blocks: tuple[Block, ...]) -> str:
    """Return the context of the blocks."""
    return PREAMBLE + _BLOCK_JOINT.join(block.text for block in blocks)


def first_blocks(context: str, count: int) -> str:
    """Return `context` cut after its first `count` items; one that has no more of them as it is."""
    blocks = split_context(context)
    return context if len(blocks) <= count else join_blocks(blocks[:count])


@dataclass(frozen=True, slots=True)
class QuoteOrigin:
    """A record that a quote may come from; `timestamp` is ISO 8601, None for an undated one."""

    text: str
    timestamp: str | None


@dataclass(frozen=True, slots=True)
class TracedPart:
    """A head's quote or an excerpt.

    `matches` are the places of all candidates that hold it, the chosen one first; none where it was
    not located. `ranges` are of the chosen candidate; of the part itself, between its separators,
    where it was not located. `several_places`: its passages could lie elsewhere in that candidate;
    of a part that was not located, that this is why.
    """

    text: str
    matches: tuple[int, ...]
    ranges: tuple[Range, ...]
    several_places: bool = False

    @property
    def located(self) -> bool:
        return bool(self.matches)

    @property
    def characters(self) -> int:
        """Quoted characters, separators not counted."""
        return sum(end - start for start, end in self.ranges)


@dataclass(frozen=True, slots=True)
class TracedBlock:
    """One item of a context: the time of its header, its head's quote, then its excerpts.

    Of a context without dated headers, a part: its time is None.
    """

    time: str | None
    parts: tuple[TracedPart, ...]


def trace_block(block: Block, candidates: Sequence[QuoteOrigin]) -> TracedBlock:
    """Return the parts of `block` with where they were located among `candidates`, which are in
    haystack order."""
    same_time = [same_instant(candidate.timestamp, block.time) for candidate in candidates]
    by_time = sorted(range(len(candidates)), key=lambda place: not same_time[place])
    orders = (by_time, range(len(candidates)))  # of a head, of an excerpt
    parts: list[TracedPart] = []
    start = 0
    while start < len(block.body):
        part, start = _part_from(block.body, start, candidates, orders[bool(parts)])
        parts.append(part)
    return TracedBlock(block.time, tuple(parts))


def _part_from(
    body: str, start: int, candidates: Sequence[QuoteOrigin], order: Sequence[int]
) -> tuple[TracedPart, int]:
    """Return the longest part from `start` that some candidate holds, and where the next one
    starts; where none holds any, the text up to the next joint."""
    ends = [at for at in _occurrences(PART_SEPARATOR, body) if at > start]
    for end in [len(body), *reversed(ends)]:
        part = _located(body[start:end], candidates, order)
        if part is not None:
            return part, end + len(PART_SEPARATOR)
    text = body[start : ends[0] if ends else len(body)]
    return TracedPart(text, (), _between_separators(text)), start + len(text) + len(PART_SEPARATOR)


def _located(
    text: str, candidates: Sequence[QuoteOrigin], order: Sequence[int]
) -> TracedPart | None:
    matches: list[int] = []
    chosen: tuple[Range, ...] = ()
    for place in order:
        ranges = locate(text, candidates[place].text)
        if ranges is not None:
            chosen = chosen or ranges
            matches.append(place)
    if not matches:
        return None
    found_in = candidates[matches[0]].text
    return TracedPart(text, tuple(matches), chosen, _lies_elsewhere_too(chosen, found_in))


def locate(part: str, record: str) -> tuple[Range, ...] | None:
    """Return the ranges of `record` whose text, joined by the passage separator, is `part`; None if
    there are none. Each as early as it can be, and each as long as it can be."""
    separators = _occurrences(PASSAGE_SEPARATOR, part)
    shortest = part[: separators[0]] if separators else part
    if not part or shortest not in record:
        return None
    failed: set[tuple[int, int]] = set()

    def from_(start: int, cursor: int) -> tuple[Range, ...] | None:
        if (start, cursor) in failed:
            return None
        for end in [len(part), *(at for at in reversed(separators) if at > start)]:
            place = record.find(part[start:end], cursor)
            if place < 0 or end == start:
                continue
            passage = (place, place + end - start)
            if end == len(part):
                return (passage,)
            following = from_(end + len(PASSAGE_SEPARATOR), passage[1])
            if following is not None:
                return (passage, *following)
        failed.add((start, cursor))
        return None

    return from_(0, 0)


def _lies_elsewhere_too(ranges: Sequence[Range], record: str) -> bool:
    """Return whether the same passages, in the same order, also lie later in the record."""
    limit = len(record)
    for start, end in reversed(ranges):
        last = record.rfind(record[start:end], 0, limit)
        if last != start:
            return True
        limit = last
    return False


def _occurrences(separator: str, text: str) -> list[int]:
    """Return the places where `separator` starts in `text`, overlapping ones too."""
    places = []
    at = text.find(separator)
    while at >= 0:
        places.append(at)
        at = text.find(separator, at + 1)
    return places


def _between_separators(text: str) -> tuple[Range, ...]:
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[Range]:
    start = 0
    for piece in text.split(PASSAGE_SEPARATOR):
        if piece:
            yield start, start + len(piece)
        start += len(piece) + len(PASSAGE_SEPARATOR)
