"""Points: an arm with all its settings, spelled in one canonical way."""

from .arms import arm_names, load_arm, load_arms
from .point import Point, default_points, parse_point, parse_points

__all__ = [
    "Point",
    "arm_names",
    "default_points",
    "load_arm",
    "load_arms",
    "parse_point",
    "parse_points",
]
