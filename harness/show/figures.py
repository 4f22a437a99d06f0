"""The figures of a run: every metric at every point, and the paired differences to one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from harness.errors import UsageError
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
    found: Sequence[Point] = run.chosen([against])
    if len(found) != 1:
        shown = ", ".join(str(point) for point in found)
        raise UsageError(
            f"--against {against} means {len(found)} points: {shown}", "Name one of them."
        )
    return found[0]


def values_of(cohort: CohortCounts) -> Values:
    """Return every metric at every point of `cohort`."""
    return {
        metric.name: dict(zip(cohort.points, metric_values(metric, cohort), strict=True))
        for metric in METRICS
    }
