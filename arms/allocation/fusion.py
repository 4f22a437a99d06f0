"""The fused order of all candidates: three ranks, reciprocal, summed.

A passage's ranks are its item's place, its rank inside its record, and the dense shared rank of its
cosine over all passages (a missing cosine ranks after every present one; without any cosine there
is no such list). Score = sum of 1 / (61 + rank) over the lists. Order: score, then the better item,
then the earlier start, then the order in which the candidates came.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.model import NO_RANK, PassageSequence

from ..quoting.ranking import dense_ranks, reciprocal_rank
from .candidates import Candidate

Summation = Literal["exact", "sequential"]

Order = NDArray[np.int64]


def fused_sequence(
    candidates: Sequence[Candidate], summation: Summation, *, whole_first: bool = False
) -> PassageSequence:
    """The candidates in fused order; with `whole_first`, whole short records in item order before
    all others."""
    item = _column([candidate.item for candidate in candidates])
    start = _column([candidate.start for candidate in candidates])
    inside = _column([candidate.inside for candidate in candidates])
    cosine = cosine_ranks([candidate.cosine for candidate in candidates])
    scores = _scores(item, inside, cosine, summation)
    order = np.lexsort((start, item, -scores))
    if whole_first:
        whole = np.array([candidate.whole for candidate in candidates], dtype=np.bool_)
        order = _whole_first(order, whole, item)
    record = _column([candidate.record for candidate in candidates])
    end = _column([candidate.end for candidate in candidates])
    return PassageSequence(item, record, start, end, item, inside, cosine).rearranged(order)


def cosine_ranks(cosines: Sequence[float | None]) -> NDArray[np.int32]:
    """Dense shared ranks, missing ones last together; `NO_RANK` throughout if all are missing."""
    if all(cosine is None for cosine in cosines):
        return np.full(len(cosines), NO_RANK, dtype=np.int32)
    values = np.array([-math.inf if cosine is None else cosine for cosine in cosines])
    return dense_ranks(values).astype(np.int32)


def _scores(
    item: NDArray[np.int32],
    inside: NDArray[np.int32],
    cosine: NDArray[np.int32],
    summation: Summation,
) -> NDArray[np.float64]:
    lists = [item, inside] if not len(cosine) or cosine[0] == NO_RANK else [item, inside, cosine]
    largest = max((int(ranks.max()) for ranks in lists if len(ranks)), default=0)
    table = np.array([reciprocal_rank(rank) for rank in range(largest + 1)])
    terms = [table[ranks] for ranks in lists]
    if summation == "exact":
        return np.array(list(map(math.fsum, zip(*terms, strict=True))), dtype=np.float64)
    total = np.zeros(len(item), dtype=np.float64)
    for term in terms:
        total = total + term
    return total


def _whole_first(order: Order, whole: NDArray[np.bool_], item: NDArray[np.int32]) -> Order:
    opening = np.flatnonzero(whole)
    opening = opening[np.argsort(item[opening], kind="stable")]
    return np.concatenate((opening, order[~whole[order]]))


def _column(values: list[int]) -> NDArray[np.int32]:
    return np.array(values, dtype=np.int32)
