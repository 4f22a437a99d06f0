"""The p-value that an interval implies for a rule.

Convention `implied-p/1`: the smallest 1 - level at which the two-sided interval meets the rule, 1
where no level does. With m the margin, w wins and l losses:

- exact percentile, F the distribution of the resampled mean, as a fraction: of `lower > m` it is
  2 F(m), of `lower >= m` 2 F(m-), of `upper < m` 2 (1 - F(m-)), of `upper <= m` 2 (1 - F(m));
- a score Z(m) that the limit is the root of: 2 (1 - Phi(Z(m))) for the lower end, and the same of
  the swapped counts for the upper one.

The lower end meets the rule at every level below 1 - p and not at 1 - p itself, the upper end of
the exact interval at 1 - p too: that is `attained`. A p that is not a rational number and within
1e-9 of itself of what it is compared with is too close to call, which counts as not met.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, erfc, floor, sqrt

from .counts import PairedCounts
from .rules import Rule
from .tango import tango_score
from .trinomial import exact_cumulative
from .wald import centre_and_standard_error

TOO_CLOSE = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True)
class ImpliedP:
    """A p-value; `tolerance` is the relative distance that is too close to call."""

    value: Fraction
    attained: bool = False
    tolerance: Fraction = Fraction(0)

    def meets(self, alpha: Fraction) -> bool:
        """Return whether the interval at level 1 - `alpha` meets the rule."""
        clearly = self.value < alpha * (1 - self.tolerance)
        return clearly or (self.attained and self.value == alpha)


PValueOf = Callable[[Rule, PairedCounts], ImpliedP]


def exact_p(rule: Rule, counts: PairedCounts) -> ImpliedP:
    """Compute the p of the exact percentile interval, in whole numbers."""
    strictly_below = (rule.end == "lower") != rule.strict
    margin = rule.threshold * counts.n
    k = ceil(margin) - 1 if strictly_below else floor(margin)
    below = Fraction(*exact_cumulative((counts,), k))
    tail = below if rule.end == "lower" else 1 - below
    return ImpliedP(min(2 * tail, Fraction(1)), attained=rule.end == "upper" and 2 * tail < 1)


def tango_p(rule: Rule, counts: PairedCounts) -> ImpliedP:
    """Compute the p of Tango's score."""
    return _of_score(tango_score(*_as_lower(rule, counts)))


def bonett_price_p(rule: Rule, counts: PairedCounts) -> ImpliedP:
    """Compute the p of the adjusted Wald interval."""
    counts, margin = _as_lower(rule, counts)
    centre, error = centre_and_standard_error(counts.wins + 1, counts.losses + 1, counts.n + 2)
    return _of_score((centre - float(margin)) / error)


def _as_lower(rule: Rule, counts: PairedCounts) -> tuple[PairedCounts, Fraction]:
    """Return the counts and the margin of the same rule on the lower end."""
    return (counts, rule.threshold) if rule.end == "lower" else (counts.swapped, -rule.threshold)


def _of_score(score: float) -> ImpliedP:
    return ImpliedP(min(Fraction(erfc(score / sqrt(2))), Fraction(1)), tolerance=TOO_CLOSE)
