"""A record made ready for quoting: its blocks in rank order with the ranges they govern.

Every arm needs the same of a case, so it is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from harness.model import BlockSet, CaseView, RecordView, divide

from .governing import Bounds, governing_ranges
from .memory import once_per_case
from .ranking import Floats, Integers, QueryTrigrams, cosines, rank_blocks


@dataclass(frozen=True, eq=False)
class QuotableRecord:
    """A record's blocks for one query.

    `current`: whether the record came with a block set; one without is divided here and ranked
    lexically only. `ranked`: block indexes, best first, int64 of shape (n,). `governing_starts`,
    `governing_ends`: the range that each block governs, by block. `cosine`: by block, None without
    vectors.
    """

    text: str
    current: bool
    ranked: Integers
    governing_starts: Bounds
    governing_ends: Bounds
    cosine: Floats | None

    @property
    def divides(self) -> bool:
        """Whether the text divides into more than one block."""
        return len(self.ranked) > 1

    @cached_property
    def ranked_ranges(self) -> list[tuple[int, int]]:
        """Start and end of the governing ranges, best block first."""
        starts = self.governing_starts[self.ranked].tolist()
        ends = self.governing_ends[self.ranked].tolist()
        return list(zip(starts, ends, strict=True))


@once_per_case
def quotable_records(case: CaseView) -> tuple[QuotableRecord, ...]:
    """Return the case's records, by position, ready for quoting."""
    grams = QueryTrigrams.of(case.query.text)
    return tuple(_quotable(record, case, grams) for record in case.records)


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
    return QuotableRecord(record.text, current, ranked, *governing, cosine)


def divided(text: str) -> BlockSet:
    """Return the blocks that the text divides into, without vectors."""
    spans = divide(text)
    starts = np.array([span.start for span in spans], dtype=np.int32)
    ends = np.array([span.end for span in spans], dtype=np.int32)
    return BlockSet(starts, ends, None)
