"""The distribution of a resampled sum in whole numbers, for the comparisons that need them.

The number of ordered resamples of a stratum with S = k is the coefficient g of x^(k + n) in
f^n = (w x^2 + t x + l)^n, out of n^n. Since f (f^n)' = n f' f^n, the coefficients follow from
each other (g[0] = l^n):

    (j + 1) l g[j + 1] = (n - j) t g[j] + (2n - j + 1) w g[j - 1].
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from math import comb, gcd

from .counts import PairedCounts


def exact_cumulative(strata: tuple[PairedCounts, ...], k: int) -> tuple[int, int]:
    """Compute the number of ordered resamples with S <= k, and that of all, both divided by a
    common factor."""
    cumulative, total = _cumulative(strata)
    place = k + sum(counts.n for counts in strata)
    return (0 if place < 0 else cumulative[min(place, len(cumulative) - 1)]), total


@lru_cache(maxsize=2)
def _cumulative(strata: tuple[PairedCounts, ...]) -> tuple[list[int], int]:
    weights = [1]
    for counts in strata:
        weights = _product(weights, resample_counts(counts))
    cumulative = list(accumulate(weights))
    return cumulative, cumulative[-1]


def resample_counts(counts: PairedCounts) -> list[int]:
    """Return the ordered resamples of a stratum by sum, from -n to n, all divided by a common
    factor."""
    n, common = counts.n, gcd(counts.wins, counts.ties, counts.losses)
    w, t, l = (count // common for count in (counts.wins, counts.ties, counts.losses))  # noqa: E741
    if l == 0:
        return [0] * n + [comb(n, j) * w**j * t ** (n - j) for j in range(n + 1)]
    counts_by_sum = [l**n]
    before = 0
    for j in range(2 * n):
        rest = (n - j) * t * counts_by_sum[-1] + (2 * n - j + 1) * w * before
        before = counts_by_sum[-1]
        counts_by_sum.append(rest // ((j + 1) * l))
    return counts_by_sum


def _product(left: list[int], right: list[int]) -> list[int]:
    product = [0] * (len(left) + len(right) - 1)
    for shift, factor in enumerate(left):
        if factor:
            for place, weight in enumerate(right):
                product[shift + place] += factor * weight
    return product
