"""Reordering by coverage: passages that hold a part not yet held come sooner.

From an order with places p: the first passage stays. Then, repeatedly, each remaining passage has
the key p - step if it holds a part that no placed passage holds, p + step if it holds parts and all
are held already, else p; passages of the first `keep_first` records in item order are never moved
down. The smallest key is placed next, ties to the smaller p (evidence allocation, coverage order).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush


def coverage_order(held: Sequence[Sequence[int]], floored: Sequence[bool], step: int) -> list[int]:
    """Places of the original order, in the new order.

    `held[p]`: the parts that passage p holds; `floored[p]`: whether it is never moved down. Each
    passage's key changes at most once, when the last of its parts is held, so a heap with stale
    entries does what the definition says.
    """
    if not held:
        return []
    missing = [set(parts) for parts in held]
    holders: dict[int, list[int]] = {}
    for place, parts in enumerate(held):
        for part in parts:
            holders.setdefault(part, []).append(place)
    settled = [place if floor else place + step for place, floor in enumerate(floored)]
    keys = [place - step if missing[place] else place for place in range(len(held))]
    heap = [(key, place) for place, key in enumerate(keys) if place]
    heapify(heap)
    order = [0]
    placed = [False] * len(held)
    placed[0] = True

    def mark(place: int) -> None:
        for part in list(missing[place]):
            for holder in holders[part]:
                missing[holder].discard(part)
                if not missing[holder] and not placed[holder]:
                    keys[holder] = settled[holder]
                    heappush(heap, (settled[holder], holder))

    mark(0)
    while heap:
        key, place = heappop(heap)
        if placed[place] or key != keys[place]:
            continue
        placed[place] = True
        order.append(place)
        mark(place)
    return order
