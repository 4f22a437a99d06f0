"""Which point is compared with which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.errors import UsageError
from harness.points import Point, parse_point, parse_points
from harness.points.external import EXTERNAL


@dataclass(frozen=True, slots=True)
class PointPair:
    """A point of the left source, and the point of the right one to compare it with."""

    left: str
    right: str

    @property
    def name(self) -> str:
        """What the pair is called: the point, or both."""
        return f"{self.left} ~ {self.right}" if self.two_points else self.left

    @property
    def two_points(self) -> bool:
        """Whether two points are compared with one another, not a point with itself."""
        return self.left != self.right


def point_pairs(points: Sequence[str], against: Sequence[str]) -> tuple[PointPair, ...]:
    """What to compare with what: without `against`, each point with itself; else the first of
    `points` with the first of `against`, and so on.

    A bare arm name stands for its default points; beside another arm's, they must have the same
    settings. Raises `UsageError`.
    """
    parse_points(spec for spec in (*points, *against) if not _imported(spec))  # all faults together
    if not against:
        named = [str(point) for spec in points for point in _points(spec)]
        return tuple(PointPair(point, point) for point in dict.fromkeys(named))
    if len(points) != len(against):
        raise UsageError(
            f"{len(points)} --point and {len(against)} --against-point were given",
            "Give as many of one as of the other: the first is compared with the first.",
        )
    pairs = (
        pair
        for spec, other in zip(points, against, strict=True)
        for pair in _matched(spec, _points(spec), other, _points(other))
    )
    return tuple(dict.fromkeys(pairs))


def _matched(
    spec: str, left: Sequence[Point], other: str, right: Sequence[Point]
) -> list[PointPair]:
    same_settings = [point.changed for point in left] == [point.changed for point in right]
    if not same_settings and not len(left) == len(right) == 1:
        raise UsageError(
            f"{spec} stands for {_counted(left)}, {other} for {_counted(right)}, and their "
            "settings do not match one to one",
            f"Name one of each, such as --point '{left[0]}' --against-point '{right[0]}'",
        )
    return [PointPair(str(one), str(two)) for one, two in zip(left, right, strict=True)]


def _points(spec: str) -> list[Point]:
    return [parse_point(spec)] if _imported(spec) else parse_points([spec])


def _imported(spec: str) -> bool:
    """Whether it is a point whose selections were imported; nothing computes it."""
    return spec.strip().startswith(EXTERNAL.name)


def _counted(points: Sequence[Point]) -> str:
    return f"{len(points)} point{'s' if len(points) != 1 else ''}"
