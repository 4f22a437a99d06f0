"""Scored candidates as rows: one for each, in the order in which the policy walked over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from harness.model import CandidateTrace


def candidate_rows(trace: CandidateTrace) -> Iterator[dict[str, Any]]:
    """A row for each candidate; an absent signal is null."""
    weights = trace.weights.tolist()
    for place in range(len(trace)):
        signals = trace.signals[place]
        yield {
            "place": place,
            "item": int(trace.item[place]),
            "score": float(trace.score[place]),
            "selected": bool(trace.selected[place]),
            "rendered": bool(trace.rendered[place]),
            "cost": int(trace.cost[place]),
            "cluster": int(trace.cluster[place]),
            "reasons": list(trace.reasons[place]),
            "signal_names": list(trace.signal_names),
            "signals": [None if np.isnan(value) else float(value) for value in signals],
            "weights": weights,
            "plan": trace.plan,
            "exact": trace.exact,
            "summary": trace.summary,
        }
