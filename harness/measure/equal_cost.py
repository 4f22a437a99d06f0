"""Two curves compared at equal cost: each point of one against the other curve.

*Interpolated*: between the two measured points of the other curve whose mean costs enclose that of
the point, every question's value is interpolated linearly, with one weight for all questions,

    w = (cost - cost below) / (cost above - cost below)
    value_i = value_i(below) + w (value_i(above) - value_i(below)),

and the point is compared with that, question by question. The weight is that of the observed mean
costs and stays as it is in the resamples of the interval. A point that costs less than the cheapest
point of the other curve, or more than its most expensive, has no interpolated value.

*Nearest*: the measured point of the other curve whose mean cost is nearest, with the gap as a share
of that point's cost; within 5 % it counts as the same cost, as in the published comparisons. By
their rule the point is better where the interval's lower limit is above 0, worse where the upper
one is below 0, and else nothing is claimed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

from harness.points import Point
from harness.statistics.difference import PairedDifference

from .curves import Curve, CurvePoint, Curves, difference_of
from .measured import MeasuredValues

SAME_COST = 0.05
"""Mean context tokens within this share of the base's count as the same cost: the tolerance of the
published comparisons."""


@dataclass(frozen=True, slots=True)
class Interpolated:
    """The other curve at the point's cost; `weight` is that of the point above."""

    below: Point
    above: Point
    weight: float
    value: float
    difference: PairedDifference


@dataclass(frozen=True, slots=True)
class Nearest:
    """The other curve's nearest measured point; `gap` is the point's cost over its, less 1."""

    point: Point
    cost: float
    gap: float
    difference: PairedDifference

    @property
    def same_cost(self) -> bool:
        return abs(self.gap) <= SAME_COST

    @property
    def verdict(self) -> str:
        """`better`, `worse` or `no claim`, for the point that is compared."""
        if self.difference.interval.lower > 0:
            return "better"
        return "worse" if self.difference.interval.upper < 0 else "no claim"


@dataclass(frozen=True, slots=True)
class AtEqualCost:
    """A point of one curve beside the curve of the arm `other`."""

    point: CurvePoint
    other: str
    interpolated: Interpolated | None
    nearest: Nearest


def at_equal_cost(measured: MeasuredValues, curves: Curves) -> tuple[AtEqualCost, ...]:
    """Return every point of the further curves against the first, the full point left out."""
    if len(curves.curves) < 2:
        return ()
    first, *others = curves.curves
    return tuple(
        AtEqualCost(
            point=point,
            other=first.arm,
            interpolated=_interpolated(measured, point, first),
            nearest=_nearest(measured, point, first),
        )
        for curve in others
        for point in curve.points
        if not point.is_full
    )


def _interpolated(measured: MeasuredValues, point: CurvePoint, curve: Curve) -> Interpolated | None:
    below = [other for other in curve.points if other.cost <= point.cost]
    above = [other for other in curve.points if other.cost >= point.cost]
    if not below or not above:
        return None
    low, high = below[-1], above[0]
    span = high.cost - low.cost
    weight = (point.cost - low.cost) / span if span > 0 else 0.0
    values = measured.scored
    lower, upper = (values[:, measured.place(other.point)] for other in (low, high))
    between = lower + weight * (upper - lower)  # exact where both are equal
    return Interpolated(
        below=low.point,
        above=high.point,
        weight=weight,
        value=fsum(between) / len(between),
        difference=difference_of(measured.measure, values[:, measured.place(point.point)], between),
    )


def _nearest(measured: MeasuredValues, point: CurvePoint, curve: Curve) -> Nearest:
    nearest = min(curve.points, key=lambda other: (abs(other.cost - point.cost), other.cost))
    values = measured.scored
    columns = [values[:, measured.place(other.point)] for other in (point, nearest)]
    gap = point.cost / nearest.cost - 1.0 if nearest.cost else 0.0
    return Nearest(
        nearest.point, nearest.cost, gap, difference_of(measured.measure, columns[0], columns[1])
    )
