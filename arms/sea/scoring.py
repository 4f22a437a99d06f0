"""All eight signals of many records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .metadata import Metadata
from .signals import (
    authority_signals,
    contradiction_signals,
    graph_signals,
    keyword_signals,
    metadata_signals,
    recency_signals,
    semantic_signal,
    task_fits,
)
from .single import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Records with what else is known of them; n of each.

    `cosines`: float32 (n,), NaN where there is none. `times_ms`: None where there is none.
    """

    records: Sequence[Metadata]
    cosines: Floats
    times_ms: Sequence[int | None]
    authorities: Sequence[str]


def signals_of(query: str, task: str, evidence: Evidence, latest_ms: int | None) -> Floats:
    """Return float32 (n, 8), in the published order."""
    records = evidence.records
    columns = (
        semantic_signal(evidence.cosines),
        keyword_signals(query, [record.raw for record in records]),
        metadata_signals(records, query),
        recency_signals(evidence.times_ms, latest_ms),
        authority_signals(evidence.authorities),
        graph_signals(records),
        contradiction_signals(records),
        task_fits(task, records),
    )
    return np.stack(columns, axis=1)
