"""Bonett and Price's adjusted Wald interval of a paired difference of proportions.

Convention `bonett-price-adjusted-wald/1`: one is added to each discordant count and two to n, and
the limits are cut to [-1, 1]:

    a = (w + 1) / (n + 2),  b = (l + 1) / (n + 2)
    centre = a - b,  se = sqrt((a + b - (a - b)^2) / (n + 2)),  limits = centre -/+ z se

with z the normal quantile of 1 - alpha/2. That is the Wald interval of the augmented counts. It has
a width even where no pair is discordant, and is a little wider than needed there.

Source: Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial
proportions based on paired data, Journal of Educational and Behavioral Statistics 37, 479-488.
"""

from __future__ import annotations

from typing import Any

from .counts import TOO_CLOSE, Interval, LevelLike, PairedCounts
from .normal import normal_quantile
from .wald import cut, wald_limits


def bonett_price_interval(counts: PairedCounts, level: LevelLike) -> Interval:
    """Compute the adjusted Wald interval of the difference (wins - losses) / n, in fractions."""
    z = normal_quantile(level)
    limits = cut(*bonett_price_limits(counts.wins, counts.losses, counts.n, z))
    return Interval(limits.lower, limits.upper, tolerance=TOO_CLOSE)


def bonett_price_limits(wins: Any, losses: Any, n: int, z: float) -> tuple[Any, Any]:
    """Compute both limits before they are cut, of counts or, element by element, of arrays of
    them."""
    return wald_limits(wins + 1, losses + 1, n + 2, z)
