"""The point of a run that shows every item."""

from __future__ import annotations

from collections.abc import Sequence

from .point import Point

EVERY_ITEM = ("items", "count-curve(k=full)")
"""The points that show every item at full quotes, the preferred one first."""


def point_of_every_item(points: Sequence[Point]) -> Point | None:
    """Return the point to compare with, if the run has one."""
    by_spelling = {str(point): point for point in points}
    return next((by_spelling[name] for name in EVERY_ITEM if name in by_spelling), None)
