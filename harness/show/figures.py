"""The figures of a run: every metric at every point, and the paired differences to one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.evidence import (
    METRICS,
    Bootstrap,
    CohortCounts,
    MetricValue,
    PairedDifference,
    cohort_of,
    metric_named,
    metric_values,
    paired_differences,
)
from harness.model import Role
from harness.points import Point, point_with
from harness.replay import schema
from harness.replay.run import Run

Values = Mapping[str, Mapping[str, MetricValue]]
"""By metric, then by point."""

COMPARED = tuple(
    metric_named(name)
    for name in (
        "answer_sessions_shown",
        "all_answer_sessions_shown",
        "evidence_turns_touched",
        "evidence_turn_chars_macro",
        "evidence_share_pooled",
        "context_tokens",
    )
)
"""The metrics of which paired differences are reported."""


@dataclass(frozen=True, eq=False)
class Figures:
    """`values[metric][point]` and, for the metrics of `COMPARED`, `differences[metric][point]`.

    `differences` has every point but `against`, which is one of the run's. Keys are the metrics'
    names and the points' spellings.
    """

    points: tuple[Point, ...]
    against: Point
    cohort: CohortCounts
    values: Values
    differences: Mapping[str, Mapping[str, PairedDifference]]

    @property
    def tokens_counted(self) -> bool:
        """Whether the replay counted tokens."""
        return any(value.scored for value in self.values["context_tokens"].values())

    @property
    def arms(self) -> tuple[str, ...]:
        """Arms of the run, in the order of their first points."""
        return tuple(dict.fromkeys(point.arm for point in self.points))

    def points_of(self, arm: str) -> tuple[Point, ...]:
        return tuple(point for point in self.points if point.arm == arm)

    @cached_property
    def by_category(self) -> list[tuple[str | None, Values]]:
        """Values of each category of questions; those without one come last."""
        return [(name, values_of(part)) for name, part in self.cohort.by_category()]


def gather(run: Run, against: str | None = None) -> Figures:
    """Return the figures of `run`; without `against`, the differences are to `chosen_against`."""
    points = run.points
    base = chosen_against(run, against)
    cohort = cohort_of(run.evidence_rows(points), [str(point) for point in points])
    differences = {
        metric.name: paired_differences(metric, cohort, str(base), bootstrap=Bootstrap())
        for metric in COMPARED
    }
    return Figures(points, base, cohort, values_of(cohort), differences)


def chosen_against(run: Run, against: str | None) -> Point:
    """Return the point of the run that `against` spells; without it the default, else the first
    point.

    Raises `UsageError` for a point that the run does not have, or an arm name that means several.
    """
    if against is None:
        return point_with(Role.BASELINE, run.points) or run.points[0]
    return run.one(against, "--against")


def values_of(cohort: CohortCounts) -> Values:
    """Return every metric at every point of `cohort`."""
    return {
        metric.name: dict(zip(cohort.points, metric_values(metric, cohort), strict=True))
        for metric in METRICS
    }


@dataclass(frozen=True, slots=True)
class Spending:
    """Means over all cases of a point; the tokens of a context also by median and largest.

    Characters are of the whole context, headers included. Token figures are None where tokens were
    not counted.
    """

    items: float
    context_characters: float
    median_tokens: float | None
    largest_tokens: int | None


def spending(run: Run) -> Mapping[str, Spending]:
    """Return the spending of every point of `run`, aliases under their own spelling too."""
    columns = ["point", "items", "context_characters", "context_tokens"]
    table = run.table(schema.SELECTIONS, columns)
    names = table.column("point").cast(pa.string())
    computed = {
        name: _spending(table.filter(pc.equal(names, name)))
        for name in dict.fromkeys(run.computed_as.values())
    }
    return {str(point): computed[run.computed_as[str(point)]] for point in run.points}


def _spending(rows: pa.Table) -> Spending:
    tokens = rows.column("context_tokens").drop_null().to_numpy()
    return Spending(
        items=_mean(rows, "items"),
        context_characters=_mean(rows, "context_characters"),
        median_tokens=float(np.median(tokens)) if len(tokens) else None,
        largest_tokens=int(tokens.max()) if len(tokens) else None,
    )


def _mean(rows: pa.Table, name: str) -> float:
    total: int = sum(rows.column(name).to_pylist())
    return total / max(len(rows), 1)


@dataclass(frozen=True, slots=True)
class Count:
    """A count of the cases table that is compared, and the count that makes a case comparable."""

    name: str
    of: str
    noun: str


COUNTS = (
    Count("answer_sessions_shown", "answer_sessions", "answer sessions"),
    Count("evidence_turns_touched", "evidence_turns", "evidence turns"),
)


@dataclass(frozen=True, slots=True)
class LossesAndGains:
    """The cases in which a point has a smaller and a greater count than the point of every item.

    `scored` cases are labelled for this count; the others cannot differ. Ids are in code point
    order. `by_category` has lost, gained and scored cases of every category of the cohort.
    """

    count: Count
    scored: int
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    by_category: Mapping[str | None, tuple[int, int, int]]


def compare(figures: Figures, base: Point, point: Point) -> tuple[LossesAndGains, ...]:
    """Subtract `base` from `point`, one comparison per count of `COUNTS`."""
    return tuple(_comparison(figures, count, base, point) for count in COUNTS)


def _comparison(figures: Figures, count: Count, base: Point, point: Point) -> LossesAndGains:
    cohort = figures.cohort
    counts = cohort.counts[count.name]
    ours, theirs = (counts[:, cohort.points.index(str(spelled))] for spelled in (point, base))
    scored = (cohort.counts["labelled"][:, 0] == 1) & (cohort.counts[count.of][:, 0] > 0)
    lost, gained = scored & (ours < theirs), scored & (ours > theirs)
    categories = np.array(cohort.categories, dtype=object)
    ids = np.array(cohort.case_ids, dtype=object)
    by_category = {}
    for name, _ in cohort.by_category():
        inside = categories == name
        numbers = [int(np.sum(inside & mask)) for mask in (lost, gained, scored)]
        by_category[name] = (numbers[0], numbers[1], numbers[2])
    return LossesAndGains(
        count, int(np.sum(scored)), tuple(ids[lost]), tuple(ids[gained]), by_category
    )
