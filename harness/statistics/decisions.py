"""Of which outcomes a registered rule holds, by interval method.

An outcome is the number of wins and of losses among n pairs. For fixed losses, the wins with which
a rule holds are one run or a few, `start <= wins < stop`.

The exact percentile interval is decided without its ends: with F the distribution of the resampled
mean, tail = alpha/2 and m the margin,

    lower > m   if and only if  F(m) < tail            lower >= m  if and only if  F(m-) < tail
    upper < m   if and only if  F(m-) >= 1 - tail      upper <= m  if and only if  F(m) >= 1 - tail

exactly. F falls with wins and rises with losses, so the boundary rises with losses and is walked.
Tango's lower limit is at or above m if and only if Z(m) >= z. The Wald interval of no discordant
pair has no width, so a rule may hold of it and not with one win: runs, not thresholds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bonett_price import bonett_price_limits
from .counts import Level, PairedCounts
from .methods import method_named
from .normal import normal_quantile
from .rules import Rule
from .trinomial import resampled_sum
from .wald import wald_limits

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runs of wins with which a rule holds: `start[i] <= wins < stop[i]` with `losses[i]`."""

    losses: Counts
    start: Counts
    stop: Counts


def holding_runs(rule: Rule, n: int, level: Level, method: str, losses: range) -> Runs:
    """Return the runs for each of the given numbers of losses."""
    method = method_named(method).name
    if method == "exact":
        runs = _exact_runs(rule, n, level, losses)
    else:
        runs = _closed_form_runs(rule, n, level, method, losses)
    table = np.array(list(runs), dtype=np.int64).reshape(-1, 3)
    return Runs(table[:, 0], table[:, 1], table[:, 2])


def _exact_runs(rule: Rule, n: int, level: Level, losses: range) -> Iterator[tuple[int, int, int]]:
    strictly_below = (rule.end == "lower") != rule.strict
    margin = rule.threshold * n
    k = ceil(margin) - 1 if strictly_below else floor(margin)
    share = level.tail if rule.end == "lower" else 1 - level.tail

    def clears(wins: int, lost: int) -> bool:
        """Return whether F at the margin is under the share; it is, from some number of wins on."""
        counts = PairedCounts.of_total(n, wins, lost)
        return not resampled_sum((counts,)).reaches(k, share)

    boundary = _first(lambda wins: clears(wins, losses.start), n - losses.start + 1)
    for lost in losses:
        most = n - lost
        while boundary <= most and not clears(boundary, lost):
            boundary += 1
        if rule.end == "lower":
            yield lost, min(boundary, most + 1), most + 1
        else:
            yield lost, 0, min(boundary, most + 1)


def _first(holds: Callable[[int], bool], stop: int) -> int:
    """Return the first number below `stop` for which `holds`, which then does for all later ones;
    `stop` where there is none."""
    low, high = 0, stop
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _closed_form_runs(
    rule: Rule, n: int, level: Level, method: str, losses: range
) -> Iterator[tuple[int, int, int]]:
    z = normal_quantile(level)
    margin = float(rule.threshold)
    for lost in losses:
        wins = np.arange(n - lost + 1, dtype=np.int64)
        if method == "tango":
            score = _tango_score(wins, lost, n, margin)
            clearance = score - z if rule.end == "lower" else -score - z
        else:
            limits = wald_limits if method == "wald" else bonett_price_limits
            lower, upper = limits(wins, lost, n, z)
            clearance = lower - margin if rule.end == "lower" else margin - upper
        holds = clearance > 0 if rule.strict else clearance >= 0
        edges = np.flatnonzero(np.diff(holds, prepend=False, append=False))
        yield from ((lost, int(a), int(b)) for a, b in edges.reshape(-1, 2))


def _tango_score(wins: Counts, losses: int, n: int, d: float) -> Any:
    """Compute Z(d) of each number of wins; 0 where it is 0/0, at an estimate that is d exactly."""
    b = -(wins + losses) + (2 * n - wins + losses) * d
    root = np.sqrt(np.maximum(b * b + 8 * n * losses * d * (1 - d), 0.0))
    q = (root - b) / (4 * n)
    variance = np.maximum(2 * q + d * (1 - d), 0.0)
    excess = wins - losses - n * d
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(excess == 0, 0.0, excess / np.sqrt(n * variance))
