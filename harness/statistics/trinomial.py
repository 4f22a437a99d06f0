"""The distribution of a resampled sum of differences, without resampling.

Drawing n of n pairs with replacement makes the sum S of n independent draws of +1, 0 and -1 with
probabilities w/n, t/n and l/n, so the probability of S = k is the coefficient of x^k in

    ((w x + t + l/x) / n)^n,

and within strata that keep their sizes, in the product of these over the strata. The power is taken
by squaring in double precision. Every term is positive, so nothing cancels: probabilities have a
relative error of about n roundings. Where that could decide a comparison, it is decided again in
whole numbers (see `reaches`): the number of ordered resamples of a stratum with S = k is the
coefficient g of x^(k + n) in f^n = (w x^2 + t x + l)^n, out of n^n, and since f (f^n)' = n f' f^n
the coefficients follow from each other (g[0] = l^n):

    (j + 1) l g[j + 1] = (n - j) t g[j] + (2n - j + 1) w g[j - 1].

Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 6 and 13: this is
the limit of resampling as resamples grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb, gcd

import numpy as np
from numpy.typing import NDArray

from .counts import PairedCounts

Array = NDArray[np.float64]

_NEGLIGIBLE = 1e-60
"""Terms this much smaller than the largest are left out; no level has a tail near it."""

_SHORT = 64
"""So few terms are kept as they are: leaving some out would take longer than it saves."""


@dataclass(frozen=True, slots=True, eq=False)
class ResampledSum:
    """The distribution of S: `probability[i]` is that of S = `first` + i."""

    strata: tuple[PairedCounts, ...]
    first: int
    probability: Array

    def at_most(self, k: int) -> float:
        """Return P(S <= k)."""
        return float(self.probability[: max(k - self.first + 1, 0)].sum())

    def above(self, k: int) -> float:
        """Return P(S > k)."""
        return float(self.probability[max(k - self.first + 1, 0) :].sum())

    def reaches(self, k: int, share: Fraction) -> bool:
        """Return whether P(S <= k) >= `share`, exactly: in whole numbers where double precision
        could not tell. The smaller of the two tails is compared."""
        # the smaller tail is known to more decimals
        low = 2 * share <= 1
        tail = self.at_most(k) if low else self.above(k)
        wanted = float(share if low else 1 - share)
        if abs(tail - wanted) <= self._doubt * wanted:
            cumulative, total = exact_cumulative(self.strata, k)
            return cumulative * share.denominator >= share.numerator * total
        return tail >= wanted if low else tail <= wanted

    def quantile(self, share: Fraction) -> int:
        """Compute the smallest k with P(S <= k) >= `share`, exactly."""
        if 2 * share <= 1:
            cumulative = np.cumsum(self.probability)
            # the doubles only find the neighbourhood, from a little too low; `reaches` then decides
            # exactly
            place = int(np.searchsorted(cumulative, float(share) * (1 - self._doubt)))
        else:
            from_above = np.cumsum(self.probability[::-1])
            most = float(1 - share) * (1 + self._doubt)
            place = len(from_above) - 1 - int(np.searchsorted(from_above, most, side="right"))
        k = self.first + max(place, 0)
        while not self.reaches(k, share):
            k += 1
        return k

    @property
    def _doubt(self) -> float:
        """Relative error that no tail has: far above n roundings."""
        return 1e-10 + 1e-15 * sum(counts.n for counts in self.strata)


def resampled_sum(strata: Sequence[PairedCounts]) -> ResampledSum:
    """Compute the distribution of the sum over strata that are each resampled within themselves.

    Raises `ValueError` without a stratum.
    """
    if not strata:
        raise ValueError("no stratum; at least 1 is needed")
    first, probability = _power(strata[0])
    for counts in strata[1:]:
        further, other = _power(counts)
        first, probability = _without_negligible(first + further, np.convolve(probability, other))
    # the ends that were cut, and n roundings, leave a sum that is not quite 1
    return ResampledSum(tuple(strata), first, probability / probability.sum())


def _power(counts: PairedCounts) -> tuple[int, Array]:
    """Compute one stratum: where its support starts, and its probabilities, by repeated
    squaring."""
    outcomes = np.array([counts.losses, counts.ties, counts.wins], dtype=np.float64)
    possible = np.flatnonzero(outcomes)
    start = int(possible[0]) - 1
    draw = outcomes[possible[0] : possible[-1] + 1] / counts.n
    first, probability = start, draw
    for bit in bin(counts.n)[3:]:
        first, probability = 2 * first, np.convolve(probability, probability)
        if bit == "1":
            first, probability = first + start, np.convolve(probability, draw)
        if len(probability) > _SHORT:
            first, probability = _without_negligible(first, probability)
    return first, probability


def _without_negligible(first: int, probability: Array) -> tuple[int, Array]:
    """Cut off the ends that are too small to matter."""
    kept = np.flatnonzero(probability > _NEGLIGIBLE * probability.max())
    return first + int(kept[0]), probability[kept[0] : kept[-1] + 1]


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
