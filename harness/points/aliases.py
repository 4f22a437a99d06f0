"""Points that are spelled differently and are the same policy: computed once, listed as aliases."""

from __future__ import annotations

from collections.abc import Iterable

from harness.model import Policy

from .point import Point


def group_by_policy(points: Iterable[Point]) -> list[tuple[Point, ...]]:
    """The points in groups of equal policies: groups by first point, points in the given order."""
    groups: dict[Policy, list[Point]] = {}
    for point in dict.fromkeys(points):
        groups.setdefault(point.policy, []).append(point)
    return [tuple(group) for group in groups.values()]
