"""The paired percentile bootstrap of a difference of two ratios, by seeded Monte Carlo.

Question i gives the left side a numerator x_i and a denominator u_i, and the right side y_i and
v_i. The statistic is

    sum(x_i) / sum(u_i) - sum(y_i) / sum(v_i),

which with u_i = v_i = 1 is the mean of the differences x_i - y_i. A resample draws n of the n
questions with replacement and takes all four numbers of a question together, which keeps the pairs
(and, for ratios of sums, numerators with their denominators). With clusters, all questions of a
cluster are drawn together: as many clusters are drawn as there are.

Convention `percentile/1`: of B sorted statistics, and with tail = floor(B (1 - level) / 2), the
interval is from element `tail` to element B - 1 - `tail`, counted from 0: 250 and 9,749 of 10,000
at level 0.95. The level is the decimal that its shortest spelling says (0.95 is 19/20).

Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13. Where outcomes
are only 1, 0 and -1, this is the Monte Carlo estimate of an interval that has an exact form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, fsum

import numpy as np
from numpy.typing import NDArray

from .difference import PairedDifference
from .exact_number import exact_number
from .resampling import drawn_counts, exactly_summable, units_of
from .warnings import resampling_warnings

Array = NDArray[np.float64]

DEFAULT_LEVEL = 0.95
DEFAULT_RESAMPLES = 10_000
DEFAULT_SEED = 20261003


@dataclass(frozen=True, slots=True, eq=False)
class Ratios:
    """Numerators and denominators of n questions, of shape (n,) or (n, k) for k columns."""

    numerator: Array
    denominator: Array


@dataclass(frozen=True, slots=True, eq=False)
class PairedInterval:
    """Differences (left less right) and their limits, each of shape (k,).

    `undefined_resamples` counts resamples in which a denominator was 0. Where there is one, the
    limits are NaN; where a denominator is 0 over all questions, the difference is NaN as well.
    `level`, `resamples` and `seed` are how the limits were made. `clusters` is how many were
    resampled; None where questions were.
    """

    difference: Array
    lower: Array
    upper: Array
    undefined_resamples: NDArray[np.int64]
    level: float
    resamples: int
    seed: int
    clusters: int | None = None

    def at(
        self,
        column: int,
        pairs: int,
        *,
        wins: int | None = None,
        losses: int | None = None,
        differing: int | None = None,
    ) -> PairedDifference:
        """Take one column, of `pairs` pairs, with where its interval misleads; NaN becomes None.

        `differing` pairs differ, where that is not `wins` and `losses`.
        """
        if wins is not None and losses is not None:
            differing = wins + losses
        lower, upper = self.lower[column], self.upper[column]
        undefined = int(self.undefined_resamples[column])
        return PairedDifference(
            _number(self.difference[column]),
            _number(lower),
            _number(upper),
            pairs,
            self.level,
            self.resamples,
            self.seed,
            wins,
            losses,
            resampling_warnings(differing, float(upper - lower), undefined, self.clusters),
        )


def paired_bootstrap(
    left: Ratios,
    right: Ratios,
    *,
    clusters: Sequence[str] | None = None,
    level: float = DEFAULT_LEVEL,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> PairedInterval:
    """Compute the difference of two ratios over the same questions, with its percentile interval.

    `clusters` has one label per question (n). Column j of the result is what column j alone would
    give: every column sees the same resamples, of a new generator seeded with `seed`. The result
    depends on the order of the questions, so sort them by id.

    Raises `ValueError` for shapes that differ, no question, values that are not finite, a level
    outside (0, 1), or resamples below 1.
    """
    columns = _checked(left, right, clusters, level, resamples)
    count = len(columns[0])
    units = units_of(clusters, count)
    draws = int(units.max() + 1) * int(np.bincount(units).max())
    summable = np.hstack([exactly_summable(column, draws) for column in columns])
    totals = np.zeros((int(units.max()) + 1, summable.shape[1]))
    np.add.at(totals, units, summable)

    with np.errstate(divide="ignore", invalid="ignore"):
        difference = _difference(*(_column_sums(column) for column in columns))
        statistics = np.concatenate(
            [
                _difference(*np.split(counts @ totals, 4, axis=1))
                for counts in drawn_counts(len(totals), resamples, seed)
            ]
        )
    undefined = ~np.isfinite(statistics)
    statistics[undefined] = np.nan
    difference[~np.isfinite(difference)] = np.nan

    # from the decimal spelling: as doubles, 10,000 (1 - 0.9) / 2 is below 500, and its floor 499
    tail = floor(resamples * (1 - exact_number(level)) / 2)
    ordered = np.sort(statistics, axis=0)
    lower, upper = ordered[tail].copy(), ordered[resamples - 1 - tail].copy()
    undefined_resamples = undefined.sum(axis=0)
    lower[undefined_resamples > 0] = upper[undefined_resamples > 0] = np.nan
    drawn = None if clusters is None else len(totals)
    return PairedInterval(
        difference, lower, upper, undefined_resamples, level, resamples, seed, drawn
    )


def _checked(
    left: Ratios,
    right: Ratios,
    clusters: Sequence[str] | None,
    level: float,
    resamples: int,
) -> list[Array]:
    """Check the ratios; return left numerator and denominator, then right ones, each (n, k)."""
    terms = (left.numerator, left.denominator, right.numerator, right.denominator)
    arrays = [np.asarray(term, dtype=np.float64) for term in terms]
    columns = [array.reshape(len(array), -1) if array.size else array for array in arrays]
    if any(column.shape != columns[0].shape for column in columns):
        raise ValueError(f"shapes differ: {[column.shape for column in columns]}")
    if not columns[0].size:
        raise ValueError("no question to resample")
    if not all(np.isfinite(column).all() for column in columns):
        raise ValueError("a numerator or denominator is not finite")
    if clusters is not None and len(clusters) != len(columns[0]):
        raise ValueError(f"{len(clusters)} cluster labels for {len(columns[0])} questions")
    if not 0 < level < 1:
        raise ValueError(f"the level is between 0 and 1, not {level}")
    if resamples < 1:
        raise ValueError(f"at least 1 resample is needed, not {resamples}")
    return columns


def _difference(
    numerator: Array, denominator: Array, other_numerator: Array, other_denominator: Array
) -> Array:
    """Compute a / b - c / d; over a common denominator (a - c) / b, which rounds once instead of
    thrice."""
    return np.where(
        denominator == other_denominator,
        (numerator - other_numerator) / denominator,
        numerator / denominator - other_numerator / other_denominator,
    )


def _column_sums(columns: Array) -> Array:
    return np.array([fsum(column) for column in columns.T])


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)
