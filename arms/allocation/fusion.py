"""The fused order of all candidates: three ranks, reciprocal, summed.

A passage's ranks are its item's place, its rank inside its record, and the dense shared rank of its
cosine over all passages (a missing cosine ranks after every present one; without any cosine there
is no such list). Score = sum of 1 / (61 + rank) over the lists. Order: score, then the better item,
then the earlier start, then the order in which the candidates came.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.model import NO_RANK, VECTORS, CaseView, PassageSequence, Signal

from ..quoting.memory import once_per_case
from ..quoting.ranking import dense_ranks, reciprocal_ranks
from .candidates import CandidateRecords, Candidates, Overlap, candidates_of

Summation = Literal["exact", "sequential"]

FUSED = (Signal("record_rank"), Signal("inside_rank"), Signal("cosine_rank", VECTORS))
"""The ranks that are fused, under their names in a run's sequences."""

Order = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class FusedOrder:
    """Candidates with their places in fused order."""

    candidates: Candidates
    cosine_rank: NDArray[np.int32]
    order: Order

    def sequence(self, *, whole_first: bool = False) -> PassageSequence:
        """Return the passages in fused order; with `whole_first`, whole short records in item order
        before all others."""
        candidates = self.candidates
        in_their_order = PassageSequence(
            item=candidates.item,
            record=candidates.record,
            start=candidates.start,
            end=candidates.end,
            record_rank=candidates.item,
            inside_rank=candidates.inside,
            cosine_rank=self.cosine_rank,
        )
        return in_their_order.rearranged(self._whole_first() if whole_first else self.order)

    def _whole_first(self) -> Order:
        whole, item = self.candidates.whole, self.candidates.item
        opening = np.flatnonzero(whole)
        opening = opening[np.argsort(item[opening], kind="stable")]
        return np.concatenate((opening, self.order[~whole[self.order]]))


def fuse(candidates: Candidates, summation: Summation) -> FusedOrder:
    """Return the fused order of the candidates."""
    cosine = cosine_ranks(candidates.cosine)
    scores = _scores(candidates.item, candidates.inside, cosine, summation)
    return FusedOrder(candidates, cosine, np.lexsort((candidates.start, candidates.item, -scores)))


@once_per_case
def fused_order(
    case: CaseView, candidates: CandidateRecords, overlap: Overlap, summation: Summation
) -> FusedOrder:
    """Return the fused order of a case's candidates."""
    return fuse(candidates_of(case, candidates, overlap), summation)


def cosine_ranks(cosines: NDArray[np.float64]) -> NDArray[np.int32]:
    """Compute dense shared ranks of cosines, NaN for a missing one: those rank last, together.

    `NO_RANK` throughout if all are missing.
    """
    missing = np.isnan(cosines)
    if missing.all():
        return np.full(len(cosines), NO_RANK, dtype=np.int32)
    return dense_ranks(np.where(missing, -math.inf, cosines)).astype(np.int32)


def _scores(
    item: NDArray[np.int32],
    inside: NDArray[np.int32],
    cosine: NDArray[np.int32],
    summation: Summation,
) -> NDArray[np.float64]:
    lists = [item, inside] if not len(cosine) or cosine[0] == NO_RANK else [item, inside, cosine]
    largest = max((int(ranks.max()) for ranks in lists if len(ranks)), default=0)
    table = reciprocal_ranks(largest + 1)
    terms = [table[ranks] for ranks in lists]
    if summation == "exact":
        # exact sums, so that a tie is a tie in whatever order the terms are added
        columns = [term.tolist() for term in terms]
        return np.array(
            [math.fsum(sum_of) for sum_of in zip(*columns, strict=True)], dtype=np.float64
        )
    # left to right, as the release adds; sum() will not do: from Python 3.12 on it compensates, and
    # exact ties then break the other way
    total = np.zeros(len(item), dtype=np.float64)
    for term in terms:
        total = total + term
    return total
