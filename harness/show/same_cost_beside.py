"""Points of one arm beside the points of the other arms that cost about the same."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from harness.evidence import (
    Bootstrap,
    CohortCounts,
    Metric,
    cohort_of,
    metric_named,
    paired_differences,
)
from harness.measure.instruments.equal_cost import SAME_COST
from harness.points import Point
from harness.replay.run import Run
from harness.words import code

from .figures import COMPARED, Figures
from .markdown import Table
from .numbers import change_text, difference_text, heading

NEAR = 2 * SAME_COST
"""A point whose mean context tokens differ by more than this share is not set beside."""

_COST = metric_named("context_tokens")
_METRICS = tuple(metric for metric in COMPARED if metric != _COST)


def same_cost_beside(run: Run, figures: Figures, points: Sequence[Point]) -> Table:
    """For each of `points`, which are of one arm, of every other arm the point of nearest cost, if
    it is near, with the differences of the first to it, paired by question.

    No rows where tokens were not counted, or nothing is near.
    """
    pairs = _pairs(figures, points)
    columns = ("point", "less", "cost difference", "same cost", *map(heading, _METRICS))
    rows = [
        (
            code(point),
            code(other),
            change_text(gap),
            "yes" if abs(gap) <= SAME_COST else "no",
            *_differences(run, point, other),
        )
        for point, other, gap in pairs
    ]
    return Table(columns, tuple(rows), left=2)


_Pair = tuple[Point, Point, float]
"""A point, another arm's, and by how much of the other's cost the first costs more."""


def _pairs(figures: Figures, points: Sequence[Point]) -> list[_Pair]:
    pairs: list[_Pair] = []
    for point in _distinct(figures, points):
        for arm in figures.arms:
            if arm == point.arm:
                continue
            gaps = {other: _gap(figures, point, other) for other in figures.points_of(arm)}
            other = min(gaps, key=lambda each: abs(gaps[each]))
            pairs += [(point, other, gaps[other])] if abs(gaps[other]) <= NEAR else []
    return pairs


def _distinct(figures: Figures, points: Sequence[Point]) -> list[Point]:
    """The first of the points that have the same figures throughout."""
    first: dict[tuple[float | None, ...], Point] = {}
    for point in points:
        values = tuple(by_point[str(point)].value for by_point in figures.values.values())
        first.setdefault(values, point)
    return list(first.values())


def _gap(figures: Figures, point: Point, other: Point) -> float:
    cost, base = _cost(figures, point), _cost(figures, other)
    return cost / base - 1.0 if base else inf


def _cost(figures: Figures, point: Point) -> float:
    return figures.values[_COST.name][str(point)].value or 0.0


def _differences(run: Run, point: Point, other: Point) -> list[str]:
    cohort = cohort_of(run.evidence_rows([point, other]), [str(point), str(other)])
    return [_difference(metric, cohort, str(point), str(other)) for metric in _METRICS]


def _difference(metric: Metric, cohort: CohortCounts, point: str, other: str) -> str:
    found = paired_differences(metric, cohort, other, bootstrap=Bootstrap())
    return difference_text(metric, found[point])
