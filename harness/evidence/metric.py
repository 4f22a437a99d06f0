"""What a metric is, and how one is computed for every case and point of a cohort.

Every metric is a ratio per case. `mean` is the mean of the cases' ratios, so that every question
weighs the same; `pooled` is the sum of the numerators over the sum of the denominators, so that
every unit weighs the same. Values are fractions unless the unit says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from .cohort import CohortCounts, Counts

CountsByName = Mapping[str, Counts]
Term = Callable[[CountsByName], Counts]
"""One side of a ratio, of shape (cases, points), from the cohort's counts."""

Leaves = tuple["Exclusion", Callable[[CountsByName], NDArray[np.bool_]]]
"""Why a case does not enter, and where that is so. It may look at labels and at whether tokens were
counted, never at what was selected."""


class Aggregation(Enum):
    """How the cases of a point become one value."""

    MEAN = "mean"
    POOLED = "pooled"


class Better(Enum):
    """Which way is better; decides what counts as a win of a paired difference."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class Exclusion(Enum):
    """Why a case does not enter a metric. The value is what tables print."""

    NO_GOLD = "no gold"
    NO_ANSWER_SESSIONS = "no answer sessions"
    NO_EVIDENCE_TURNS = "no evidence turns"
    EMPTY_EVIDENCE_TURNS = "evidence turns without a character"
    TOKENS_OFF = "tokens off"
    SESSIONS_NOT_COUNTED = "sessions not counted"
    NOTHING_QUOTED = "nothing quoted"
    NO_ANSWER_SESSION_QUOTED = "no answer session quoted"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric, declared once; help, reports and documentation print these sentences.

    `above` and `below` are the terms of its ratio: whole numbers, NaN where nothing was counted;
    None for a metric that is not of a run's counts, such as an accuracy. `denominator` says in
    words what a case's ratio (mean) or the whole (pooled) is divided by, and `cases` which cases
    enter; the first of `leaves` that applies keeps a case out. `absent` is the reason under which a
    case leaves the mean because its selection has no ratio; None means that such a case is scored
    and adds nothing to either sum. `without_ratio` is what such a case counts as when wins and
    losses are counted.
    """

    name: str
    definition: str
    unit: str
    denominator: str
    cases: str
    aggregation: Aggregation
    better: Better
    source: str
    above: Term | None = None
    below: Term | None = None
    leaves: tuple[Leaves, ...] = ()
    absent: Exclusion | None = None
    without_ratio: float = 0.0

    @property
    def explanation(self) -> str:
        """Definition with unit, denominator, aggregation, direction and source."""
        pooled = self.aggregation is Aggregation.POOLED
        how = "Sum over sum, over" if pooled else "Mean over"
        return (
            f"{self.definition} {how} {self.cases}; denominator: {self.denominator}; "
            f"unit: {self.unit}; better: {self.better.value}. Source: {self.source}."
        )


EXCLUSIONS = tuple(Exclusion)
ENTERS = -1
"""In `Terms.exclusion`: the case enters; any other value is an index into `EXCLUSIONS`."""


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Arrays of shape (cases, points).

    `numerator` and `denominator` are whole numbers, and 0 where the case does not enter or, for the
    denominator, where its selection has no ratio. `exclusion` is `ENTERS` or the first reason that
    keeps the case out; it follows from labels and from whether tokens were counted, never from what
    was selected.
    """

    numerator: Counts
    denominator: Counts
    exclusion: NDArray[np.int8]

    @property
    def entering(self) -> NDArray[np.bool_]:
        enters: NDArray[np.bool_] = self.exclusion == ENTERS
        return enters

    @property
    def ratios(self) -> Counts:
        """Numerator over denominator, 0 where the denominator is."""
        defined = self.denominator > 0
        return np.divide(
            self.numerator, self.denominator, out=np.zeros_like(self.numerator), where=defined
        )


def terms_of(metric: Metric, cohort: CohortCounts) -> Terms:
    """Compute the terms of `metric` for every case and point of `cohort`."""
    if metric.above is None or metric.below is None:
        raise TypeError(f"{metric.name} is not computed from the counts of a run")
    counts = cohort.counts
    above, below = metric.above(counts), metric.below(counts)
    exclusion = np.full(above.shape, ENTERS, dtype=np.int8)
    for reason, applies in reversed(metric.leaves):
        exclusion[applies(counts)] = EXCLUSIONS.index(reason)
    enters = exclusion == ENTERS
    return Terms(np.where(enters, above, 0.0), np.where(enters, below, 0.0), exclusion)
