"""The exact percentile bootstrap interval of a mean of differences 1, 0 and -1.

Convention `exact-percentile/1`. With F(x) = P(S/n <= x), where S/n is the mean of a resample of
the n pairs (its distribution: `harness.statistics.trinomial`), and alpha = 1 - level:

    lower = the smallest value x of the lattice k/n with F(x) >= alpha/2
    upper = the smallest value x of the lattice k/n with F(x) >= 1 - alpha/2

Both comparisons are exact. Nothing is drawn, so there is no seed. Both ends follow the same rule,
so swapping wins and losses mirrors the interval unless F equals a level: 1 win and 1 loss at level
0.5 give (-1, 0).

It misleads where few pairs are discordant: a resample cannot draw a loss that was never seen.

Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13, as resamples grow
without end.
"""

from __future__ import annotations

from collections.abc import Sequence

from .counts import Interval, Level, LevelLike, PairedCounts
from .trinomial import resampled_sum


def exact_interval(counts: PairedCounts, level: LevelLike) -> Interval:
    """Compute the interval of the difference (wins - losses) / n, in fractions."""
    return stratified_exact_interval((counts,), level)


def stratified_exact_interval(strata: Sequence[PairedCounts], level: LevelLike) -> Interval:
    """Compute the interval of the pooled difference when each stratum is resampled within itself
    and keeps its size (convention `exact-percentile-stratified/1`); one stratum gives
    `exact_interval`.

    Raises `ValueError` without a stratum.
    """
    lower, upper = exact_sums(strata, level)
    n = sum(counts.n for counts in strata)
    return Interval.of_lattice(lower, upper, n)


def exact_sums(strata: Sequence[PairedCounts], level: LevelLike) -> tuple[int, int]:
    """Compute both ends as sums k of differences; the ends themselves are k / n."""
    tail = Level.of(level).tail
    distribution = resampled_sum(strata)
    return distribution.quantile(tail), distribution.quantile(1 - tail)
