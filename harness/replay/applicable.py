"""Which points run on which kind of case."""

from __future__ import annotations

from collections.abc import Sequence

from harness.errors import UsageError
from harness.points import Point, load_arm


def applicable(points: Sequence[Point], kind: str) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """The points whose arms run on that kind of case, and the others.

    Raises `UsageError`, naming every arm, when none of them does.
    """
    accepted = {point: kind in load_arm(point.arm).accepts for point in points}
    others = tuple(point for point in points if not accepted[point])
    if len(others) == len(points):
        arms = {point.arm: " or ".join(load_arm(point.arm).accepts) for point in others}
        needs = ", ".join(f"{arm} runs on {kinds} cases" for arm, kinds in arms.items())
        raise UsageError(
            f"{needs}; these are {kind} cases",
            "Choose another recording or point; harness arms says what each arm runs on.",
        )
    return tuple(point for point in points if accepted[point]), others
