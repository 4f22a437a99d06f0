"""The rules by which a point is chosen: pure functions of the dev table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.errors import UsageError
from harness.evidence import Better, metric_named

from .candidates import Choosable, DevTable

TIES = "the lower cost, then the spelling"
"""How every rule breaks a tie."""


@dataclass(frozen=True, slots=True)
class ClosestCost:
    """The point whose mean cost is closest to that of `to`, which cannot be chosen itself."""

    to: str


@dataclass(frozen=True, slots=True)
class DearestUnder:
    """The point of the highest mean cost that is at most `at_most` tokens."""

    at_most: str


@dataclass(frozen=True, slots=True)
class BestMetric:
    """The point with the best value of `metric` among those that cost at most `at_most` tokens."""

    metric: str
    at_most: str


ChoosingRule = ClosestCost | DearestUnder | BestMetric


def choose(rule: ChoosingRule, table: DevTable, target: Choosable | None = None) -> Choosable:
    """The candidate that `rule` picks from `table`; ties go to `TIES`.

    `target` is what `ClosestCost` aims at; it and its other spellings are no candidates. Raises
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
    if isinstance(rule, DearestUnder):
        return min(affordable, key=lambda candidate: (-candidate.cost, *_tie(candidate)))
    return min(
        _scored(affordable, rule.metric),
        key=lambda candidate: (_badness(candidate, rule.metric), *_tie(candidate)),
    )


def _tie(candidate: Choosable) -> tuple[Fraction, str]:
    return candidate.cost, candidate.point


def _others(table: DevTable, target: Choosable) -> Sequence[Choosable]:
    same = {target.point, *target.aliases}
    others = [candidate for candidate in table.candidates if candidate.point not in same]
    if not others:
        raise UsageError(
            f"there is no point to choose but {target.point} itself",
            "Replay more points into the run, or give other --point.",
        )
    return others


def _affordable(table: DevTable, at_most: str) -> Sequence[Choosable]:
    cap = Fraction(at_most)
    affordable = [candidate for candidate in table.candidates if candidate.cost <= cap]
    if not affordable:
        cheapest = min(table.candidates, key=_tie)
        raise UsageError(
            f"no point costs at most {at_most} {table.cost_measure} a dev question; the cheapest, "
            f"{cheapest.point}, costs {float(cheapest.cost):,.1f}",
            "Raise --at-most, or replay cheaper points into the run.",
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
