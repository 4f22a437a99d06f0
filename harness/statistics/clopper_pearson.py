"""The exact upper limit of a probability, from how often something happened.

The largest p at which n trials have at most k successes with probability (1 - level) / 2 or more:

    sum over i <= k of C(n, i) p^i (1 - p)^(n - i) = (1 - level) / 2,

the quantile 1 - (1 - level) / 2 of the beta distribution with parameters k + 1 and n - k; 1 for
k = n. Source: Clopper and Pearson (1934), Biometrika 26, 404-413.
"""

from __future__ import annotations

from .counts import Level, LevelLike


def upper_limit(count: int, n: int, level: LevelLike) -> float:
    """Return the upper limit of the probability of what happened `count` times in `n`."""
    from scipy.stats import beta

    if not 0 <= count <= n or n < 1:
        raise ValueError(f"{count} of {n} is not a count of trials")
    if count == n:
        return 1.0
    return float(beta.ppf(1 - float(Level.of(level).tail), count + 1, n - count))
