"""Orders of records that do not depend on the order they came in, and windows made of them."""

from __future__ import annotations

from collections.abc import Sequence

from harness.storage.hashing import sha256_of_text

from .protocol import Place, RecordTexts


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
    """Compose the best `items` records by score, then the best `reserved` others by their best
    block.

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
