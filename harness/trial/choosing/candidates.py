"""What a point is chosen from: the mean costs of a run's points over its dev questions.

Rows of test questions are dropped before anything is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from harness.datasets.split import Part, Split
from harness.errors import InputError
from harness.evidence import (
    COST_METRICS,
    CohortCounts,
    MetricValue,
    cohort_of,
    metric_named,
    metric_values,
)
from harness.points import Point
from harness.replay.run import Run

COSTS = tuple(metric.name for metric in COST_METRICS)
"""The measures that a run has of cost."""


@dataclass(frozen=True, slots=True)
class Choosable:
    """A point that can be chosen, with the other spellings of the same policy in the run.

    `cost` is the exact mean over the dev questions; `metric` the metric's value, None where the
    rule has no metric, or no dev question is scored.
    """

    point: str
    aliases: tuple[str, ...]
    cost: Fraction
    metric: MetricValue | None


@dataclass(frozen=True, slots=True)
class DevTable:
    """Every distinct policy among the points asked for, over the same dev questions.

    `cost_measure` is one of `COSTS`. `absent` are dev questions that the run does not have.
    """

    cost_measure: str
    questions: int
    absent: int
    candidates: tuple[Choosable, ...]

    def of(self, point: Point) -> Choosable:
        """The candidate that `point` is, under its own spelling or another; or `KeyError`."""
        for candidate in self.candidates:
            if str(point) in (candidate.point, *candidate.aliases):
                return candidate
        raise KeyError(str(point))


def read_dev_table(
    run: Run,
    split: Split,
    points: Sequence[Point],
    *,
    cost: str = "context_tokens",
    metric: str | None = None,
) -> DevTable:
    """The dev costs of `points`, and the values of `metric`.

    Raises `InputError` for a run of the test part or of another dataset, and for one whose tokens
    were not counted; `UsageError` for a metric that there is not.
    """
    wanted = None if metric is None else metric_named(metric)
    _check_run(run, split)
    case_ids = run.cases().column("case_id").to_pylist()
    partition = split.partition(case_ids)
    groups = _by_policy(run, points)
    leads = [members[0] for members in groups]
    rows = _dev_rows(run.evidence_rows(leads), partition.dev)
    cohort = cohort_of(rows, [str(point) for point in leads])
    costs = _mean_costs(cohort, cost, run)
    values = [None] * len(leads) if wanted is None else metric_values(wanted, cohort)
    return DevTable(
        cost,
        len(cohort.case_ids),
        len(partition.absent),
        tuple(
            Choosable(str(members[0]), tuple(map(str, members[1:])), mean, value)
            for members, mean, value in zip(groups, costs, values, strict=True)
        ),
    )


def _check_run(run: Run, split: Split) -> None:
    if run.manifest.work["part"] == Part.TEST.value:
        raise InputError(
            f"{run.folder} is a replay of test questions, which nothing is chosen from",
            "Replay the dev part: harness replay RECORDING --out RUN --split FILE --part dev",
        )
    dataset = run.manifest.content.get("dataset") or {}
    of_run, of_split = dataset.get("sha256"), split.dataset_sha256
    if of_run and of_split and of_run != of_split:
        raise InputError(
            f"the split was drawn for a dataset of sha256 {of_split}, {run.folder} is of {of_run}",
            "Give the split that was drawn for the run's dataset.",
        )


def _by_policy(run: Run, points: Sequence[Point]) -> list[list[Point]]:
    """The points that are one policy together, the one under which it was computed first."""
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(run.computed_as[str(point)], []).append(point)
    for computed_as, members in groups.items():
        members.sort(key=lambda point: (str(point) != computed_as, str(point)))
    return list(groups.values())


def _dev_rows(rows: pa.Table, dev: Sequence[str]) -> pa.Table:
    names = rows.column("case_id").cast(pa.string())
    return rows.filter(pc.is_in(names, pa.array(dev, pa.string())))


def _mean_costs(cohort: CohortCounts, cost: str, run: Run) -> list[Fraction]:
    """Exact means, so that a tie is a tie."""
    values = metric_values(metric_named(cost), cohort)
    if any(value.scored < value.expected for value in values):
        raise InputError(
            f"{run.folder} was replayed without {cost}",
            "Replay it without --no-tokens, into another --out.",
        )
    totals = cohort.counts[cost].sum(axis=0)  # whole numbers, far below 2^53
    return [Fraction(int(total), len(cohort.case_ids)) for total in totals]
