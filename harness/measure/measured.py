"""What a curve is drawn of: a measure and a cost, of every question at every point.

The measure is an evidence metric that is a mean of the questions' own shares, or the accuracy of
graded answers, whose share is 1 or 0. Both are averaged over the same questions at every point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

import numpy as np
from numpy.typing import NDArray

from harness.errors import Faults, UsageError, listed
from harness.evidence import (
    COST_METRICS,
    EVIDENCE_METRICS,
    Aggregation,
    Better,
    CohortCounts,
    Metric,
    metric_named,
)
from harness.evidence.metric import terms_of
from harness.points import Point
from harness.words import counted

from .answers import AnswersByPoint, GradedPoints
from .subject import MeasuredRun

ACCURACY = Metric(
    "accuracy",
    "Share of the graded questions whose answer was right.",
    unit="fraction",
    denominator="1 per question",
    cases="the graded questions",
    aggregation=Aggregation.MEAN,
    better=Better.HIGHER,
    source="the grades that were given",
)
DEFAULT_METRIC = "evidence_turns_touched"
COSTS = tuple(metric.name for metric in COST_METRICS)

Values = NDArray[np.float64]


def curve_metrics() -> tuple[Metric, ...]:
    """Return the metrics that a curve can be drawn of: shares, better when higher, whose mean is
    that of the questions' own values."""
    return tuple(
        metric
        for metric in EVIDENCE_METRICS
        if metric.aggregation is Aggregation.MEAN
        and metric.better is Better.HIGHER
        and metric.absent is None
        and metric.unit.startswith("fraction")
    )


@dataclass(frozen=True, eq=False)
class MeasuredValues:
    """`values` and `costs` of n questions (in code point order of their ids) at p points.

    Both are float64 of shape (n, p). A question that is not scored has NaN in its whole row of
    `values`; its cost counts nonetheless, as it does in `harness evidence`. `denominator` says how
    many are scored, and why the others are not. `cost` is the name of a column. `caveats` are by
    point, what goes with its numbers.
    """

    measure: Metric
    cost: str
    case_ids: tuple[str, ...]
    categories: tuple[str | None, ...]
    points: tuple[Point, ...]
    values: Values
    costs: Values
    denominator: str
    caveats: Mapping[Point, tuple[str, ...]] = field(default_factory=dict)

    @property
    def scored(self) -> Values:
        """Values of the scored questions."""
        return self.values[~np.isnan(self.values[:, 0])]

    def place(self, point: Point) -> int:
        return self.points.index(point)

    def mean_cost(self, place: int) -> float:
        """Compute the mean cost of a point; summed exactly, since costs are whole numbers."""
        return float(self.costs[:, place].sum() / len(self.costs))

    def mean_value(self, place: int) -> float:
        """Compute the mean value of the scored questions at a point."""
        scored = self.scored[:, place]
        return fsum(scored) / len(scored)

    def by_category(self) -> list[tuple[str | None, MeasuredValues]]:
        """Split by category, by name, questions without one last; parts without a scored
        question are left out."""
        names = sorted(set(self.categories), key=lambda name: (name is None, name or ""))
        parts = [(name, self._part(name)) for name in names]
        return [(name, part) for name, part in parts if len(part.scored)]

    def _part(self, category: str | None) -> MeasuredValues:
        kept = [place for place, name in enumerate(self.categories) if name == category]
        return replace(
            self,
            case_ids=tuple(self.case_ids[place] for place in kept),
            categories=(category,) * len(kept),
            values=self.values[kept],
            costs=self.costs[kept],
        )


