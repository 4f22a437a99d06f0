"""The passages that compete for a budget: governing ranges of the candidate records' blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.model import CaseView, ItemView

from ..quoting.memory import once_per_case
from ..quoting.ranges import KeptRanges
from ..quoting.record import QuotableRecord, quotable_records

CandidateRecords = Literal["heads", "all-records"]
Overlap = Literal["skip", "merge"]

LONGEST_PASSAGE = 800

Column = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RecordPassages:
    """The passages of one record, by column, each of shape (n,).

    `inside`: rank inside the record. `cosine`: NaN for a passage without one. `whole`: the one
    passage is the whole of a short record.
    """

    start: Column
    end: Column
    inside: Column
    cosine: Floats
    whole: bool = False

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """All passages of a case before fusion, by column: by item, then by record (head first)."""

    item: Column
    record: Column
    start: Column
    end: Column
    inside: Column
    cosine: Floats
    whole: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.item)


@once_per_case
def candidates_of(case: CaseView, candidates: CandidateRecords, overlap: Overlap) -> Candidates:
    """Return every candidate of the case."""
    records = quotable_records(case)
    slots = [
        (place, position)
        for place, item in enumerate(case.items)
        for position in competing_records(item, candidates)
    ]
    # a record that is in several items competes once for each, at that item's place
    passages = [record_passages(records[position], overlap) for _, position in slots]
    sizes = [len(columns) for columns in passages]
    return Candidates(
        item=np.repeat(np.array([item for item, _ in slots], dtype=np.int32), sizes),
        record=np.repeat(np.array([record for _, record in slots], dtype=np.int32), sizes),
        start=_joined([columns.start for columns in passages]),
        end=_joined([columns.end for columns in passages]),
        inside=_joined([columns.inside for columns in passages]),
        cosine=np.concatenate([np.empty(0), *(columns.cosine for columns in passages)]),
        whole=np.repeat(np.array([columns.whole for columns in passages], dtype=np.bool_), sizes),
    )


def competing_records(item: ItemView, candidates: CandidateRecords) -> tuple[int, ...]:
    """Return positions of the records of an item whose blocks compete."""
    return item.records if candidates == "all-records" else (item.head,)


def record_passages(record: QuotableRecord, overlap: Overlap) -> RecordPassages:
    """Return the passages of one record: the whole of a short one, the first 800 characters of one
    that does not divide, else governing ranges, those longer than 800 characters cut to their
    first."""
    length = len(record.text)
    if length <= LONGEST_PASSAGE or not record.divides:
        cut = _column([min(length, LONGEST_PASSAGE)])
        whole = length <= LONGEST_PASSAGE
        return RecordPassages(_column([0]), cut, _column([0]), np.array([np.nan]), whole)
    return _skipping(record) if overlap == "skip" else _merging(record)


def _skipping(record: QuotableRecord) -> RecordPassages:
    """Return ranges in rank order; one that overlaps a kept one is skipped, with the text only in
    it.

    Overlap is judged on whole ranges, before a long one is cut.
    """
    places = _first_of_each(record)
    if places is None:
        places = _first_that_do_not_overlap(record)
    blocks = record.ranked[places]
    starts, ends = record.governing_starts[blocks], record.governing_ends[blocks]
    return RecordPassages(
        starts,
        np.minimum(ends, starts + LONGEST_PASSAGE),
        np.arange(len(places), dtype=np.int32),
        np.full(len(places), np.nan) if record.cosine is None else record.cosine[blocks],
    )


def _first_of_each(record: QuotableRecord) -> NDArray[np.int64] | None:
    """Return places in rank order where a range comes first; None if two ranges overlap in part."""
    starts = record.governing_starts[record.ranked]
    distinct, first, which = np.unique(starts, return_index=True, return_inverse=True)
    ends = record.governing_ends[record.ranked]
    distinct_ends = ends[first]
    if (distinct_ends[which] != ends).any() or (distinct_ends[:-1] > distinct[1:]).any():
        return None
    return np.sort(first)


def _first_that_do_not_overlap(record: QuotableRecord) -> NDArray[np.int64]:
    """Return places in rank order of the ranges that overlap none before them."""
    kept = KeptRanges()
    places = []
    for place, (start, end) in enumerate(record.ranked_ranges):
        if not kept.overlaps(start, end):
            kept.keep(start, end)
            places.append(place)
    return np.array(places, dtype=np.int64)


def _merging(record: QuotableRecord) -> RecordPassages:
    """Return ranges that share a character merged, transitively, in text order; the best rank and
    the best cosine of their blocks."""
    rank = np.empty(len(record.ranked), dtype=np.int32)
    rank[record.ranked] = np.arange(len(rank), dtype=np.int32)
    by_start = np.argsort(record.governing_starts, kind="stable")
    starts = record.governing_starts[by_start]
    reach = np.maximum.accumulate(record.governing_ends[by_start])
    opens = np.flatnonzero(np.concatenate(([True], starts[1:] >= reach[:-1])))
    closes = np.concatenate((opens[1:], [len(starts)])) - 1
    start, end = starts[opens], reach[closes]
    cosine = np.full(len(opens), np.nan)
    if record.cosine is not None:
        cosine = np.maximum.reduceat(record.cosine[by_start], opens)
    inside = np.minimum.reduceat(rank[by_start], opens)
    return RecordPassages(start, np.minimum(end, start + LONGEST_PASSAGE), inside, cosine)


def _joined(columns: Sequence[Column]) -> Column:
    return np.concatenate([np.empty(0, dtype=np.int32), *columns])


def _column(values: list[int]) -> Column:
    return np.array(values, dtype=np.int32)
