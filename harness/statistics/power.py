"""The power of a registered rule, and the smallest difference that it can be expected to detect.

Convention `power-exact-percentile/1` (for the interval method `exact`; the other methods likewise).
A study's outcome (W, L) is multinomial: n pairs, each a win with probability p_win, a loss with
p_loss, else a tie. The power is the probability of the outcomes of which the rule holds, summed in
full: no simulation, no normal approximation. Where the rule is true of no or a negative effect, the
same number is its rate of false claims.

Convention `mde-exact-percentile/1`. For a discordance D = p_win + p_loss, the minimum detectable
effect is the smallest difference d on the grid 0, 0.001, 0.002, ... up to D with a power of at
least the target at p_win = (D + d) / 2 and p_loss = (D - d) / 2. A rule on the upper end looks for
differences below zero: d counts downwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc

from .counts import Level, LevelLike
from .decisions import Counts
from .exact_number import Exact, exact_number
from .methods import method_named
from .rules import Rule

Array = NDArray[np.float64]

GRID_STEP = Fraction(1, 1000)
DEFAULT_TARGET = "0.8"

_NEGLIGIBLE = 1e-30
"""Numbers of losses this improbable, relative to the likeliest, are not looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runs of wins with which a rule holds: `start[i] <= wins < stop[i]` with `losses[i]`."""

    losses: Counts
    start: Counts
    stop: Counts


def holding_runs(rule: Rule, n: int, level: Level, method: str, losses: range) -> Runs:
    """Return the runs for each of the given numbers of losses."""
    runs = method_named(method).holding_runs(rule, n, level, losses)
    table = np.array(list(runs), dtype=np.int64).reshape(-1, 3)
    return Runs(table[:, 0], table[:, 1], table[:, 2])


def power(
    rule: Rule, n: int, p_win: Exact, p_loss: Exact, level: LevelLike, method: str = "exact"
) -> float:
    """Compute the probability that `rule` holds for the interval of a study of `n` pairs.

    Raises `ValueError` for no pair or probabilities that are below 0 or sum to more than 1, and
    `UsageError` for an unknown method or a level outside (0, 1).
    """
    win, loss = exact_number(p_win), exact_number(p_loss)
    if n < 1:
        raise ValueError(f"there are {n} pairs; at least 1 is needed")
    if win < 0 or loss < 0 or win + loss > 1:
        raise ValueError(
            f"p_win {p_win} and p_loss {p_loss} are not the probabilities of two outcomes"
        )
    losses = _probable(n, loss, loss)
    return _probability(holding_runs(rule, n, Level.of(level), method, losses), n, win, loss)


def false_claims(
    rule: Rule, n: int, discordance: Exact, level: LevelLike, method: str = "exact"
) -> float:
    """Compute the probability that `rule` holds where the truth is its margin itself, the boundary
    of what it claims; a discordance below the margin is taken to be the margin's size.

    Raises `ValueError` for no pair or a discordance outside [0, 1].
    """
    share = max(exact_number(discordance), abs(rule.threshold))
    win = (share + rule.threshold) / 2
    return power(rule, n, win, share - win, level, method)


def minimum_detectable_effect(
    rule: Rule,
    n: int,
    discordance: Exact,
    level: LevelLike,
    target: Exact = DEFAULT_TARGET,
    method: str = "exact",
) -> float | None:
    """Compute the smallest true difference on the grid that gives `rule` the target power; None
    where even the largest does not. For a rule on the upper end it is zero or negative.

    Raises `ValueError` for no pair, or a discordance or target outside [0, 1].
    """
    share, wanted = exact_number(discordance), exact_number(target)
    if n < 1:
        raise ValueError(f"there are {n} pairs; at least 1 is needed")
    if not 0 <= share <= 1 or not 0 <= wanted <= 1:
        raise ValueError(f"discordance {discordance} and target {target} are between 0 and 1")
    direction = 1 if rule.end == "lower" else -1
    # one set of outcomes for every difference on the grid: p_loss is half of the share at 0, and
    # falls to 0, or rises to the share, at the end
    losses = _probable(n, *sorted((share / 2, (1 - direction) * share / 2)))
    runs = holding_runs(rule, n, Level.of(level), method, losses)
    for step in range(floor(share / GRID_STEP) + 1):
        difference = direction * step * GRID_STEP
        reached = _probability(runs, n, (share + difference) / 2, (share - difference) / 2)
        if reached >= wanted:
            return float(difference)
    return None


def _probability(runs: Runs, n: int, win: Fraction, loss: Fraction) -> float:
    """Compute the probability of all outcomes in the runs: a binomial number of losses, and wins
    that are binomial among the other pairs."""
    rest = n - runs.losses
    share = float(win / (1 - loss)) if loss < 1 else 0.0
    at_least = _at_least(runs.start, rest, share)
    inside = np.where(
        runs.start == 0,
        _below(runs.stop, rest, share),
        at_least - _at_least(runs.stop, rest, share),
    )
    return min(fsum(binomial_probabilities(n, loss)[runs.losses] * inside), 1.0)


def _at_least(count: Any, n: Any, p: float) -> Array:
    """P(X >= count) for X binomial(n, p), as a regularised incomplete beta function."""
    inner = (count > 0) & (count <= n)
    a, b = np.where(inner, count, 1), np.where(inner, n - count + 1, 1)
    return np.where(inner, betainc(a, b, p), np.where(count <= 0, 1.0, 0.0))


def _below(count: Any, n: Any, p: float) -> Array:
    """P(X < count), not as a difference from 1, which would lose a small one."""
    inner = (count > 0) & (count <= n)
    a, b = np.where(inner, count, 1), np.where(inner, n - count + 1, 1)
    return np.where(inner, betaincc(a, b, p), np.where(count <= 0, 0.0, 1.0))


def binomial_probabilities(n: int, p: Fraction) -> Array:
    """P(X = k) for k = 0 ... n: ratios of neighbours, outwards from the likeliest value, so that
    nothing is the difference of large logarithms."""
    if p in (0, 1):
        certain: Array = np.eye(1, n + 1, n * int(p))[0]
        return certain
    odds = float(p / (1 - p))
    likeliest = floor((n + 1) * p)
    upwards = np.arange(likeliest, n)
    downwards = np.arange(likeliest, 0, -1)
    above = np.cumprod((n - upwards) / (upwards + 1) * odds)
    below = np.cumprod(downwards / ((n - downwards + 1) * odds))
    relative = np.concatenate([below[::-1], [1.0], above])
    probabilities: Array = relative / relative.sum()
    return probabilities


def _probable(n: int, smallest: Fraction, largest: Fraction) -> range:
    """Compute the numbers of losses that are not negligible for any probability between the two."""
    low = binomial_probabilities(n, smallest)
    high = binomial_probabilities(n, largest)
    first = np.flatnonzero(low > _NEGLIGIBLE * low.max())[0]
    last = np.flatnonzero(high > _NEGLIGIBLE * high.max())[-1]
    return range(int(first), int(last) + 1)
