"""Scoring candidates by eight signals in one pass, against a loop over them in the same run.

    python benchmarks/selection_scores.py

A million made-up candidates are scored for project recall, the one task that blends in a lexical
score. `one pass` is `arms.sea.score_for_plan` of all of them; `loop` does the same float32
arithmetic for one candidate at a time, from rows and weights that are made ready before the
clock starts. Both must give the same bits, or the benchmark ends with an error.

Processor seconds of the process, all threads, are compared; wall seconds stand beside them. The
best of the rounds is shown. The loop is run once a round.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tabulate import tabulate

from arms.sea import DEFAULT_WEIGHTS, SIGNALS, QueryTask, adjust_weights, score_for_plan

Floats = NDArray[np.float32]

PLAN = QueryTask("project_recall", exact_recall=True)


@dataclass(frozen=True)
class Measured:
    """Seconds of one call, of the processor and on the wall, and the scores that it gave."""

    processor: float
    wall: float
    scores: Floats


def measured(call: Callable[[], Floats]) -> Measured:
    processor, wall = time.process_time(), time.perf_counter()
    scores = call()
    return Measured(time.process_time() - processor, time.perf_counter() - wall, scores)


def one_by_one(rows: list[tuple[np.float32, ...]], weights: tuple[np.float32, ...]) -> Floats:
    """The definition, a candidate at a time."""
    zero, one = np.float32(0), np.float32(1)
    scores = []
    for row in rows:
        total = row[0] * weights[0]
        for signal, weight in zip(row[1:], weights[1:], strict=True):
            total += signal * weight
        weighted = min(max(total, zero), one)
        lexical = np.float32((float(row[0]) + float(row[1])) / 2)
        blended = np.float32((float(weighted) + float(lexical)) / 2)
        scores.append(min(max(blended, zero), one))
    return np.array(scores, np.float32)


def compare(candidates: int, rounds: int) -> str:
    signals = np.random.default_rng(1).random((candidates, len(SIGNALS)), np.float32)
    rows = [tuple(row) for row in signals]
    weights = tuple(adjust_weights(DEFAULT_WEIGHTS, PLAN.task))
    score_for_plan(signals, DEFAULT_WEIGHTS, PLAN)  # warm
    passes, loops = [], []
    for _ in range(rounds):
        passes.append(measured(lambda: score_for_plan(signals, DEFAULT_WEIGHTS, PLAN)))
        loops.append(measured(lambda: one_by_one(rows, weights)))
    if passes[0].scores.tobytes() != loops[0].scores.tobytes():
        raise SystemExit("error: one pass and the loop give different scores")
    found = [_best(passes), _best(loops)]
    ratios = [loop / one for one, loop in zip(*found, strict=True)]
    rows_shown = [
        [
            f"{candidates:,} candidates",
            f"{1000 * found[0][0]:.1f}",
            f"{1000 * found[1][0]:,.0f}",
            f"{ratios[0]:.0f}",
            f"{ratios[1]:.0f}",
        ]
    ]
    headings = ["what", "one pass, processor ms", "loop, processor ms", "ratio", "wall ratio"]
    return (
        f"best of {rounds} rounds, Python {platform.python_version()}, numpy {np.__version__}, "
        f"{platform.system()} {platform.machine()}\n\n"
        + tabulate(rows_shown, headings, tablefmt="github", disable_numparse=True)
    )


def _best(all_: list[Measured]) -> tuple[float, float]:
    return min(one.processor for one in all_), min(one.wall for one in all_)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--candidates", type=int, default=1_000_000, help="how many are scored (default: 1000000)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="measured rounds (default: 3)")
    given = parser.parse_args()
    if given.candidates < 1 or given.rounds < 1:
        parser.error("--candidates and --rounds take a whole number of at least 1")
    print(compare(given.candidates, given.rounds))


if __name__ == "__main__":
    main()
