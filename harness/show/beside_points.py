"""Points of one arm beside other points: the two that others are usually compared with, and those
of the other arms that cost about the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import fsum, inf
from typing import Any

import pyarrow as pa

from harness.evidence import (
    Bootstrap,
    PairedDifference,
    cohort_of,
    metric_named,
    paired_differences,
)
from harness.measure.equal_cost import SAME_COST
from harness.model import Role
from harness.points import Point, role_points
from harness.replay.run import Run
from harness.words import Kind

from .evidence_tables import COST_GAP, POINT, interval_cell, metric_column, no_interval
from .figures import COMPARED, Figures
from .table import Column, Table, WithLimits

NEAR = 2 * SAME_COST
"""A point whose mean context tokens differ by more than this share is not set beside."""

_COST = metric_named("context_tokens")
_METRICS = tuple(metric for metric in COMPARED if metric != _COST)


def _interval(key: str) -> Callable[[Mapping[str, Any]], WithLimits]:
    return lambda row: interval_cell(row[key])


_DIFFERENCES = tuple(
    replace(metric_column(metric, change=True), cell=_interval(metric.name)) for metric in _METRICS
)


def beside_targets(
    run: Run,
    figures: Figures,
    points: Sequence[Point],
    dev: Collection[str] | None,
    *,
    targets: Collection[Point] | None = None,
) -> Table:
    """Compare each of `points` with each target that the run has, paired by question.

    Without `targets` they are the points with the roles `BASELINE` and `REFERENCE`.
    With `dev`, the ids of a split's dev questions, the mean context tokens of both on these stand
    in front: points are chosen on dev. No rows where tokens were not counted.
    """
    if targets is None:
        targets = role_points(Role.BASELINE) + role_points(Role.REFERENCE)
    others = [point for point in figures.points if point in targets]
    parts = ("on_dev", "overall") if dev is not None else ("overall",)
    where = {"on_dev": " on dev", "overall": ""}
    columns = (
        POINT,
        Column("other", "less", Kind.CODE),
        *(Column(part, f"context tokens{where[part]}", Kind.TOKENS) for part in parts),
        *(Column(f"other_{part}", f"of the other{where[part]}", Kind.TOKENS) for part in parts),
        *_DIFFERENCES,
    )
    if not figures.tokens_counted:
        return Table(columns, ())
    costs = {point: _costs(run, point, dev) for point in (*points, *others)}
    rows = [
        {
            "point": point,
            "other": other,
            **costs[point],
            **{f"other_{part}": cost for part, cost in costs[other].items()},
            **_differences(run, point, other),
        }
        for other in others
        for point in points
    ]
    return _table(columns, rows)


def _costs(run: Run, point: Point, dev: Collection[str] | None) -> dict[str, float | None]:
    """Return mean context tokens, over all questions and on dev."""
    rows = run.evidence_rows([point])
    ids = rows.column("case_id").cast(pa.string()).to_pylist()
    tokens = rows.column("context_tokens").to_pylist()
    costs = {"overall": _mean(tokens)}
    if dev is not None:
        on_dev = [count for case_id, count in zip(ids, tokens, strict=True) if case_id in dev]
        costs["on_dev"] = _mean(on_dev)
    return costs


def _mean(values: Sequence[int]) -> float | None:
    return fsum(values) / len(values) if values else None


def _differences(run: Run, point: Point, other: Point) -> dict[str, PairedDifference]:
    names = [str(point), str(other)]
    cohort = cohort_of(run.evidence_rows([point, other]), names)
    return {
        metric.name: paired_differences(metric, cohort, names[1], bootstrap=Bootstrap())[names[0]]
        for metric in _METRICS
    }


def _table(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return the table, with what the mark beside differences means below it."""
    note = no_interval(row[metric.name] for row in rows for metric in _METRICS)
    return Table(columns, rows, notes=(note,) if note else ())


def same_cost_beside(run: Run, figures: Figures, points: Sequence[Point]) -> Table:
    """Return, for each of `points`, which are of one arm, of every other arm the point of nearest
    cost, if it is near, with the differences of the first to it, paired by question.

    No rows where tokens were not counted, or nothing is near.
    """
    columns = (
        POINT,
        Column("other", "less", Kind.CODE),
        *COST_GAP,
        *_DIFFERENCES,
    )
    rows = [
        {
            "point": point,
            "other": other,
            "gap": gap,
            "same_cost": abs(gap) <= SAME_COST,
            **_differences(run, point, other),
        }
        for point, other, gap in _pairs(figures, points)
    ]
    return _table(columns, rows)


_Pair = tuple[Point, Point, float]
"""A point, another arm's, and by how much of the other's cost the first costs more."""


def _pairs(figures: Figures, points: Sequence[Point]) -> list[_Pair]:
    pairs: list[_Pair] = []
    for point in _distinct(figures, points):
        for arm in figures.arms:
            if arm == point.arm:
                continue
            gaps = {other: _gap(figures, point, other) for other in figures.points_of(arm)}
            other = min(gaps, key=lambda candidate: abs(gaps[candidate]))
            pairs += [(point, other, gaps[other])] if abs(gaps[other]) <= NEAR else []
    return pairs


def _distinct(figures: Figures, points: Sequence[Point]) -> list[Point]:
    """Return the first of the points that have the same figures throughout."""
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
