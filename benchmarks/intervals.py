"""Exact intervals and simultaneous bands, against scipy's bootstrap in the same run.

    python benchmarks/intervals.py

`interval` is the exact percentile interval of 29 wins and 25 losses among 500 pairs, against
`scipy.stats.bootstrap` of the same pairs: paired, percentile, 10,000 resamples, a vectorised
statistic. `bands` are simultaneous bands over 96 points of 500 questions, 10,000 joint resamples,
against one such call of scipy for each point (which gives pointwise intervals only).

Every way is warm: it has run once before it is measured, and the ways take turns. Processor seconds
of the process, all threads, are compared, since what else the machine does hardly changes them;
wall seconds stand beside them. The best of the rounds is shown. scipy's call is measured once a
round and counted 96 times for the bands.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.stats import bootstrap
from tabulate import tabulate

from harness.statistics.bands import simultaneous_bands
from harness.statistics.counts import PairedCounts
from harness.statistics.exact_bootstrap import exact_interval

Array = NDArray[np.float64]

QUESTIONS, WINS, LOSSES = 500, 29, 25
POINTS = 96
RESAMPLES = 10_000
REPEATS = 200
"""The exact interval is made so often in a round, since one is below the clock's grain."""


@dataclass(frozen=True)
class Seconds:
    """Of one call: of the processor, all threads, and on the wall."""

    processor: float
    wall: float


def measured(call: Callable[[], object], repeats: int = 1) -> Seconds:
    processor, wall = time.process_time(), time.perf_counter()
    for _ in range(repeats):
        call()
    return Seconds(
        (time.process_time() - processor) / repeats, (time.perf_counter() - wall) / repeats
    )


def answers() -> tuple[Array, Array]:
    """Right answers of two sides over 500 questions: 29 wins, 25 losses, 380 both right."""
    left = np.zeros(QUESTIONS)
    right = np.zeros(QUESTIONS)
    left[:WINS] = 1
    right[WINS : WINS + LOSSES] = 1
    left[-380:] = right[-380:] = 1
    return left, right


def mean_difference(left: Array, right: Array, axis: int) -> Array:
    means: Array = np.mean(left - right, axis=axis)
    return means


def by_scipy(left: Array, right: Array) -> tuple[float, float]:
    found = bootstrap(
        (left, right),
        mean_difference,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    return float(found.low), float(found.high)


def curve() -> Array:
    """Differences of 96 points to one, over 500 questions: correlated, as along a curve."""
    generator = np.random.default_rng(2)
    gain = np.linspace(-0.3, 0.5, POINTS)
    propensity = generator.normal(size=(QUESTIONS, 1)) + gain
    return np.where(propensity > 1.3, 1.0, np.where(propensity < -1.4, -1.0, 0.0))


def compare(rounds: int) -> str:
    left, right = answers()
    counts, differences = PairedCounts(WINS, LOSSES, QUESTIONS - WINS - LOSSES), curve()
    ways: dict[str, Callable[[], Seconds]] = {
        "exact interval": lambda: measured(lambda: exact_interval(counts, "0.95"), REPEATS),
        "scipy interval": lambda: measured(lambda: by_scipy(left, right)),
        "bands": lambda: measured(lambda: simultaneous_bands(differences, "0.95")),
    }
    found: dict[str, list[Seconds]] = {way: [] for way in ways}
    for turn in range(rounds + 1):  # the first is not counted: it warms every way
        for way, call in ways.items():
            seconds = call()
            if turn:
                found[way].append(seconds)
    best = {
        way: Seconds(min(s.processor for s in all_), min(s.wall for s in all_))
        for way, all_ in found.items()
    }
    scipy_curve = Seconds(
        POINTS * best["scipy interval"].processor, POINTS * best["scipy interval"].wall
    )
    rows = [
        _row("interval, n = 500", best["exact interval"], best["scipy interval"], 400),
        _row(f"bands, {POINTS} points", best["bands"], scipy_curve, 10),
    ]
    headings = ["what", "ours, processor ms", "scipy, processor ms", "ratio", "wall ratio", "goal"]
    table = tabulate(rows, headings, tablefmt="github", disable_numparse=True)
    return (
        f"best of {rounds} rounds, Python {platform.python_version()}, numpy {np.__version__}, "
        f"scipy {scipy.__version__}, {platform.system()} {platform.machine()}\n\n{table}"
    )


def _row(what: str, ours: Seconds, baseline: Seconds, goal: int) -> list[str]:
    return [
        what,
        f"{1000 * ours.processor:.3f}",
        f"{1000 * baseline.processor:.0f}",
        f"{baseline.processor / ours.processor:.0f}",
        f"{baseline.wall / ours.wall:.0f}",
        f"at least {goal}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds (default: 5)")
    print(compare(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
