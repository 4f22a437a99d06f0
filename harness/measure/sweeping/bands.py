"""Bands that hold for all differences to the first setting at once.

The interval of one setting holds for that setting alone; the best of many is picked because its
interval lies well. The bands are wide enough for all settings together, so they hold for the best
one as well, however it was picked among them.
"""

from __future__ import annotations

import numpy as np

from harness.evidence import Aggregation, Bootstrap, CohortCounts, Metric
from harness.evidence.metric import terms_of
from harness.statistics.bands import simultaneous_bands

Band = tuple[float, float]


def bands_of(metric: Metric, cohort: CohortCounts, against: str) -> dict[str, Band | None]:
    """The band of each other point of `cohort`, None for one whose mean never moves.

    Empty for a metric whose difference is not the mean of the questions' own differences: one that
    is pooled, or that leaves out what a selection has no ratio for.
    """
    others = [place for place, point in enumerate(cohort.points) if point != against]
    terms = terms_of(metric, cohort)
    base = cohort.points.index(against)
    scored = np.flatnonzero(terms.entering[:, base])
    is_mean = metric.aggregation is Aggregation.MEAN and metric.absent is None
    if not is_mean or not others or not len(scored):
        return {}
    differences = (terms.ratios[:, others] - terms.ratios[:, [base]])[scored]
    made = Bootstrap()
    bands = simultaneous_bands(differences, made.level, resamples=made.resamples, seed=made.seed)
    return {
        cohort.points[place]: None
        if column in bands.left_out
        else (float(bands.lower[column]), float(bands.upper[column]))
        for column, place in enumerate(others)
    }
