"""Reference values, and exact arithmetic to compare with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from harness.statistics.counts import PairedCounts

LEVELS = ("0.90", "0.95", "0.99", "0.5")


def counts_of(row: Mapping[str, Any]) -> PairedCounts:
    return PairedCounts.of_total(row["n"], row["wins"], row["losses"])


def is_probability(found: float, expected: str) -> bool:
    """Equal to 1e-11 relative or 1e-13 absolute, whichever is looser."""
    return is_close(found, expected, 1e-11, 1e-13)


def is_close(found: float, expected: str, relative: float, absolute: float) -> bool:
    return abs(Fraction(found) - Fraction(expected)) <= max(
        relative * abs(Fraction(expected)), absolute
    )


def made_counts(most: int = 12) -> st.SearchStrategy[PairedCounts]:
    """Counts of 1 to three times `most` pairs."""
    part = st.integers(0, most)
    return st.tuples(part, part, part).filter(any).map(lambda parts: PairedCounts(*parts))


def distribution(strata: Sequence[PairedCounts]) -> dict[int, Fraction]:
    """P(S = k) of the resampled sum, one draw after the other, exactly."""
    found = {0: Fraction(1)}
    for counts in strata:
        draw = {1: counts.wins, 0: counts.ties, -1: counts.losses}
        for _ in range(counts.n):
            further: dict[int, Fraction] = {}
            for k, probability in found.items():
                for step, count in draw.items():
                    if count:
                        part = probability * Fraction(count, counts.n)
                        further[k + step] = further.get(k + step, Fraction(0)) + part
            found = further
    return found


def cumulative(probabilities: Mapping[int, Fraction], k: int) -> Fraction:
    """P(S <= k)."""
    return sum((p for place, p in probabilities.items() if place <= k), Fraction(0))


def smallest_reaching(probabilities: Mapping[int, Fraction], share: Fraction) -> int:
    """The smallest k with P(S <= k) >= share."""
    total = Fraction(0)
    for k in sorted(probabilities):
        total += probabilities[k]
        if total >= share:
            return k
    raise AssertionError("the probabilities do not sum to 1")
