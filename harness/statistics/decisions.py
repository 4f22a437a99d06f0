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

from collections.abc import Callable, Iterable, Iterator
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .counts import Interval, Level, LevelLike, PairedCounts
from .normal import normal_quantile
from .rules import Rule
from .trinomial import resampled_sum

Counts = NDArray[np.int64]

Run = tuple[int, int, int]
"""Losses, and the wins with which a rule then holds: from the second number to below the third."""

RunsOf = Callable[[Rule, int, Level, range], Iterable[Run]]
"""The runs of a rule for n pairs, a level, and each of the given numbers of losses."""


def exact_runs(rule: Rule, n: int, level: Level, losses: range) -> Iterator[Run]:
    """Yield the runs of the exact percentile interval, without its ends."""
    strictly_below = (rule.end == "lower") != rule.strict
    margin = rule.threshold * n
    k = ceil(margin) - 1 if strictly_below else floor(margin)
    share = level.tail if rule.end == "lower" else 1 - level.tail

    def clears(wins: int, lost: int) -> bool:
        """Return whether F at the margin is under the share; it is, from some number of wins on."""
        counts = PairedCounts.of_total(n, wins, lost)
        return not resampled_sum((counts,)).reaches(k, share)

    # searched for once; from there it only rises with the losses, so that each outcome is computed
    # about once
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


def limit_runs(limits: Callable[[Any, Any, int, float], tuple[Any, Any]]) -> RunsOf:
    """Make the runs of an interval whose limits, of wins, losses, n and the normal quantile, are
    computed element by element of an array of wins."""

    def clearance(rule: Rule, wins: Counts, lost: int, n: int, z: float) -> Any:
        lower, upper = limits(wins, lost, n, z)
        margin = float(rule.threshold)
        return lower - margin if rule.end == "lower" else margin - upper

    return _clearance_runs(clearance)


def _tango_clearance(rule: Rule, wins: Counts, lost: int, n: int, z: float) -> Any:
    score = _tango_score(wins, lost, n, float(rule.threshold))
    return score - z if rule.end == "lower" else -score - z


def _clearance_runs(clearance: Callable[[Rule, Counts, int, int, float], Any]) -> RunsOf:
    """Make the runs of what tells, by its sign, on which side of the margin an end lies."""

    def runs(rule: Rule, n: int, level: Level, losses: range) -> Iterator[Run]:
        z = normal_quantile(level)
        for lost in losses:
            clear = clearance(rule, np.arange(n - lost + 1, dtype=np.int64), lost, n, z)
            yield from _edges(clear > 0 if rule.strict else clear >= 0, lost)

    return runs


tango_runs = _clearance_runs(_tango_clearance)


def interval_runs(interval: Callable[[PairedCounts, LevelLike], Interval]) -> RunsOf:
    """Make the runs of any interval, by computing it for every number of wins: slow, and right."""

    def runs(rule: Rule, n: int, level: Level, losses: range) -> Iterator[Run]:
        for lost in losses:
            outcomes = (PairedCounts.of_total(n, wins, lost) for wins in range(n - lost + 1))
            held = [rule.holds(interval(counts, level)) for counts in outcomes]
            yield from _edges(np.array(held), lost)

    return runs


def _edges(holds: NDArray[np.bool_], lost: int) -> Iterator[Run]:
    edges = np.flatnonzero(np.diff(holds, prepend=False, append=False))
    yield from ((lost, int(start), int(stop)) for start, stop in edges.reshape(-1, 2))


def _tango_score(wins: Counts, losses: int, n: int, d: float) -> Any:
    """Compute Z(d) of each number of wins; 0 where it is 0/0, at an estimate that is d exactly."""
    b = -(wins + losses) + (2 * n - wins + losses) * d
    root = np.sqrt(np.maximum(b * b + 8 * n * losses * d * (1 - d), 0.0))
    q = (root - b) / (4 * n)
    variance = np.maximum(2 * q + d * (1 - d), 0.0)
    excess = wins - losses - n * d
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(excess == 0, 0.0, excess / np.sqrt(n * variance))
