"""McNemar's test of paired proportions: are wins and losses equally likely?

Convention `mcnemar/1`. With m = w + l, k = min(w, l), X binomial(m, 1/2) and f = P(X = k):

    exact_p = min(1, 2 P(X <= k))
    mid_p   = exact_p - f where w differs from l, and 1 - f/2 where w = l
    statistic = (w - l)^2 / (w + l), asymptotic_p its chi-square(1) upper tail, no correction

Where no pair is discordant every p is 1 and the statistic 0, by convention: there is no evidence.
The exact test is conservative; the mid-p is nearer its nominal size.

Sources: McNemar (1947), Note on the sampling error of the difference between correlated proportions
or percentages, Psychometrika 12, 153-157; Fagerland, Lydersen and Laake (2013), The McNemar test
for binary matched-pairs data: mid-p and asymptotic are better than exact conditional, BMC Medical
Research Methodology 13, 91.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, erfc, sqrt

_BITS = 256
"""Of the fixed point, for p-values that are those of exact arithmetic, rounded once to a double."""


@dataclass(frozen=True, slots=True)
class McNemar:
    """Two-sided p-values of the exact conditional test, its mid-p form, and the chi-square test."""

    exact_p: float
    mid_p: float
    statistic: float
    asymptotic_p: float


def mcnemar(wins: int, losses: int) -> McNemar:
    """Compute the test for the two counts of discordant pairs; `ValueError` where one is
    negative."""
    if wins < 0 or losses < 0:
        raise ValueError(f"{wins} wins and {losses} losses: a count is at least 0")
    discordant, fewer = wins + losses, min(wins, losses)
    if not discordant:
        return McNemar(1.0, 1.0, 0.0, 1.0)
    point = comb(discordant, fewer)
    total = 2**discordant
    twice_tail = 2 * _lower_tail(discordant, fewer, point)
    mid = (2 * total - point) / (2 * total) if wins == losses else (twice_tail - point) / total
    statistic = (wins - losses) ** 2 / discordant
    return McNemar(min(twice_tail, total) / total, mid, statistic, erfc(sqrt(statistic / 2)))


def _lower_tail(m: int, k: int, point: int) -> int:
    """Compute the number of outcomes with at most `k` of `m` wins, of which `point` have exactly
    `k`.

    The ratio of the two is summed in fixed point, from `k` down, each term from the one before.
    With up to 200 discordant pairs the number is exact, with more it has over 60 correct digits.
    """
    term = ratio = 1 << _BITS
    for i in range(k, 0, -1):
        term = term * i // (m - i + 1)
        if not term:
            break
        ratio += term
    return (point * ratio + (1 << (_BITS - 1))) >> _BITS
