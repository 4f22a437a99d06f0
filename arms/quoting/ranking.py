"""The ranks of a record's blocks for a query: shared trigrams and cosines, fused.

Two lists rank the blocks, each with dense shared ranks: the number of the query's character
trigrams that a block holds, and the cosine of its vector with the query's. A block's score is the
sum of 1 / (61 + rank) over the lists, the order is by score, then by block (evidence allocation,
`rank_blocks`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.model import VECTORS, BlockSet, Signal

BLOCK_SIGNALS = (Signal("trigrams"), Signal("cosine", VECTORS))
"""What the blocks of a record are ranked by."""

FUSION_CONSTANT = 60
COSINE_DECIMALS = 12
_CODE_POINT_BITS = 21
_SIEVE_BITS = 16
_FINAL_SIGMA = "Σ"  # its lower case depends on what follows, even across a block's end

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def reciprocal_ranks(count: int) -> Floats:
    """Compute 1 / (60 + 1 + rank) of ranks from 0 (Cormack, Clarke and Büttcher 2009); shape
    (count,)."""
    return 1.0 / (FUSION_CONSTANT + 1 + np.arange(count, dtype=np.float64))


def dense_count_ranks(counts: Integers) -> Integers:
    """Compute `dense_ranks` of small counts, without sorting them."""
    present = np.bincount(counts) > 0
    ranks: Integers = np.cumsum(present[::-1])[::-1] - 1
    return ranks[counts]


def dense_ranks(values: NDArray[np.float64] | NDArray[np.int64]) -> Integers:
    """Compute the index of each value among the distinct values, highest first, from 0."""
    _, inverse = np.unique(-values, return_inverse=True)
    return inverse.astype(np.int64)


def trigrams(text: str) -> set[str]:
    """Return every three-character window of the lower-cased text; a shorter text is one gram."""
    lowered = text.lower()
    if len(lowered) < 3:
        return {lowered} if lowered else set()
    return {lowered[index : index + 3] for index in range(len(lowered) - 2)}


@dataclass(frozen=True, slots=True)
class QueryTrigrams:
    """The trigrams of a query, packed for search in long texts.

    `keys`: sorted uint64, three code points of 21 bits each. `sieve`: whether any key has a given
    hash, a quick way to pass over the rest of a text.
    """

    grams: frozenset[str]
    keys: NDArray[np.uint64]
    sieve: NDArray[np.bool_]

    @classmethod
    def of(cls, query: str) -> QueryTrigrams:
        grams = frozenset(trigrams(query))
        codes = _code_points("".join(sorted(gram for gram in grams if len(gram) == 3)))
        keys = np.unique(_packed(codes)[::3]) if len(codes) else np.empty(0, dtype=np.uint64)
        sieve = np.zeros(1 << _SIEVE_BITS, dtype=np.bool_)
        sieve[_sieve_hash(codes)[::3] if len(codes) else []] = True
        return cls(grams, keys, sieve)

    def held_by(self, text: str, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> Integers:
        """Return how many of the trigrams each block of `text` holds; shape (n,)."""
        lowered = text.lower()
        # lower case may change the length (İ) or depend on the neighbours (Σ); then offsets into
        # the lowered text are not those of the text
        offsets_hold = len(lowered) == len(text) and _FINAL_SIGMA not in text
        if not offsets_hold or not len(self.keys):
            return self._held_by_definition(text, starts, ends)
        if len(lowered) < 3:
            return np.zeros(len(starts), dtype=np.int64)
        codes = _code_points(lowered)
        at = np.flatnonzero(self.sieve.take(_sieve_hash(codes)))
        keys = _packed_at(codes, at)
        gram = np.searchsorted(self.keys, keys)
        # any key will do for what lies beyond the last: the comparison rejects it
        gram[gram == len(self.keys)] = 0
        exact = self.keys[gram] == keys
        at, gram = at[exact], gram[exact]
        block = np.searchsorted(starts, at, side="right") - 1
        inside = at + 3 <= ends[block]
        held = np.zeros((len(starts), len(self.keys)), dtype=np.bool_)
        held[block[inside], gram[inside]] = True
        counts: Integers = held.sum(axis=1, dtype=np.int64)
        return counts

    def _held_by_definition(
        self, text: str, starts: NDArray[np.int32], ends: NDArray[np.int32]
    ) -> Integers:
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        counts = [len(self.grams & trigrams(text[start:end])) for start, end in spans]
        return np.array(counts, dtype=np.int64)


def cosines(blocks: BlockSet, query: NDArray[np.float32] | None) -> Floats | None:
    """Compute the cosine of every block with the query, float64 rounded to 12 decimals; shape (n,).

    None unless every block has a vector of the query's width. A zero vector has cosine 0. Each row
    is multiplied and summed by itself, so equal vectors have equal cosines on every machine.
    """
    vectors = blocks.complete_vectors
    if query is None or vectors is None or vectors.shape[1] != len(query):
        return None
    wide = query.astype(np.float64)
    rows = vectors.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows)) * np.sqrt(np.add.reduce(wide * wide))
    rows *= wide
    products = np.add.reduce(rows, axis=1)
    defined = lengths > 0
    quotients = np.divide(products, lengths, out=np.zeros_like(products), where=defined)
    # 12 decimals, so that equal vectors share a rank on every processor; + 0.0 turns -0.0 into 0.0
    rounded: Floats = np.round(quotients, COSINE_DECIMALS) + 0.0
    return rounded


def rank_blocks(held: Integers, cosine: Floats | None) -> Integers:
    """Return block indexes, best first; shape (n,)."""
    table = reciprocal_ranks(len(held))
    scores = table[dense_count_ranks(held)]
    if cosine is not None:
        scores = scores + table[dense_ranks(cosine)]
    # stable: blocks of equal score stay in text order, the reference's rule for ties
    return np.argsort(-scores, kind="stable")


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _packed(codes: NDArray[np.uint32]) -> NDArray[np.uint64]:
    return _packed_at(codes, np.arange(len(codes) - 2))


def _packed_at(codes: NDArray[np.uint32], at: Integers) -> NDArray[np.uint64]:
    bits = np.uint64(_CODE_POINT_BITS)
    first, second, third = (codes[at + shift].astype(np.uint64) for shift in range(3))
    return (first << (bits + bits)) | (second << bits) | third


def _sieve_hash(codes: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """Return a 16-bit hash of every three-character window; what overflows is meant to be lost."""
    low = codes.astype(np.uint16)
    mixed = low[:-2] * np.uint16(961)
    mixed += low[1:-1] * np.uint16(31)
    mixed += low[2:]
    return mixed
