"""Simultaneous confidence bands over a curve of points, by the maximum of studentised deviations.

A pointwise interval holds its level for one point; over a curve, some point is outside its own more
often. The bands hold for all points at once. Questions are resampled for all points jointly, so the
bands know how strongly the points move together. With m*(j) the mean difference of point j in a
resample, m(j) the observed one, and s(j) the standard deviation of m*(j) over the B resamples
(divisor B - 1):

    T = max over j of |m*(j) - m(j)| / s(j)
    c = the smallest T that at least a share `level` of the resamples does not exceed
    bands = m(j) -/+ c s(j)

Convention `max-t-bands/1`. A point whose mean is the same in every resample has no deviation to
studentise by: it is left out of the maximum, has no band, and is listed. The bands are symmetric
and not cut to [-1, 1].

Where few questions differ, s(j) is too small: of simulated bands at 95 % with fewer than ten that
do, about 80 % held the truth. So these take part in the maximum, and are not printed.

Sources: Westfall and Young (1993), Resampling-Based Multiple Testing, Wiley; Montiel Olea and
Plagborg-Moller (2019), Simultaneous confidence bands: theory, implementation, and an application to
SVARs, Journal of Applied Econometrics 34, 1-17.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from .counts import Interval, Level, LevelLike
from .paired_bootstrap import DEFAULT_LEVEL, DEFAULT_RESAMPLES, DEFAULT_SEED
from .resampling import drawn_counts, exactly_summable, units_of
from .warnings import FEW_PAIRS

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """Mean differences of k points, their bands and the deviations they are made of, each (k,).

    The limits of the points in `left_out`, by place, are NaN; `critical_value` is c, and NaN where
    every point is left out.
    """

    mean: Array
    lower: Array
    upper: Array
    deviation: Array
    critical_value: float
    left_out: tuple[int, ...]


def simultaneous_bands(
    differences: Array,
    level: LevelLike,
    *,
    clusters: Sequence[str] | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Bands:
    """Compute bands over the differences of n questions at k points, of shape (n, k).

    With `clusters`, one label per question, the questions of a label are drawn together. The result
    depends on the order of the questions, so sort them by id. Raises `ValueError` for other shapes,
    no question, values that are not finite, or fewer than 2 resamples.
    """
    columns = np.asarray(differences, dtype=np.float64)
    _check(columns, clusters, resamples)
    share = Level.of(level).value
    mean = exactly_summable(columns, len(columns)).sum(axis=0) / len(columns)
    means = _resampled_means(columns, clusters, resamples, seed)

    moving = means.max(axis=1) > means.min(axis=1)
    deviation = np.where(moving, means.std(axis=1, ddof=1), 0.0)
    critical = float("nan")
    if moving.any():
        distances = np.abs(means[moving] - mean[moving, None]) / deviation[moving, None]
        critical = float(np.sort(distances.max(axis=0))[ceil(share * resamples) - 1])
    margin = np.where(moving, critical * deviation, np.nan)
    left_out = tuple(int(place) for place in np.flatnonzero(~moving))
    return Bands(mean, mean - margin, mean + margin, deviation, critical, left_out)


def printed_bands(differences: Array) -> list[Interval | None]:
    """Compute the bands over differences of shape (n, k) that may be printed, at level 0.95.

    None for a point that differs in fewer than ten questions, or whose mean never moves.
    """
    bands = simultaneous_bands(differences, DEFAULT_LEVEL)
    differing = np.count_nonzero(differences, axis=0)
    return [
        None
        if place in bands.left_out or differing[place] < FEW_PAIRS
        else Interval(float(bands.lower[place]), float(bands.upper[place]))
        for place in range(differences.shape[1])
    ]


def _resampled_means(
    columns: Array, clusters: Sequence[str] | None, resamples: int, seed: int
) -> Array:
    """Compute the means of every resample: (k, resamples), a point's own in one piece, so that what
    is computed of them does not depend on the other points."""
    units = units_of(clusters, len(columns))
    sizes = np.bincount(units).astype(np.float64)
    totals = np.zeros((len(sizes), columns.shape[1]))
    np.add.at(totals, units, exactly_summable(columns, int(len(sizes) * sizes.max())))
    blocks = [
        (counts @ totals) / (counts @ sizes)[:, None]
        for counts in drawn_counts(len(sizes), resamples, seed)
    ]
    return np.ascontiguousarray(np.concatenate(blocks).T)


def _check(columns: Array, clusters: Sequence[str] | None, resamples: int) -> None:
    if columns.ndim != 2 or not columns.size:
        raise ValueError(f"differences are of shape (questions, points), not {columns.shape}")
    if not np.isfinite(columns).all():
        raise ValueError("a difference is not finite")
    if clusters is not None and len(clusters) != len(columns):
        raise ValueError(f"{len(clusters)} cluster labels for {len(columns)} questions")
    if resamples < 2:
        raise ValueError(f"at least 2 resamples are needed, not {resamples}")
