"""The difference of two sides over the same pairs, with its interval and how that was made."""

from __future__ import annotations

from dataclasses import dataclass

from .counts import Interval


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """One side less the other, in the unit of what is compared (fractions of shares).

    `difference` is None where it is not defined, and the limits are None where there is no
    interval. `pairs` are what is resampled: questions, or tasks. `resamples` and `seed` are None
    for an interval that is exact. `wins` are the pairs in which the first side is better, `losses`
    those in which it is worse, where they were counted. `warnings` say where the interval may
    mislead.
    """

    difference: float | None
    lower: float | None
    upper: float | None
    pairs: int
    level: float
    resamples: int | None = None
    seed: int | None = None
    wins: int | None = None
    losses: int | None = None
    warnings: tuple[str, ...] = ()

    @property
    def interval(self) -> Interval:
        """Both limits; raises `ValueError` where there is no interval."""
        if self.lower is None or self.upper is None:
            raise ValueError("the difference has no interval")
        return Interval(self.lower, self.upper)

    @property
    def ties(self) -> int | None:
        """Pairs that are neither better nor worse, where these were counted."""
        if self.wins is None or self.losses is None:
            return None
        return self.pairs - self.wins - self.losses
