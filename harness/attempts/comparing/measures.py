"""What is compared: ratios of sums over attempts, each with a paired interval over tasks.

A measure is sum(numerator) / sum(denominator) over all attempts of an arm; its difference is that
of AFTER minus that of BEFORE. Tokens per correct answer have the number of correct answers below
the line, which differs between the arms; all others have the number of attempts, and the dimensions
of a score the number of attempts that recorded them.

The interval is the percentile bootstrap of `harness.statistics.paired_bootstrap` with a fixed seed.
Tasks are resampled, not attempts: a draw of a task takes all of its repeats in both arms, so
repeats count as what they are, the same task again. Tasks are sorted by id. Where some resample has
no correct answer in an arm, the tokens per correct answer of it are not defined, and there is no
interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.attempts.scoring.attempts import Attempt
from harness.statistics.paired_bootstrap import (
    DEFAULT_LEVEL,
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Ratios,
    paired_bootstrap,
)

from .summary import DIMENSIONS, correct_of

TOKENS_PER_CORRECT = "tokens_per_correct_answer"
_Number = Callable[[Attempt], float]


@dataclass(frozen=True, slots=True)
class Measure:
    """A ratio of sums. `is_share`: a fraction of attempts."""

    name: str
    numerator: _Number
    denominator: _Number = lambda attempt: 1
    is_share: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """A measure in both arms; None where its denominator is 0.

    `before_total`, `after_total`: the sums above the line. `lower` and `upper` are None where there
    is no interval.
    """

    measure: str
    is_share: bool
    before_total: float
    after_total: float
    before: float | None
    after: float | None
    difference: float | None
    lower: float | None
    upper: float | None
    undefined_resamples: int


@dataclass(frozen=True, slots=True)
class Resampling:
    """How the intervals were drawn."""

    tasks: int
    level: float = DEFAULT_LEVEL
    resamples: int = DEFAULT_RESAMPLES
    seed: int = DEFAULT_SEED


def _dimension(name: str) -> Measure:
    """Return the share of the attempts whose dimensions were recorded."""
    holds = DIMENSIONS[name]
    return Measure(
        name,
        lambda attempt: float(
            _recorded(attempt) and attempt.score is not None and holds(attempt.score)
        ),
        lambda attempt: float(_recorded(attempt)),
        is_share=True,
    )


def _recorded(attempt: Attempt) -> bool:
    return attempt.score is not None and attempt.score.dimensions_recorded


MEASURES: tuple[Measure, ...] = (
    Measure(
        TOKENS_PER_CORRECT,
        lambda attempt: attempt.trace.usage.total,
        lambda attempt: float(correct_of(attempt)),
    ),
    Measure("correct", lambda attempt: float(correct_of(attempt)), is_share=True),
    *map(_dimension, DIMENSIONS),
    Measure("known_total_tokens", lambda attempt: attempt.trace.usage.total),
    Measure("tool_result_tokens", lambda attempt: attempt.tool_result_tokens or 0),
    Measure("model_turns", lambda attempt: attempt.trace.turns),
    Measure("tool_calls", lambda attempt: len(attempt.trace.calls)),
    Measure("protocol_requests", lambda attempt: attempt.protocol_requests or 0),
    Measure("failures", lambda attempt: attempt.failed_calls),
)


def compared(
    before: Sequence[Attempt], after: Sequence[Attempt]
) -> tuple[tuple[Compared, ...], Resampling]:
    """Return every measure of two cohorts of the same tasks and repeats."""
    tasks = sorted({attempt.task for attempt in before})
    left, right = (_by_task(attempts, tasks) for attempts in (after, before))
    intervals = paired_bootstrap(left, right, seed=DEFAULT_SEED)
    rows = []
    for place, measure in enumerate(MEASURES):
        totals = [float(side.numerator[:, place].sum()) for side in (right, left)]
        units = [float(side.denominator[:, place].sum()) for side in (right, left)]
        between = intervals.at(place, len(tasks))
        rows.append(
            Compared(
                measure=measure.name,
                is_share=measure.is_share,
                before_total=totals[0],
                after_total=totals[1],
                before=totals[0] / units[0] if units[0] else None,
                after=totals[1] / units[1] if units[1] else None,
                difference=between.difference,
                lower=between.lower,
                upper=between.upper,
                undefined_resamples=int(intervals.undefined_resamples[place]),
            )
        )
    return tuple(rows), Resampling(len(tasks))


def _by_task(attempts: Sequence[Attempt], tasks: Sequence[str]) -> Ratios:
    """Sum over the repeats of each task: a row per task, a column per measure."""
    place = {task: index for index, task in enumerate(tasks)}
    above, below = (np.zeros((len(tasks), len(MEASURES))) for _ in range(2))
    for attempt in attempts:
        row = place[attempt.task]
        above[row] += [measure.numerator(attempt) for measure in MEASURES]
        below[row] += [measure.denominator(attempt) for measure in MEASURES]
    return Ratios(above, below)
