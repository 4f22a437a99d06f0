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
    """Return places of the original order, in the new order.

    `held[p]`: the parts that passage p holds; `floored[p]`: whether it is never moved down. The key
    of a passage without parts is its place, so those wait in their order; the key of any other
    changes at most once, when the last of its parts is held, so a heap whose stale entries are
    skipped does what the definition says.
    """
    if not held:
        return []
    missing = {place: set(parts) for place, parts in enumerate(held) if parts}
    holders: dict[int, list[int]] = {}
    for place, parts in missing.items():
        for part in parts:
            holders.setdefault(part, []).append(place)
    keys = {place: place - step for place in missing if place}
    moving = [(key, place) for place, key in keys.items()]
    heapify(moving)

    def mark(place: int) -> None:
        """Hold the parts of a placed passage; passages with nothing left to add get a new key."""
        keys.pop(place, None)
        for part in list(missing.get(place, ())):
            for holder in holders[part]:
                missing[holder].discard(part)
                if not missing[holder] and holder in keys:
                    keys[holder] = holder if floored[holder] else holder + step
                    heappush(moving, (keys[holder], holder))

    order = [0]
    mark(0)
    waiting = iter([place for place in range(1, len(held)) if place not in missing])
    next_waiting = next(waiting, None)
    while moving or next_waiting is not None:
        if moving and keys.get(moving[0][1]) != moving[0][0]:
            heappop(moving)  # placed, or its key has changed since
        elif moving and (next_waiting is None or moving[0] < (next_waiting, next_waiting)):
            place = heappop(moving)[1]
            order.append(place)
            mark(place)
        elif next_waiting is not None:
            order.append(next_waiting)
            next_waiting = next(waiting, None)
    return order
