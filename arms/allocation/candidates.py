"""The passages that compete for a budget: governing ranges of the candidate records' blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from harness.model import CaseView, ItemView

from ..quoting.ranges import KeptRanges
from ..quoting.record import QuotableRecord, quotable_records

Candidates = Literal["heads", "all-records"]
Overlap = Literal["skip", "merge"]

LONGEST_PASSAGE = 800


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage before fusion: its item, record, range, rank inside the record, and cosine.

    `whole`: the passage is the whole of a short record.
    """

    item: int
    record: int
    start: int
    end: int
    inside: int
    cosine: float | None
    whole: bool


def candidates_of(
    case: CaseView, candidates: Candidates, overlap: Overlap
) -> tuple[Candidate, ...]:
    """Every candidate of the case: by item, then by record (head first), then as in the record."""
    records = quotable_records(case)
    return tuple(
        Candidate(place, position, start, end, inside, cosine, whole)
        for place, item in enumerate(case.items)
        for position in competing_records(item, candidates)
        for start, end, inside, cosine, whole in _passages(records[position], overlap)
    )


def competing_records(item: ItemView, candidates: Candidates) -> tuple[int, ...]:
    """Positions of the records of an item whose blocks compete."""
    return item.records if candidates == "all-records" else (item.head,)


_Passage = tuple[int, int, int, float | None, bool]


def _passages(record: QuotableRecord, overlap: Overlap) -> Iterator[_Passage]:
    """start, end, rank inside, cosine, whole."""
    length = len(record.text)
    if length <= LONGEST_PASSAGE or not record.divides:
        whole = length <= LONGEST_PASSAGE
        yield 0, min(length, LONGEST_PASSAGE), 0, None, whole
    elif overlap == "skip":
        yield from _skipping(record)
    else:
        yield from _merging(record)


def _skipping(record: QuotableRecord) -> Iterator[_Passage]:
    """Ranges in rank order; one that overlaps a kept one is skipped, with the text only in it.

    Overlap is judged on whole ranges, before a long one is cut to its first 800 characters.
    """
    kept = KeptRanges()
    inside = 0
    previous: tuple[int, int] | None = None
    for block, start, end in record.ranked_ranges():
        if (start, end) == previous or kept.overlaps(start, end):
            continue
        kept.keep(start, end)
        previous = (start, end)
        cosine = None if record.cosine is None else float(record.cosine[block])
        yield start, min(end, start + LONGEST_PASSAGE), inside, cosine, False
        inside += 1


def _merging(record: QuotableRecord) -> Iterator[_Passage]:
    """Ranges that share a character merged, transitively; best rank and cosine of their blocks.

    A merged passage longer than 800 characters keeps its first 800.
    """
    best_rank = [0] * len(record.ranked)
    for rank, block in enumerate(record.ranked):
        best_rank[block] = rank
    cosine = None if record.cosine is None else record.cosine.tolist()
    starts, ends = record.governing_starts.tolist(), record.governing_ends.tolist()
    by_start = sorted(range(len(starts)), key=starts.__getitem__)
    groups: list[list[int]] = []
    reach = -1
    for block in by_start:
        if starts[block] >= reach:
            groups.append([])
        groups[-1].append(block)
        reach = max(reach, ends[block])
    for group in groups:
        start, end = starts[group[0]], max(ends[block] for block in group)
        inside = min(best_rank[block] for block in group)
        best_cosine = None if cosine is None else max(cosine[block] for block in group)
        yield start, min(end, start + LONGEST_PASSAGE), inside, best_cosine, False
