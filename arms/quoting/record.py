"""A record made ready for quoting: its blocks in rank order with the ranges they govern.

Every arm needs the same for a case, so it is computed once per case and kept while the case lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from harness.model import BlockSet, CaseView, RecordView, divide

from .governing import Bounds, governing_ranges
from .ranking import Floats, QueryTrigrams, cosines, rank_blocks


@dataclass(frozen=True, slots=True, eq=False)
class QuotableRecord:
    """A record's blocks for one query.

    `current`: whether the record came with a block set; one without is divided here and ranked
    lexically only. `ranked`: block indexes, best first. `governing_starts`, `governing_ends`: the
    range that each block governs, by block. `cosine`: by block, None without vectors.
    """

    text: str
    current: bool
    ranked: tuple[int, ...]
    governing_starts: Bounds
    governing_ends: Bounds
    cosine: Floats | None

    @property
    def divides(self) -> bool:
        """Whether the text divides into more than one block."""
        return len(self.ranked) > 1

    def ranked_ranges(self) -> list[tuple[int, int, int]]:
        """(block, start, end) of the governing ranges, best block first."""
        starts = self.governing_starts[list(self.ranked)].tolist()
        ends = self.governing_ends[list(self.ranked)].tolist()
        return list(zip(self.ranked, starts, ends, strict=True))


_READY: WeakKeyDictionary[CaseView, tuple[QuotableRecord, ...]] = WeakKeyDictionary()


def quotable_records(case: CaseView) -> tuple[QuotableRecord, ...]:
    """The case's records, by position, ready for quoting."""
    ready = _READY.get(case)
    if ready is None:
        grams = QueryTrigrams.of(case.query.text)
        ready = tuple(_quotable(record, case, grams) for record in case.records)
        _READY[case] = ready
    return ready


def _quotable(record: RecordView, case: CaseView, grams: QueryTrigrams) -> QuotableRecord:
    blocks = record.blocks
    if blocks is None:
        blocks = divided(record.text)
        cosine = None
    else:
        cosine = cosines(blocks, case.query.vector)
    held = grams.held_by(record.text, blocks.starts, blocks.ends)
    ranked = rank_blocks(held, cosine)
    governing = governing_ranges(record.text, blocks.starts, blocks.ends)
    current = record.blocks is not None
    return QuotableRecord(record.text, current, tuple(ranked.tolist()), *governing, cosine)


def divided(text: str) -> BlockSet:
    """The blocks that the text divides into, without vectors."""
    spans = divide(text)
    starts = np.array([span.start for span in spans], dtype=np.int32)
    ends = np.array([span.end for span in spans], dtype=np.int32)
    return BlockSet(starts, ends, None)
