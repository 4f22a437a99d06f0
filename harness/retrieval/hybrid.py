"""The recall `hybrid`: BM25 of the text fused with the best user turn by vector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.model import Json

from .bm25 import (
    PLACES_FINGERPRINT,
    best_block_scores,
    canonical_order,
    compose_window,
    record_scores,
)
from .lexical import lexical_fingerprint
from .recall import Place, RecordTexts, UserTurnVectors

FUSION_CONSTANT = 60
COSINE_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class HybridRecall:
    """Reciprocal-rank fusion of the `bm25` ranking with the ranking by best user turn.

    A record's score is the exact sum of 1 / (60 + 1 + rank) over the two rankings, ranks from 0 and
    shared by equal values. The second ranking is by the highest cosine of the question's vector
    with a user turn's; records without user turns share the rank after all others. Reserved places
    and ties are those of `bm25`.

    Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", SIGIR 2009 (k = 60).
    """

    name: str = "hybrid"
    needs_user_turn_vectors: bool = True

    def fingerprint(self) -> dict[str, Json]:
        return {
            "recall": self.name,
            **lexical_fingerprint(),
            **PLACES_FINGERPRINT,
            "fusion": "reciprocal rank, exact sum, equal values share a rank",
            "fusion_constant": FUSION_CONSTANT,
            "vectors": "best user turn, cosine of the float32 question with int8 turns",
            "cosine_decimals": COSINE_DECIMALS,
        }

    def window(
        self,
        question: str,
        records: Sequence[RecordTexts],
        *,
        items: int,
        reserved: int,
        vectors: UserTurnVectors | None,
    ) -> tuple[Place, ...]:
        """Compose the window as `Recall.window` says; raise `ValueError` without vectors for
        every record."""
        if vectors is None or len(vectors.turns) != len(records):
            raise ValueError(f"{self.name} needs the user turn vectors of each record")
        order = canonical_order(records)
        ordered = [records[position] for position in order]
        by_vector = [best_cosine(vectors.query, vectors.turns[position]) for position in order]
        return compose_window(
            order,
            fuse(record_scores(question, ordered), by_vector),
            best_block_scores(question, ordered) if reserved else [0.0] * len(ordered),
            items=items,
            reserved=reserved,
        )


def best_cosine(query: NDArray[np.float32], turns: NDArray[np.int8]) -> float:
    """Compute the highest cosine of `query`, shape (d,), with a row of `turns`, shape (m, d).

    In float64, rounded to 12 decimals, so that it is the same on every machine; 0 where a norm is
    0, minus infinity without rows. Raises `ValueError` when the widths differ.
    """
    if len(turns) == 0:
        return -math.inf
    if turns.ndim != 2 or query.shape != turns.shape[1:]:
        raise ValueError(f"turns of shape {turns.shape} for a query of shape {query.shape}")
    rows, wide = turns.astype(np.float64), query.astype(np.float64)
    # sums along rows, not a matrix product: that may round a row by its place in the matrix
    products = (rows * wide).sum(axis=1)
    norms = np.sqrt((rows * rows).sum(axis=1)) * math.sqrt(float((wide * wide).sum()))
    cosines = np.divide(products, norms, out=np.zeros_like(products), where=norms > 0)
    return float(np.round(cosines, COSINE_DECIMALS).max())


def fuse(*rankings: Sequence[float]) -> list[float]:
    """Return reciprocal-rank fusion of lists of scores over the same records, highest score
    first."""
    ranks = [_shared_ranks(scores) for scores in rankings]
    return [
        math.fsum(1.0 / (FUSION_CONSTANT + 1 + rank) for rank in record)
        for record in zip(*ranks, strict=True)
    ]


def _shared_ranks(scores: Sequence[float]) -> list[int]:
    rank_of = {score: rank for rank, score in enumerate(sorted(set(scores), reverse=True))}
    return [rank_of[score] for score in scores]


RECALL = HybridRecall()
