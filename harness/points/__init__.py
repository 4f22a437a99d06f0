"""Points: an arm with all its settings, spelled in one canonical way."""

from .arms import arm_names, load_arm, load_arms
from .point import Point, default_points, group_by_policy, make_point
from .roles import (
    arms_with_parts,
    curve_arms,
    cutting_arms,
    point_with,
    role_points,
    roles_in_words,
)
from .spelling import parse_point, parse_points

__all__ = [
    "Point",
    "arm_names",
    "arms_with_parts",
    "curve_arms",
    "cutting_arms",
    "default_points",
    "group_by_policy",
    "load_arm",
    "load_arms",
    "make_point",
    "parse_point",
    "parse_points",
    "point_with",
    "role_points",
    "roles_in_words",
]
