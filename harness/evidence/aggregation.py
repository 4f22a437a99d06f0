"""The value of each metric at each point, with its denominators.

Sums are exact (`math.fsum`, or whole numbers), so that a value does not depend on the order of the
cases. An empty selection is a case like any other and never leaves a mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

import numpy as np

from .cohort import CohortCounts
from .metric import EXCLUSIONS, Aggregation, Exclusion, Metric, Terms, terms_of


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A metric at a point: `expected` cases, of which `scored` enter and the rest are `excluded`.

    `value` is None when no case is scored. `numerator` and `denominator` are the sums of a pooled
    metric, None for a mean. `expected` = `scored` + the counts of `excluded`, by reason.
    """

    name: str
    value: float | None
    numerator: int | None
    denominator: int | None
    expected: int
    scored: int
    excluded: Mapping[str, int]


def metric_values(metric: Metric, cohort: CohortCounts) -> list[MetricValue]:
    """Return the value of `metric` at each point of `cohort`, in the order of its points."""
    terms = terms_of(metric, cohort)
    aggregate = _pooled if metric.aggregation is Aggregation.POOLED else _mean
    return [aggregate(metric, terms, place) for place in range(len(cohort.points))]


def _mean(metric: Metric, terms: Terms, place: int) -> MetricValue:
    excluded = _excluded(terms, place)
    scored = terms.entering[:, place]
    if metric.absent is not None:
        has_ratio = terms.denominator[:, place] > 0
        _add(excluded, metric.absent, int(np.sum(scored & ~has_ratio)))
        scored = scored & has_ratio
    count = int(np.sum(scored))
    value = fsum(terms.ratios[scored, place]) / count if count else None
    return MetricValue(metric.name, value, None, None, len(scored), count, excluded)


def _pooled(metric: Metric, terms: Terms, place: int) -> MetricValue:
    excluded = _excluded(terms, place)
    count = int(np.sum(terms.entering[:, place]))
    numerator = int(fsum(terms.numerator[:, place]))
    denominator = int(fsum(terms.denominator[:, place]))
    expected = len(terms.numerator)
    if denominator == 0:
        _add(excluded, Exclusion.NOTHING_QUOTED, count)
        return MetricValue(metric.name, None, numerator, denominator, expected, 0, excluded)
    value = numerator / denominator
    return MetricValue(metric.name, value, numerator, denominator, expected, count, excluded)


def _excluded(terms: Terms, place: int) -> dict[str, int]:
    """Return counts by reason, only of reasons that occur, in declared order."""
    codes = terms.exclusion[:, place]
    counts = [(reason, int(np.sum(codes == code))) for code, reason in enumerate(EXCLUSIONS)]
    return {reason.value: count for reason, count in counts if count}


def _add(excluded: dict[str, int], reason: Exclusion, count: int) -> None:
    if count:
        excluded[reason.value] = count


def first_item_histogram(cohort: CohortCounts) -> list[dict[str, int]]:
    """Count questions at each point by the place of the first item with an answer session.

    Only questions with answer sessions are counted. The keys are `1`, `2-10`, `11+` and `never`;
    their counts add up to those questions.
    """
    has_sessions = (cohort.counts["labelled"] == 1) & (cohort.counts["answer_sessions"] > 0)
    rank = cohort.counts["first_item_rank"]
    places = {
        "1": rank == 1,
        "2-10": (rank >= 2) & (rank <= 10),
        "11+": rank >= 11,
        "never": np.isnan(rank),
    }
    return [
        {label: int(np.sum((has_sessions & inside)[:, place])) for label, inside in places.items()}
        for place in range(len(cohort.points))
    ]
