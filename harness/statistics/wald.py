"""The plain Wald interval of a paired difference of proportions.

Convention `wald-paired/1`, cut to [-1, 1]:

    centre = (w - l) / n,  se = sqrt(w + l - (w - l)^2 / n) / n,  limits = centre -/+ z se

with z the normal quantile of 1 - alpha/2. It misleads where few pairs are discordant, and has no
width where none is, or where every pair is a win or every pair a loss: it is here to be compared
with, not to be relied on.

Source: Fagerland, Lydersen and Laake (2014), Recommended tests and confidence intervals for paired
binomial proportions, Statistics in Medicine 33, 2850-2875.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .counts import Interval, LevelLike, PairedCounts
from .normal import normal_quantile


def wald_interval(counts: PairedCounts, level: LevelLike) -> Interval:
    """Compute the Wald interval of the difference (wins - losses) / n, in fractions."""
    return cut(*wald_limits(counts.wins, counts.losses, counts.n, normal_quantile(level)))


def wald_limits(wins: Any, losses: Any, n: int, z: float) -> tuple[Any, Any]:
    """Compute both limits before they are cut, of counts or, element by element, of arrays of
    them."""
    centre, error = centre_and_standard_error(wins, losses, n)
    return centre - z * error, centre + z * error


def centre_and_standard_error(wins: Any, losses: Any, n: int) -> tuple[Any, Any]:
    """Return the difference and its standard error; whole numbers up to the root, so that a
    standard error of zero is exactly zero."""
    difference = wins - losses
    return difference / n, np.sqrt(n * (wins + losses) - difference**2) / (n * np.sqrt(n))


def cut(lower: Any, upper: Any) -> Interval:
    """Return limits within [-1, 1], where a difference of proportions is."""
    return Interval(max(float(lower), -1.0), min(float(upper), 1.0))
