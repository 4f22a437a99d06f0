"""The paired difference of a metric between a point and a point that it is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.errors import Faults
from harness.statistics.difference import PairedDifference
from harness.statistics.paired_bootstrap import (
    DEFAULT_LEVEL,
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    PairedInterval,
    Ratios,
    paired_bootstrap,
)

from .cohort import CohortCounts
from .metric import EXCLUSIONS, Aggregation, Better, Metric, Terms, terms_of

Places = NDArray[np.intp]
"""Rows of the cohort."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made; see `harness.statistics.paired_bootstrap`."""

    level: float = DEFAULT_LEVEL
    resamples: int = DEFAULT_RESAMPLES
    seed: int = DEFAULT_SEED


def paired_differences(
    metric: Metric,
    cohort: CohortCounts,
    against: str,
    *,
    clusters: Mapping[str, str] | None = None,
    bootstrap: Bootstrap | None = None,
) -> dict[str, PairedDifference]:
    """Compute the difference of every other point of `cohort` from its point `against`, by point.

    Over the pairs scored at both. Wins are pairs in which the point is better (for a metric without
    a better direction: greater). A case without a ratio of its own, such as an empty selection,
    counts there as the metric says (`Metric.without_ratio`).
    Questions are resampled; with `clusters` (case id to label) the questions of a label together.
    The metric's mean or ratio of sums is recomputed in every resample, at both points together.
    Raises `InputError` naming the cases that are scored at one point of a pair only.
    """
    bootstrap = bootstrap or Bootstrap()
    terms = terms_of(metric, cohort)
    base = cohort.points.index(against)
    _check_pairs(metric, cohort, terms, base)
    # the same cases at every point: a case that only one of a pair scores was refused above
    scored = np.flatnonzero(terms.entering[:, base])
    labels = None if clusters is None else _labels(clusters, cohort, scored)
    places = [place for place in range(len(cohort.points)) if place != base]
    interval = _interval(metric, terms, scored, places, base, labels, bootstrap)
    differences = {}
    for column, place in enumerate(places):
        wins, losses = _wins_and_losses(metric, terms, scored, place, base)
        differences[cohort.points[place]] = interval.at(
            column, len(scored), wins=wins, losses=losses
        )
    return differences


def _interval(
    metric: Metric,
    terms: Terms,
    scored: Places,
    places: Sequence[int],
    base: int,
    labels: Sequence[str] | None,
    bootstrap: Bootstrap,
) -> PairedInterval:
    if not len(scored) or not places:
        nothing = np.full(len(places), np.nan)
        undefined = np.zeros(len(places), dtype=np.int64)
        made = (bootstrap.level, bootstrap.resamples, bootstrap.seed)
        return PairedInterval(nothing, nothing, nothing, undefined, *made)
    return paired_bootstrap(
        _ratios(metric, terms, scored, places),
        _ratios(metric, terms, scored, [base] * len(places)),
        clusters=labels,
        level=bootstrap.level,
        resamples=bootstrap.resamples,
        seed=bootstrap.seed,
    )


def _check_pairs(metric: Metric, cohort: CohortCounts, terms: Terms, base: int) -> None:
    """Refuse a case that only one of two points scores: an error, never a smaller n."""
    faults = Faults(limit=10)
    against = cohort.points[base]
    for case, place in np.argwhere(terms.entering != terms.entering[:, [base]]):
        here = terms.exclusion[case, place]
        point, other = cohort.points[place], against
        if here < 0:
            here, point, other = terms.exclusion[case, base], against, point
        faults.add(
            f"case {cohort.case_ids[case]!r} is scored at {other} "
            f"but not at {point} ({EXCLUSIONS[here].value})"
        )
    faults.raise_if_any(
        f"{metric.name}, against {against}",
        "Replay both points the same way, so that every case has a pair.",
    )


def _ratios(metric: Metric, terms: Terms, scored: Places, places: Sequence[int]) -> Ratios:
    """Return what is summed: for a mean the cases' ratios and how many there are, else the
    terms."""
    cells = np.ix_(scored, np.asarray(places))
    if metric.aggregation is Aggregation.POOLED:
        return Ratios(terms.numerator[cells], terms.denominator[cells])
    return Ratios(terms.ratios[cells], (terms.denominator[cells] > 0).astype(np.float64))


def _wins_and_losses(
    metric: Metric, terms: Terms, scored: Places, place: int, base: int
) -> tuple[int, int]:
    values = np.where(terms.denominator > 0, terms.ratios, metric.without_ratio)[scored]
    greater = int(np.sum(values[:, place] > values[:, base]))
    smaller = int(np.sum(values[:, place] < values[:, base]))
    return (smaller, greater) if metric.better is Better.LOWER else (greater, smaller)


def _labels(clusters: Mapping[str, str], cohort: CohortCounts, scored: Places) -> tuple[str, ...]:
    missing = [case_id for case_id in cohort.case_ids if case_id not in clusters]
    faults = Faults(limit=10)
    for case_id in missing:
        faults.add(f"case {case_id!r} has no cluster")
    faults.raise_if_any("clusters", "Give every case of the cohort a label.")
    return tuple(clusters[cohort.case_ids[place]] for place in scored)
