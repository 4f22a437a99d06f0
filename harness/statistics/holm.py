"""Holm's step-down adjustment of a family of p-values.

Convention `holm/1`. With the m p-values sorted upwards, p(1) <= ... <= p(m),

    adjusted(i) = the largest over j <= i of min(1, (m - j + 1) p(j)),

put back in the order given. Rejecting where the adjusted value is at most alpha keeps the
probability of any false claim in the family at alpha, whatever the dependence between the tests.

Source: Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal
of Statistics 6, 65-70.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan


def holm(p_values: Sequence[float]) -> list[float]:
    """Compute the adjusted p-values, in the order given.

    A NaN is left out of the family and stays NaN in its place. Raises `ValueError` for a value
    outside [0, 1].
    """
    outside = [p for p in p_values if not (isnan(p) or 0 <= p <= 1)]
    if outside:
        raise ValueError(f"a p-value is between 0 and 1, not {outside[0]}")
    adjusted = [float("nan")] * len(p_values)
    ranked = sorted((p, place) for place, p in enumerate(p_values) if not isnan(p))
    highest = 0.0
    for rank, (p, place) in enumerate(ranked):
        highest = max(highest, min(1.0, (len(ranked) - rank) * p))
        adjusted[place] = highest
    return adjusted
