"""How far two judges of the same answers agree, from the counts of both verdicts.

    agreement p = (both right + neither) / n, with the interval of Wilson (1927), Probable
    inference, the law of succession, and statistical inference, JASA 22, 209-212

    kappa = (p - e) / (1 - e),  e = (r1 r2 + w1 w2) / n^2

with r and w the answers that each judge finds right and wrong: Cohen (1960), A coefficient of
agreement for nominal scales, Educational and Psychological Measurement 20, 37-46. Where both find
all answers right, or both all wrong, e is 1 and kappa is not defined.
"""

from __future__ import annotations

from fractions import Fraction

from .counts import DEFAULT_LEVEL, Interval, Level, LevelLike


def cohen_kappa(both: int, first_only: int, second_only: int, neither: int) -> Fraction | None:
    """Compute kappa of the four counts, exactly; None where it is not defined."""
    n = both + first_only + second_only + neither
    if n == 0:
        return None
    first, second = both + first_only, both + second_only
    expected = Fraction(first * second + (n - first) * (n - second), n * n)
    observed = Fraction(both + neither, n)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def wilson_interval(count: int, n: int, level: LevelLike = DEFAULT_LEVEL) -> Interval | None:
    """Compute the Wilson interval of a share, without continuity correction; None of nothing."""
    if n == 0:
        return None
    from scipy.stats import binomtest

    found = binomtest(count, n).proportion_ci(float(Level.of(level).value), method="wilson")
    return Interval(float(found.low), float(found.high))
