"""The standard normal quantile of a level's tail."""

from __future__ import annotations

from statistics import NormalDist

from .counts import Level, LevelLike


def normal_quantile(level: LevelLike) -> float:
    """Compute z with P(Z > z) = (1 - level) / 2: 1.9599… at level 0.95, and not 1.96.

    Wichura (1988), Algorithm AS 241, Applied Statistics 37, 477-484, which has about 16 digits.
    """
    return -NormalDist().inv_cdf(float(Level.of(level).tail))
