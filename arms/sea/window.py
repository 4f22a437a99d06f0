"""The window of a case as candidates: their records, signals and scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from harness.model import BlockSet, CaseView, RecordView

from ..quoting.memory import once_per_case
from ..quoting.ranking import cosines
from .plan import QueryTask, infer_plan, plan_for
from .record import SelectorRecord, selector_record
from .scoring import Evidence, signals_of
from .single import Floats
from .vocabulary import (
    AUTHORITY,
    CONTRADICTION,
    GRAPH,
    INFERRED,
    METADATA,
    RECENCY,
    SEMANTIC,
    SIGNALS,
    TASK_FIT,
)
from .weights import DEFAULT_WEIGHTS, adjust_weights, score_for_plan

INFER = "infer"
TRUSTED = "trusted"

OF_METADATA = (METADATA, AUTHORITY, GRAPH, CONTRADICTION, TASK_FIT)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The n items of a window as candidates, in window order.

    `signals`: float32 (n, 8), NaN in the columns of the places `absent`, which the score leaves
    out. `weights`: float32 (8,), as adjusted for the plan's task. `scores`: float32 (n,).
    """

    records: tuple[SelectorRecord, ...]
    ids: tuple[str, ...]
    authorities: tuple[str, ...]
    plan: QueryTask
    weights: Floats
    signals: Floats
    scores: Floats
    absent: tuple[int, ...]

    @property
    def absent_names(self) -> tuple[str, ...]:
        return tuple(SIGNALS[place] for place in self.absent)


@once_per_case
def scored_window(case: CaseView, task: str, authority: str) -> Scored:
    """Compute the items of `case` scored for `task` (or the inferred one), authority claimed or
    not."""
    window = _window(case)
    plan = infer_plan(case.query.text) if task == INFER else plan_for(task)
    authorities = tuple(
        record.metadata.claimed_authority if authority == TRUSTED else INFERRED
        for record in window.records
    )
    evidence = Evidence(
        [record.metadata for record in window.records],
        window.cosines,
        window.times_ms,
        authorities,
    )
    latest = max((time for time in window.times_ms if time is not None), default=None)
    signals = signals_of(case.query.text, plan.task, evidence, latest)
    signals[:, window.absent] = 0
    scores = score_for_plan(signals, DEFAULT_WEIGHTS, plan)
    signals[:, window.absent] = np.nan
    weights = adjust_weights(DEFAULT_WEIGHTS, plan.task)
    return Scored(
        window.records, window.ids, authorities, plan, weights, signals, scores, window.absent
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Window:
    """What does not depend on any setting."""

    records: tuple[SelectorRecord, ...]
    ids: tuple[str, ...]
    cosines: Floats
    times_ms: tuple[int | None, ...]
    absent: tuple[int, ...]


@once_per_case
def _window(case: CaseView) -> _Window:
    heads = [case.records[item.head] for item in case.items]
    records = tuple(selector_record(head) for head in heads)
    best = [_best_cosine(head.blocks, case.query.vector) for head in heads]
    times = tuple(
        record.metadata.timestamp_ms if record.metadata.timestamp_ms is not None else _time(head)
        for record, head in zip(records, heads, strict=True)
    )
    return _Window(
        records, _ids(case), np.array(best, np.float32), times, _absent(heads, best, times)
    )


def _ids(case: CaseView) -> tuple[str, ...]:
    """Return the place of each item, from 1; a record that is hit again has its first place."""
    first: dict[int, int] = {}
    return tuple(
        str(first.setdefault(item.head, place)) for place, item in enumerate(case.items, start=1)
    )


def _absent(
    heads: Sequence[RecordView], best: Sequence[float], times: Sequence[int | None]
) -> tuple[int, ...]:
    """Return the places of the signals that no candidate can supply, ascending."""
    absent: set[int] = set()
    if np.isnan(best).all():
        absent.add(SEMANTIC)
    if all(time is None for time in times):
        absent.add(RECENCY)
    if not any(head.metadata for head in heads):
        absent.update(OF_METADATA)
    return tuple(sorted(absent))


def _best_cosine(blocks: BlockSet | None, query: NDArray[np.float32] | None) -> float:
    """Compute the highest cosine among the blocks that have a vector; NaN if none has."""
    if blocks is None or blocks.vectors is None:
        return float("nan")
    if blocks.missing:
        held = [place for place in range(len(blocks)) if place not in blocks.missing]
        blocks = BlockSet(blocks.starts[held], blocks.ends[held], blocks.vectors[held])
    values = cosines(blocks, query)
    return float(values.max()) if values is not None and len(values) else float("nan")


def _time(record: RecordView) -> int | None:
    """Return the record's timestamp in milliseconds since 1970, as UTC where it has no zone."""
    if record.timestamp is None:
        return None
    try:
        time = datetime.fromisoformat(record.timestamp)
    except ValueError:
        return None
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MILLISECOND
