"""Points of one arm beside the two points that others are usually compared with, at their cost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import fsum

import pyarrow as pa

from harness.evidence import Bootstrap, cohort_of, metric_named, paired_differences
from harness.model import Role
from harness.points import Point, role_points
from harness.replay.run import Run
from harness.words import code

from .figures import COMPARED, Figures
from .markdown import Table
from .numbers import difference_text, heading, mean_text

_COST = metric_named("context_tokens")
_METRICS = tuple(metric for metric in COMPARED if metric != _COST)


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
    tokens = ("on dev",) if dev is not None else ()
    columns = (
        "point",
        "less",
        *(f"context tokens{f' {where}' if where else ''}" for where in (*tokens, "")),
        *(f"of the other{f' {where}' if where else ''}" for where in (*tokens, "")),
        *map(heading, _METRICS),
    )
    if not figures.tokens_counted:
        return Table(columns, (), left=2)
    cost = {point: _costs(run, point, dev) for point in (*points, *others)}
    rows = tuple(
        (code(point), code(other), *cost[point], *cost[other], *_differences(run, point, other))
        for other in others
        for point in points
    )
    return Table(columns, rows, left=2)


def _costs(run: Run, point: Point, dev: Collection[str] | None) -> tuple[str, ...]:
    """Mean context tokens, on dev first."""
    rows = run.evidence_rows([point])
    ids = rows.column("case_id").cast(pa.string()).to_pylist()
    tokens = rows.column("context_tokens").to_pylist()
    found = [mean_text(_mean(tokens))]
    if dev is not None:
        on_dev = [count for case_id, count in zip(ids, tokens, strict=True) if case_id in dev]
        found.insert(0, mean_text(_mean(on_dev)))
    return tuple(found)


def _mean(values: Sequence[int]) -> float | None:
    return fsum(values) / len(values) if values else None


def _differences(run: Run, point: Point, other: Point) -> list[str]:
    names = [str(point), str(other)]
    cohort = cohort_of(run.evidence_rows([point, other]), names)
    found = (
        (metric, paired_differences(metric, cohort, names[1], bootstrap=Bootstrap()))
        for metric in _METRICS
    )
    return [difference_text(metric, each[names[0]]) for metric, each in found]
