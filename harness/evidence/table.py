"""Evidence metrics and costs as rows, the shape that the command line and the reports print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from harness.statistics.difference import PairedDifference

from .aggregation import MetricValue, metric_values
from .cohort import CohortCounts, cohort_of
from .differences import Bootstrap, paired_differences
from .metric import Metric
from .metrics import METRICS

Row = dict[str, Any]

DIFFERENCE_KEYS = (
    "against",
    "difference",
    "lower",
    "upper",
    "level",
    "resamples",
    "seed",
    "pairs",
    "wins",
    "losses",
    "ties",
    "warnings",
)
"""What a row says of a difference, in this order."""


def evidence_table(
    rows: pa.Table,
    points: Sequence[str],
    *,
    by_category: bool = False,
    against: str | None = None,
    bootstrap: Bootstrap | None = None,
    metrics: Sequence[Metric] = METRICS,
) -> list[Row]:
    """Return one row per point, in the order of `points`; with `by_category` one per point and
    category.

    `rows` is a table (pyarrow, or a pandas data frame) with a row for every case and point:
    `case_id`, `category`, `point`, the columns of `harness.evidence.SCHEMA`, and
    `prompt_tokens_estimated` and `sessions_shown` where they were counted. A row of the result has

    - `point`, and with `by_category` also `category` (None for cases without one, last);
    - the name of every one of `metrics` with its value or None, in their order;
    - `denominators`: by metric `expected`, `scored` and `excluded` (cases by reason), and for a
      pooled metric the sums `numerator` and `denominator`;
    - with `against`, `differences`: by metric the keys of `DIFFERENCE_KEYS`. It is empty in the
      rows of `against` itself, which need not be one of `points`.

    Raises what `cohort_of` and `paired_differences` raise.
    """
    wanted = list(dict.fromkeys(points))
    needed = wanted if against is None else list(dict.fromkeys([*wanted, against]))
    cohort = cohort_of(rows, needed)
    if not by_category:
        made = _rows(cohort, metrics, against, bootstrap)
        return [made[point] for point in wanted]
    parts = [
        (name, _rows(part, metrics, against, bootstrap)) for name, part in cohort.by_category()
    ]
    return [
        {"point": point, "category": name, **made[point]}
        for point in wanted
        for name, made in parts
    ]


def _rows(
    cohort: CohortCounts,
    metrics: Sequence[Metric],
    against: str | None,
    bootstrap: Bootstrap | None,
) -> dict[str, Row]:
    rows: dict[str, Row] = {point: {"point": point} for point in cohort.points}
    denominators: dict[str, Row] = {point: {} for point in cohort.points}
    differences: dict[str, Row] = {point: {} for point in cohort.points}
    for metric in metrics:
        for point, value in zip(cohort.points, metric_values(metric, cohort), strict=True):
            rows[point][metric.name] = value.value
            denominators[point][metric.name] = _denominators(value)
        if against is not None:
            paired = paired_differences(metric, cohort, against, bootstrap=bootstrap)
            for point, difference in paired.items():
                differences[point][metric.name] = _difference(difference, against)
    for point, row in rows.items():
        row["denominators"] = denominators[point]
        if against is not None:
            row["differences"] = differences[point]
    return rows


def _denominators(value: MetricValue) -> Row:
    counts: Row = {
        "expected": value.expected,
        "scored": value.scored,
        "excluded": dict(value.excluded),
    }
    if value.denominator is not None:
        counts |= {"numerator": value.numerator, "denominator": value.denominator}
    return counts


def _difference(difference: PairedDifference, against: str) -> Row:
    values = {name: getattr(difference, name) for name in DIFFERENCE_KEYS[1:]}
    return {"against": against, **values, "warnings": list(difference.warnings)}
