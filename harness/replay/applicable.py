"""Which points run on which kind of case."""

from __future__ import annotations

from collections.abc import Sequence

from harness.errors import UsageError
from harness.points import Point, load_arm

Points = tuple[Point, ...]


def by_kind(points: Sequence[Point], kind: str) -> tuple[Points, Points]:
    """The points whose arms run on that kind of case, and the others."""
    accepted = {point: kind in load_arm(point.arm).accepts for point in points}
    return (
        tuple(point for point in points if accepted[point]),
        tuple(point for point in points if not accepted[point]),
    )


def applicable(points: Sequence[Point], kind: str) -> tuple[Points, Points]:
    """As `by_kind`; raises `UsageError`, naming every arm, when none of them runs."""
    accepted, others = by_kind(points, kind)
    if not accepted:
        arms = {point.arm: " or ".join(load_arm(point.arm).accepts) for point in others}
        needs = ", ".join(f"{arm} runs on {kinds} cases" for arm, kinds in arms.items())
        raise UsageError(
            f"{needs}; these are {kind} cases",
            "Choose other cases or another point; harness arms NAME says what an arm runs on.",
        )
    return accepted, others
