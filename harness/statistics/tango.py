"""Tango's score interval of a paired difference of proportions.

Convention `tango-score/1`. For a hypothesised difference d, with q(d) the maximum-likelihood
estimate of the loss probability when the win probability is q + d:

    A = 2n,  B = -(w + l) + (2n - w + l) d,  C = -l d (1 - d)
    q(d) = (sqrt(B^2 - 4AC) - B) / (2A)
    Z(d) = (w - l - n d) / sqrt(n (2 q(d) + d (1 - d)))

Z falls as d rises. The lower limit solves Z(d) = z and the upper Z(d) = -z, with z the normal
quantile of 1 - alpha/2; no continuity correction. Swapping wins and losses mirrors the interval.
It has a width even where no pair is discordant.

Source: Tango (1998), Equivalence test and confidence interval for the difference in proportions for
the paired-sample design, Statistics in Medicine 17, 891-908.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction

from .counts import TOO_CLOSE, Interval, LevelLike, PairedCounts
from .normal import normal_quantile

_DIGITS = 40
"""Near -1 and 1 the variance is a small difference of large terms; 16 digits would leave 11."""

_CLOSEST = Decimal("1e-18")


def tango_interval(counts: PairedCounts, level: LevelLike) -> Interval:
    """Compute the score interval of the difference (wins - losses) / n, in fractions."""
    z = Decimal(normal_quantile(level))
    with localcontext(Context(prec=_DIGITS)):
        lower, upper = float(_lower(counts, z)), float(-_lower(counts.swapped, z))
    return Interval(lower, upper, tolerance=TOO_CLOSE)


def tango_score(counts: PairedCounts, d: Fraction) -> float:
    """Compute Z(d), for -1 < d < 1; 0 where it is 0/0, at an estimate that is d exactly."""
    with localcontext(Context(prec=_DIGITS)):
        exact = Decimal(d.numerator) / d.denominator
        excess = Fraction(counts.wins - counts.losses) - counts.n * d
        if not excess:
            return 0.0
        error = (counts.n * _variance(counts, exact)).sqrt()
        return float(Decimal(excess.numerator) / excess.denominator / error)


def _lower(counts: PairedCounts, z: Decimal) -> Decimal:
    """Return the lower limit: closed forms where Z is 0/0 at the estimate, else the root, by
    bisection between -1, where Z is infinite, and the estimate, where it is 0."""
    n, wins, losses = counts.n, counts.wins, counts.losses
    if losses == n:
        return Decimal(-1)
    if wins == n:
        return (n - z * z) / (n + z * z)
    if wins + losses == 0:
        return -z * z / (n + z * z)
    low, high = Decimal(-1), Decimal(wins - losses) / n
    while high - low > _CLOSEST:
        middle = (low + high) / 2
        if wins - losses - n * middle > z * (n * _variance(counts, middle)).sqrt():
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _variance(counts: PairedCounts, d: Decimal) -> Decimal:
    """Return 2 q(d) + d (1 - d): the variance of one pair's difference when its mean is d."""
    n, wins, losses = counts.n, counts.wins, counts.losses
    b = -(wins + losses) + (2 * n - wins + losses) * d
    q = ((b * b + 8 * n * losses * d * (1 - d)).sqrt() - b) / (4 * n)
    return max(2 * q + d * (1 - d), Decimal(0))
