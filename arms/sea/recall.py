"""From the hits of a search to evidence and a prompt, as the original recalls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .metadata import parse_metadata
from .plan import QueryTask, infer_plan
from .prompt import render_prompt
from .scoring import Evidence, signals_of
from .selection import Candidate, select
from .single import Floats
from .snippet import estimate_tokens, snippet
from .vocabulary import INFERRED
from .weights import DEFAULT_WEIGHTS, score_for_plan

LARGEST_LIMIT = 100
CANDIDATES_PER_RECORD = 4
MAX_TOKENS = 1_024
PER_CLUSTER_LIMIT = 4
DEFAULT_LIMIT = 5

KEY_PREFIX = "completion:"

Hit = tuple[str, float]
"""An id and its cosine."""


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceItem:
    """A selected record. `signals`: float32 (8,), in the published order."""

    id: str
    profile: str
    kind: str
    authority: str
    score: np.float32
    snippet: str
    signals: Floats


@dataclass(frozen=True, slots=True)
class RecalledRecords:
    """The selected records in the order of selection, all that `prompt` holds among them."""

    items: tuple[EvidenceItem, ...]
    prompt: str


def limits(store_vectors: int, requested: int) -> tuple[int, int]:
    """Return how many records may be selected, and how many hits are candidates."""
    evidence = min(requested, LARGEST_LIMIT)
    return evidence, min(store_vectors, CANDIDATES_PER_RECORD * evidence, LARGEST_LIMIT)


def recall(
    query: str,
    hits: Iterable[Hit],
    metadata: Mapping[str, str],
    blocks: Iterable[tuple[str, int]],
    *,
    limit: int = DEFAULT_LIMIT,
    store_vectors: int,
    task: str | None = None,
    exact_recall: bool | None = None,
    max_prompt_bytes: int = 4096,
) -> RecalledRecords:
    """Return evidence for `query` among `hits`, best first.

    `metadata` has raw records by the store's key, `completion:<id>`, or by id alone; a hit without
    one is skipped. `blocks` are ids with times in milliseconds: a record without a time of its own
    has its newest block's, and all blocks count towards the latest time. `store_vectors` bounds the
    candidates (`limits`). `task` and `exact_recall` replace what the query's plan has. The prompt
    is the query where there is no evidence. Raises `ValueError` for an unknown task.
    """
    most, pool = limits(store_vectors, limit)
    inferred = infer_plan(query)
    plan = QueryTask(
        inferred.task if task is None else task,
        inferred.exact_recall if exact_recall is None else exact_recall,
    )
    first_hits = _distinct_with_metadata(list(hits)[:pool], metadata) if query else []
    if not first_hits:
        return RecalledRecords((), query)
    times_of_blocks = list(blocks)
    evidence = _evidence(first_hits, times_of_blocks)
    latest = max(
        [time for _, time in times_of_blocks]
        + [time for time in evidence.times_ms if time is not None],
        default=None,
    )
    signals = signals_of(query, plan.task, evidence, latest)
    scores = score_for_plan(signals, DEFAULT_WEIGHTS, plan)
    identifiers = [identifier for identifier, _, _ in first_hits]
    items = _selected(identifiers, evidence, signals, scores, most)
    return RecalledRecords(items, render_prompt(query, items, max_prompt_bytes))


_FirstHit = tuple[str, float, str]
"""Id, cosine, raw record."""


def _distinct_with_metadata(hits: Iterable[Hit], metadata: Mapping[str, str]) -> list[_FirstHit]:
    """Return the first hit of each id that has metadata."""
    first_hits: dict[str, _FirstHit] = {}
    for identifier, cosine in hits:
        raw = metadata.get(KEY_PREFIX + identifier, metadata.get(identifier))
        if raw is not None:
            first_hits.setdefault(identifier, (identifier, cosine, raw))
    return list(first_hits.values())


def _evidence(first_hits: Sequence[_FirstHit], blocks: Iterable[tuple[str, int]]) -> Evidence:
    newest: dict[str, int] = {}
    for identifier, time in blocks:
        newest[identifier] = max(time, newest.get(identifier, time))
    records = [parse_metadata(raw) for _, _, raw in first_hits]
    times = [
        newest.get(identifier) if record.timestamp_ms is None else record.timestamp_ms
        for (identifier, _, _), record in zip(first_hits, records, strict=True)
    ]
    cosines = np.array([cosine for _, cosine, _ in first_hits], np.float32)
    return Evidence(records, cosines, times, [INFERRED] * len(records))


def _selected(
    ids: Sequence[str], evidence: Evidence, signals: Floats, scores: Floats, most: int
) -> tuple[EvidenceItem, ...]:
    snippets = [snippet(record) for record in evidence.records]
    candidates = [
        Candidate(identifier, record.cluster, estimate_tokens(text), score)
        for identifier, record, text, score in zip(
            ids, evidence.records, snippets, scores, strict=True
        )
    ]
    choice = select(
        candidates, max_tokens=MAX_TOKENS, max_records=most, per_cluster_limit=PER_CLUSTER_LIMIT
    )
    places = [step.place for step in choice.walk if step.selected]
    return tuple(
        EvidenceItem(
            id=ids[place],
            profile=evidence.records[place].profile,
            kind=evidence.records[place].kind,
            authority=evidence.authorities[place],
            score=scores[place],
            snippet=snippets[place],
            signals=signals[place],
        )
        for place in places
    )
