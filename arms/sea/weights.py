"""The weights of the eight signals, and the score that they make."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from .single import Floats, clamp, midpoint
from .vocabulary import KEYWORD, SEMANTIC, SIGNALS, TASKS, place_of

DEFAULT_WEIGHTS: Floats = np.array([0.30, 0.15, 0.15, 0.10, 0.10, 0.10, 0.05, 0.05], np.float32)
"""float32 (8,), in the order of `SIGNALS`; their sum is 1."""
DEFAULT_WEIGHTS.setflags(write=False)

_DELTAS = {
    "code_repair": {"metadata": 0.05, "task_fit": 0.05, "recency": 0.05, "semantic": -0.05},
    "project_recall": {"authority": 0.10, "keyword": 0.05, "semantic": -0.10},
    "benchmark_review": {"metadata": 0.05, "task_fit": 0.10, "semantic": -0.05},
}


class ScoringPlan(Protocol):
    """What scoring reads of a plan."""

    @property
    def task(self) -> str: ...

    @property
    def exact_recall(self) -> bool: ...


def adjust_weights(weights: Floats, task: str) -> Floats:
    """Return `weights`, float32 (8,), with what `task` adds; neither renormalised nor kept within
    bounds.

    Raises `ValueError` for an unknown task.
    """
    place_of(task, TASKS, "task")
    adjusted = np.array(weights, np.float32)
    for name, delta in _DELTAS.get(task, {}).items():
        adjusted[SIGNALS.index(name)] += np.float32(delta)
    return adjusted


def score(signals: Floats, weights: Floats) -> Floats:
    """Compute the sum of signal × weight within 0 and 1, added left to right; NaN stays NaN.

    `signals` are float32 (..., 8), and the score has their leading shape: a scalar for eight
    signals, (n,) for n candidates. `weights` are float32 (8,).
    """
    signals = np.asarray(signals, np.float32)
    factors = np.asarray(weights, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        # one term after the other: a dot product may add in another order, or fuse and round once
        total = signals[..., 0] * factors[0]
        for place in range(1, len(SIGNALS)):
            total = total + signals[..., place] * factors[place]
    return clamp(total)


def score_for_plan(signals: Floats, weights: Floats, plan: ScoringPlan) -> Floats:
    """Compute the score under `plan`, of the shape that `score` gives.

    `weights` are *base* weights: they are adjusted for the plan's task here. With
    `plan.exact_recall` the score is the midpoint of that and of a lexical score, itself the
    midpoint of the semantic and the keyword signal.
    """
    signals = np.asarray(signals, np.float32)
    weighted = score(signals, adjust_weights(weights, plan.task))
    if not plan.exact_recall:
        return weighted
    lexical = midpoint(signals[..., SEMANTIC], signals[..., KEYWORD])
    return clamp(midpoint(weighted, lexical))
