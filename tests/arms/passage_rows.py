"""Candidates as rows, which tests write and compare more easily than columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arms.allocation.candidates import Candidates
from arms.allocation.fusion import Summation, fuse
from harness.model import PassageSequence


class Row(NamedTuple):
    """A passage before fusion; `whole` when it is the whole of a short record."""

    item: int
    record: int
    start: int
    end: int
    inside: int
    cosine: float | None
    whole: bool = False


def rows_of(candidates: Candidates) -> list[Row]:
    """The candidates in their order."""
    columns = (candidates.item, candidates.record, candidates.start, candidates.end)
    cosines = [None if math.isnan(cosine) else cosine for cosine in candidates.cosine.tolist()]
    rest = (candidates.inside.tolist(), cosines, candidates.whole.tolist())
    values = zip(*[column.tolist() for column in columns], *rest, strict=True)
    return [Row._make(row) for row in values]


def fused(
    rows: Sequence[Row], summation: Summation, *, whole_first: bool = False
) -> PassageSequence:
    """The fused order of the rows."""
    table = np.array([row[:5] for row in rows], dtype=np.int32).reshape(len(rows), 5)
    item, record, start, end, inside = np.ascontiguousarray(table.T)
    cosine = np.array([math.nan if row.cosine is None else row.cosine for row in rows])
    whole = np.array([row.whole for row in rows], dtype=np.bool_)
    candidates = Candidates(item, record, start, end, inside, cosine, whole)
    return fuse(candidates, summation).sequence(whole_first=whole_first)
