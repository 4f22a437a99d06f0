"""Points by the roles that their arms declare, so that nothing looks for an arm by its name."""

from __future__ import annotations

from collections.abc import Collection

from harness.errors import listed
from harness.model import Arm, Role

from .arms import load_arms
from .point import Point, make_point


def role_points(role: Role) -> tuple[Point, ...]:
    """Return the points of the installed arms that have the role, by the place of their arms."""
    return tuple(
        make_point(arm, arm.roles.points[role]) for arm in load_arms() if role in arm.roles.points
    )


def point_with(role: Role, points: Collection[Point]) -> Point | None:
    """Find the one of `points` that has the role; of several, that of the arm of lowest place."""
    return next((point for point in role_points(role) if point in points), None)


def curve_arms() -> tuple[str, ...]:
    """List the names of the installed arms whose points lie on a curve, by place."""
    return tuple(arm.name for arm in load_arms() if arm.roles.curve)


def cutting_arms() -> tuple[Arm, ...]:
    """List the installed arms whose points are the first items of every item, by place."""
    return tuple(arm for arm in load_arms() if arm.roles.cuts_by)


def arms_with_parts() -> tuple[Arm, ...]:
    """List the installed arms with parts that can be ablated, by place."""
    return tuple(arm for arm in load_arms() if arm.roles.parts is not None)


def roles_in_words(arm: Arm) -> list[str]:
    """Say what an arm can stand for, a phrase per role; empty for most arms."""
    roles = arm.roles
    phrases = [
        f"{make_point(arm, settings)} {role.value}" for role, settings in roles.points.items()
    ]
    if roles.curve:
        phrases.append("its points make a curve")
    if roles.cuts_by:
        phrases.append(f"{roles.cuts_by} says how many of the first items are kept of every item")
    if roles.parts is not None:
        phrases.append(f"parts that can be ablated: {listed(list(roles.parts.off))}")
    return phrases
