"""How lookup measures are shown in tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.statistics.difference import PairedDifference


def thousands(value: int) -> str:
    return f"{value:,}"


def difference_row(difference: PairedDifference | None) -> dict[str, Any] | None:
    """A difference over tasks, for JSON and CSV."""
    if difference is None:
        return None
    names = ("difference", "lower", "upper", "pairs", "level", "resamples", "seed")
    return {name: getattr(difference, name) for name in names}


def change(value: Mapping[str, Any]) -> str:
    """`+12.3 (+1.0, +20.4)` of a paired difference."""
    return _interval(value, 1.0)


def share_change(value: Mapping[str, Any]) -> str:
    """The same in points of a share."""
    return _interval(value, 100.0)


def _interval(value: Mapping[str, Any], scale: float) -> str:
    difference, lower, upper = (value[name] for name in ("difference", "lower", "upper"))
    if difference is None:
        return "–"
    if lower is None or upper is None:
        return f"{scale * difference:+.1f} (no interval)"
    return f"{scale * difference:+.1f} ({scale * lower:+.1f}, {scale * upper:+.1f})"
