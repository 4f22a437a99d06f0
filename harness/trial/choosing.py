"""Choosing a point on dev questions by a stated rule, before the test is looked at.

A point is chosen from the mean costs of a run's points over its dev questions, or from what grades
of dev questions say (`dev_packs`). Rows of test questions are dropped before anything is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc

from harness.datasets.split import Part, Split
from harness.errors import InputError, UsageError
from harness.evidence import (
    COST_METRICS,
    Better,
    CohortCounts,
    MetricValue,
    cohort_of,
    metric_named,
    metric_values,
)
from harness.points import Point
from harness.replay.run import Run
from harness.statistics.exact_number import exact_number

COSTS = tuple(metric.name for metric in COST_METRICS)
"""Measures that a run has of cost."""


@dataclass(frozen=True, slots=True)
class Choosable:
    """A point that can be chosen, with the other spellings of the same policy in the run.

    `cost` is the exact mean over the dev questions; `metric` the metric's value, None where the
    rule has no metric, or no dev question is scored. `accuracy` is known where it was chosen from
    grades.
    """

    point: str
    aliases: tuple[str, ...]
    cost: Fraction
    metric: MetricValue | None
    accuracy: Fraction | None = None


@dataclass(frozen=True, slots=True)
class DevTable:
    """Every distinct policy among the points asked for, over the same dev questions.

    `cost_measure` is one of `COSTS`, or of grades `prompt_tokens_api`. `absent` are dev questions
    that the run does not have.
    """

    cost_measure: str
    questions: int
    absent: int
    candidates: tuple[Choosable, ...]

    def of(self, point: Point) -> Choosable:
        """Find the candidate that `point` is, under its own spelling or another; or `KeyError`."""
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
    """Read the dev costs of `points`, and the values of `metric`.

    Raises `InputError` for a run of the test part or of another dataset, and for one whose tokens
    were not counted; `UsageError` for an unknown metric.
    """
    wanted = None if metric is None else metric_named(metric)
    _check_run(run, split)
    partition = split.partition(run.cohort.ids)
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
    if run.cohort.part == Part.TEST.value:
        raise InputError(
            f"{run.folder} is a replay of test questions, which nothing is chosen from",
            "Replay the dev part: harness replay RECORDING --out RUN --split FILE --part dev",
        )
    dataset = run.manifest.content.get("dataset") or {}
    of_run, of_split = dataset.get("sha256"), split.dataset_sha256
    if of_run and of_split and of_run != of_split:
        raise InputError(
            f"the split was drawn for a dataset of sha256 {of_split}, {run.folder} is of {of_run}",
            "Use the split that was drawn for the run's dataset.",
        )


def _by_policy(run: Run, points: Sequence[Point]) -> list[list[Point]]:
    """Group the points that are one policy, the one under which it was computed first."""
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
    """Compute exact means, so that a tie is a tie."""
    values = metric_values(metric_named(cost), cohort)
    if any(value.scored < value.expected for value in values):
        raise InputError(
            f"{run.folder} was replayed without {cost}",
            "Replay it without --no-tokens, into another --out.",
        )
    totals = cohort.counts[cost].sum(axis=0)  # whole numbers, far below 2^53
    return [Fraction(int(total), len(cohort.case_ids)) for total in totals]


TIES = "the lower cost, then the spelling"
"""How every rule breaks a tie."""


RuleName = Literal["closest-cost", "max-cost", "best", "best-accuracy"]


@dataclass(frozen=True, slots=True)
class ClosestCost:
    """The point whose mean cost is closest to that of `to`, which cannot be chosen itself."""

    name: ClassVar[RuleName] = "closest-cost"
    about: ClassVar[str] = "the point whose cost is closest to that of --to"

    to: str


@dataclass(frozen=True, slots=True)
class MostExpensiveUnder:
    """The point of the highest mean cost that is at most `at_most` tokens."""

    name: ClassVar[RuleName] = "max-cost"
    about: ClassVar[str] = "the most expensive point within --at-most"

    at_most: str


@dataclass(frozen=True, slots=True)
class BestMetric:
    """The point with the best value of `metric` among those that cost at most `at_most` tokens."""

    name: ClassVar[RuleName] = "best"
    about: ClassVar[str] = "the best --metric among the points within --at-most"

    metric: str
    at_most: str


@dataclass(frozen=True, slots=True)
class BestAccuracy:
    """The point with the best dev accuracy among those that cost at most `at_most` tokens."""

    name: ClassVar[RuleName] = "best-accuracy"
    about: ClassVar[str] = "the best accuracy of --grades among the points within --at-most"

    at_most: str


ChoosingRule = ClosestCost | MostExpensiveUnder | BestMetric | BestAccuracy

RULES: dict[str, type[ChoosingRule]] = {
    rule.name: rule for rule in (ClosestCost, MostExpensiveUnder, BestMetric, BestAccuracy)
}
"""The rules by name; what one needs are its fields."""


def choose(rule: ChoosingRule, table: DevTable, target: Choosable | None = None) -> Choosable:
    """Pick the candidate that `rule` names from `table`; ties go to `TIES`.

    `target` is what `ClosestCost` aims at; it and its other spellings are not candidates. Raises
    `UsageError` when no candidate is left, naming the nearest.
    """
    if isinstance(rule, ClosestCost):
        if target is None:
            raise TypeError("closest-cost needs the candidate that it aims at")
        return min(
            _others(table, target),
            key=lambda candidate: (abs(candidate.cost - target.cost), *_tie(candidate)),
        )
    affordable = _affordable(table, rule.at_most)
    if isinstance(rule, MostExpensiveUnder):
        return min(affordable, key=lambda candidate: (-candidate.cost, *_tie(candidate)))
    if isinstance(rule, BestAccuracy):
        return min(affordable, key=lambda candidate: (-(candidate.accuracy or 0), *_tie(candidate)))
    return min(
        _scored(affordable, rule.metric),
        key=lambda candidate: (_badness(candidate, rule.metric), *_tie(candidate)),
    )


def _tie(candidate: Choosable) -> tuple[Fraction, str]:
    return candidate.cost, candidate.point


def _others(table: DevTable, target: Choosable) -> Sequence[Choosable]:
    spellings = {target.point, *target.aliases}
    others = [candidate for candidate in table.candidates if candidate.point not in spellings]
    if not others:
        raise UsageError(
            f"no point to choose but {target.point} itself",
            "Offer more points.",
        )
    return others


def _affordable(table: DevTable, at_most: str) -> Sequence[Choosable]:
    cap = exact_number(at_most)
    affordable = [candidate for candidate in table.candidates if candidate.cost <= cap]
    if not affordable:
        cheapest = min(table.candidates, key=_tie)
        raise UsageError(
            f"no point costs at most {at_most} {table.cost_measure} per dev question; the "
            f"cheapest, {cheapest.point}, costs {float(cheapest.cost):,.1f}",
            "Raise --at-most, or offer cheaper points.",
        )
    return affordable


def _scored(candidates: Sequence[Choosable], metric: str) -> Sequence[Choosable]:
    if metric_named(metric).better is Better.NEITHER:
        raise UsageError(f"{metric} has no better direction", "Name another --metric.")
    scored = [
        candidate
        for candidate in candidates
        if candidate.metric is not None and candidate.metric.value is not None
    ]
    if not scored:
        raise UsageError(
            f"{metric} has no value at any of the points: no dev question is scored",
            "Name another --metric, or a run of questions with labels.",
        )
    return scored


def _badness(candidate: Choosable, metric: str) -> float:
    if candidate.metric is None or candidate.metric.value is None:
        raise TypeError(f"{candidate.point} has no {metric}")
    value = candidate.metric.value
    return value if metric_named(metric).better is Better.LOWER else -value
