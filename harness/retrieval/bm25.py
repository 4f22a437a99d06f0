"""The recall `bm25`: records by BM25 of their text, held places by their best single block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.model import Json
from harness.storage.hashing import sha256_of_text

from .lexical import (
    any_script_fingerprint,
    any_script_scores,
    bm25_scores,
    lexical_fingerprint,
)
from .recall import Place, RecordTexts, UserTurnVectors

Scores = Callable[[str, Sequence[str]], Any]
"""BM25 of texts for a question: numbers in the order of the texts."""

PLACES_FINGERPRINT: dict[str, Json] = {
    "idf": "the question's own haystack",
    "reserved": "best single block by BM25, idf over the blocks of the haystack",
    "ties": "sha256 of the record's text",
}


@dataclass(frozen=True, slots=True)
class BM25Recall:
    """BM25 (Lucene's variant, k1 1.5, b 0.75, English stop list, no stemmer) of question and text.

    The inverse document frequency is that of the question's own haystack: one over all haystacks
    would read other people's records. The window is the first `items` records, then the `reserved`
    others with the highest BM25 of a single block, over all blocks of the haystack. Records without
    a shared word score 0 and still fill the window. Ties break by the SHA-256 of the text.

    Source: Kamphuis et al., "Which BM25 do you mean?", ECIR 2020, as the library bm25s has it.
    """

    name: str = "bm25"
    needs_user_turn_vectors: bool = False

    @property
    def scores_of(self) -> Scores:
        return bm25_scores

    def fingerprint(self) -> dict[str, Json]:
        return {"recall": self.name, **lexical_fingerprint(), **PLACES_FINGERPRINT}

    def window(
        self,
        question: str,
        records: Sequence[RecordTexts],
        *,
        items: int,
        reserved: int,
        vectors: UserTurnVectors | None = None,
    ) -> tuple[Place, ...]:
        order = canonical_order(records)
        ordered = [records[position] for position in order]
        return compose_window(
            order,
            record_scores(question, ordered, self.scores_of),
            best_block_scores(question, ordered, self.scores_of)
            if reserved
            else [0.0] * len(ordered),
            items=items,
            reserved=reserved,
        )


@dataclass(frozen=True, slots=True)
class AnyScriptRecall(BM25Recall):
    """As `bm25`, with words of any script: single letters, and Japanese, Chinese or Thai text.

    A run of a script without blanks is its characters and its pairs of neighbours, of a question
    the pairs. Text is compared in Unicode's form NFKC, lower case.
    """

    name: str = "bm25-any-script"

    @property
    def scores_of(self) -> Scores:
        return any_script_scores

    def fingerprint(self) -> dict[str, Json]:
        return {"recall": self.name, **any_script_fingerprint(), **PLACES_FINGERPRINT}


def record_scores(
    question: str, records: Sequence[RecordTexts], scores_of: Scores = bm25_scores
) -> list[float]:
    """Compute BM25 of each record's whole text, idf over these records."""
    scores = scores_of(question, [record.text for record in records])
    return [float(score) for score in scores]


def best_block_scores(
    question: str, records: Sequence[RecordTexts], scores_of: Scores = bm25_scores
) -> list[float]:
    """Compute the highest BM25 of a single block of each record, idf over all their blocks.

    A record without blocks has 0.
    """
    blocks = [block for record in records for block in record.blocks]
    scores = iter(scores_of(question, blocks))
    return [max((float(next(scores)) for _ in record.blocks), default=0.0) for record in records]


RECALL = BM25Recall()
ANY_SCRIPT = AnyScriptRecall()


def canonical_order(records: Sequence[RecordTexts]) -> list[int]:
    """Return positions of the records by the SHA-256 of their text, equal texts by position.

    Scores are computed in this order, and ties of a score break by it.
    """
    hashes = [sha256_of_text(record.text) for record in records]
    return sorted(range(len(records)), key=lambda position: (hashes[position], position))


def best_first(scores: Sequence[float]) -> list[int]:
    """Return indexes by score, highest first; equal scores keep their order."""
    return sorted(range(len(scores)), key=lambda index: -scores[index])


def compose_window(
    order: Sequence[int],
    scores: Sequence[float],
    block_scores: Sequence[float],
    *,
    items: int,
    reserved: int,
) -> tuple[Place, ...]:
    """Compose the best `items` records by score, then the best `reserved` others by their
    best block.

    `order`: the canonical order. `scores`, `block_scores`: in that order.
    """
    ranked = best_first(scores)
    first = ranked[:items]
    places = [
        Place(order[index], rank, float(scores[index]), reserved=False)
        for rank, index in enumerate(first)
    ]
    taken = set(first)
    by_block = [
        Place(order[index], rank, float(block_scores[index]), reserved=True)
        for rank, index in enumerate(best_first(block_scores))
        if index not in taken
    ]
    return (*places, *by_block[:reserved])