def measured_evidence(
    subject: MeasuredRun, points: Sequence[Point], metric_name: str, cost: str
) -> MeasuredValues:
    """Return an evidence metric at the points.

    Raises `UsageError` for a metric that no curve can be drawn of, for a run without tokens, and
    where no question is scored.
    """
    metric = metric_named(metric_name)
    if metric not in curve_metrics():
        names = [metric.name for metric in curve_metrics()]
        raise UsageError(
            f"{metric_name} is not a mean of the questions' own shares, which bands and "
            "interpolation need",
            f"Choose one of {listed(names)}.",
        )
    cohort = subject.cohort(points)
    terms = terms_of(metric, cohort)
    values = np.where(terms.entering, terms.ratios, np.nan)
    scored = int(np.sum(terms.entering[:, 0]))
    if not scored:
        raise UsageError(
            f"no question of {subject.run.folder} is scored by {metric_name}",
            "Choose another --metric, or a run of questions with labels.",
        )
    return _measured(metric, cohort, points, values, cost)


def measured_accuracy(
    subject: MeasuredRun, points: Sequence[Point], graded: GradedPoints, full: Point, cost: str
) -> MeasuredValues:
    """Return the accuracy at those of the points that have answers that may be shown.

    `full`, which the others are compared with, takes the answers of a point that is the same policy
    where it has none itself; `UsageError` where neither has. Raises `InputError`
    naming the questions that are graded at some points only: a missing answer is never a smaller n.
    """
    answers_of = {point: answers for point in points if (answers := graded.of(point)) is not None}
    of_full = graded.of_policy(full)
    if of_full is None:
        reason = "sealed grades alone" if graded.is_sealed(full) else "no grades"
        raise UsageError(
            f"{full}, which every point is compared with, has {reason}",
            "Give its grades with --grades too; those of test questions open with harness judge.",
        )
    if of_full.point != full:
        told = f"the grades are of {of_full.point}, which is the same policy"
        of_full = replace(of_full, caveats=(*of_full.caveats, told))
    answers_of = {full: of_full, **answers_of}
    _check_same_questions(list(answers_of.values()))
    cohort = subject.cohort(list(answers_of))
    columns = [
        [float(answers.correct[name]) if name in answers.correct else np.nan for name in ids]
        for answers in answers_of.values()
        for ids in (cohort.case_ids,)
    ]
    values = np.array(columns, dtype=np.float64).T
    graded_only = ~np.isnan(values[:, 0])
    errors = set[str]().union(*(answers.errors for answers in answers_of.values()))
    measured = _measured(ACCURACY, cohort, tuple(answers_of), values, cost, len(errors))
    places = np.flatnonzero(graded_only).tolist()
    return replace(
        measured,
        caveats={point: answers.caveats for point, answers in answers_of.items()},
        case_ids=tuple(measured.case_ids[place] for place in places),
        categories=tuple(measured.categories[place] for place in places),
        values=measured.values[graded_only],
        costs=measured.costs[graded_only],
    )


def _measured(
    measure: Metric,
    cohort: CohortCounts,
    points: Sequence[Point],
    values: Values,
    cost: str,
    errors: int = 0,
) -> MeasuredValues:
    costs = cohort.counts[cost]
    if np.isnan(costs).any():
        raise UsageError(
            "the run was replayed without counting tokens, so its curves have no cost",
            "Replay it again without --no-tokens.",
        )
    left_out = int(np.sum(np.isnan(values[:, 0])))
    scored = len(values) - left_out
    reason = "not graded" if measure == ACCURACY else "without the labels that it needs"
    denominator = f"{scored:,} of {counted(len(values), 'question')}"
    if left_out:
        denominator += f"; {left_out:,} {reason}"
    if errors:
        denominator += f", of which {counted(errors, 'error')}"
    return MeasuredValues(
        measure,
        cost,
        cohort.case_ids,
        cohort.categories,
        tuple(points),
        values,
        costs,
        denominator,
    )


def _check_same_questions(graded: Sequence[AnswersByPoint]) -> None:
    faults = Faults(limit=10)
    first, *others = graded
    for answers in others:
        differing = sorted(first.correct.keys() ^ answers.correct.keys())
        for name in differing:
            has, lacks = (first, answers) if name in first.correct else (answers, first)
            faults.add(f"question {name!r} is graded at {has.point} and not at {lacks.point}")
    faults.raise_if_any(
        "the grades are not of the same questions", "Grade every point on the same questions."
    )
