"""The eight signals, each for many candidates at once and for one.

What is computed for one is a row of what is computed for many.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from .metadata import Metadata, parsed
from .single import Floats, clamp
from .vocabulary import AUTHORITIES, KINDS, TASKS, place_of

HALF_LIFE_MS = 2_592_000_000
"""The age, 30 days, at which recency is one half."""

_SMALLEST_TOKEN = 3
_SEPARATORS = re.compile(rb"""[ \t\n\r.,;:!?"'()\[\]{}<>/\\]+""")
_LARGEST_SIGNED = np.uint64(2**63 - 1)

_PROMOTED_KINDS = ("constraint", "project_decision")
_CONTRADICTION = "contradiction"

_TASK_FIT: dict[str, tuple[dict[str, float], float]] = {
    "general": ({}, 0.50),
    "implementation_design": (
        {"project_decision": 1.0, "code_fact": 1.0, "constraint": 1.0, "summary": 0.70},
        0.25,
    ),
    "code_repair": (
        {
            "code_fact": 1.0,
            "tool_output": 1.0,
            "constraint": 1.0,
            "contradiction": 0.80,
            "summary": 0.70,
        },
        0.20,
    ),
    "legal_review": (
        {"constraint": 1.0, "contradiction": 1.0, "summary": 0.80, "project_decision": 0.80},
        0.20,
    ),
    "research_synthesis": (
        {"tool_output": 1.0, "summary": 1.0, "benchmark": 0.80, "code_fact": 0.60},
        0.30,
    ),
    "project_recall": (
        {"project_decision": 1.0, "user_preference": 1.0, "summary": 1.0, "constraint": 0.80},
        0.40,
    ),
    "benchmark_review": (
        {"benchmark": 1.0, "contradiction": 0.80, "summary": 0.80, "tool_output": 0.70},
        0.20,
    ),
}

_FIT_TABLE: Floats = np.array(
    [[fits.get(kind, other) for kind in KINDS] for fits, other in (_TASK_FIT[t] for t in TASKS)],
    np.float32,
)
"""float32 (tasks, kinds)."""


def semantic_signal(cosine: Floats | float) -> Floats:
    """Return (cosine + 1) / 2 with the cosine within -1 and 1; 0 for one that is not finite.

    Of the shape of `cosine`, a scalar for a scalar.
    """
    cosines = np.asarray(cosine, np.float32)
    one, half = np.float32(1), np.float32(0.5)
    within = np.where(cosines < -one, -one, np.where(cosines > one, one, cosines))
    signal: Floats = np.where(np.isfinite(cosines), (within + one) * half, np.float32(0))[()]
    return signal


def keyword_signals(query: str, texts: Sequence[str]) -> Floats:
    """Return, for each text, the share of the query's significant tokens that it holds; float32
    (n,).

    A token is significant from 3 bytes of UTF-8, and counts as often as it is repeated. It may be
    anywhere in the text, without regard to ASCII case. 0 if the query has no such token.
    """
    tokens = Counter(
        token for token in _SEPARATORS.split(_folded(query)) if len(token) >= _SMALLEST_TOKEN
    )
    if not tokens:
        return np.zeros(len(texts), np.float32)
    folded = map(_folded, texts)
    matched = [sum(count for token, count in tokens.items() if token in text) for text in folded]
    shares: Floats = np.array(matched, np.float32) / np.float32(tokens.total())
    return shares


def keyword_signal(query: str, text: str) -> np.float32:
    """Return `keyword_signals` of one text."""
    return np.float32(keyword_signals(query, [text])[0])


def metadata_signals(records: Sequence[Metadata], query: str) -> Floats:
    """Score what the metadata says: 0.25, and more for project, kind and importance; float32 (n,).

    0.40 for a project that the query names, searched for in the query without regard to ASCII case;
    0.20 for a constraint or a project decision; 0.15 × importance. An invalid record has 0.
    """
    folded = _folded(query)
    named = [bool(record.project) and _folded(record.project or "") in folded for record in records]
    promoted = [record.kind in _PROMOTED_KINDS for record in records]
    importance = np.array([record.importance for record in records], np.float32)
    signal = np.full(len(records), 0.25, np.float32)
    signal = np.where(named, signal + np.float32(0.40), signal)
    signal = np.where(promoted, signal + np.float32(0.20), signal)
    signal = clamp(signal + np.float32(0.15) * importance)
    return _where_valid(records, signal)


def metadata_signal(metadata: Metadata | str, query: str) -> np.float32:
    """Return `metadata_signals` of one record, parsed or raw."""
    return np.float32(metadata_signals([parsed(metadata)], query)[0])


def recency_signals(timestamps_ms: Sequence[int | None], latest_ms: int | None) -> Floats:
    """Return 1 / (1 + age / 30 days) of each time; float32 (n,).

    The age is that at `latest_ms`, at least 0, and saturates in signed 64 bits, which the times
    must fit. 0 where a time is absent, or if the latest is.
    """
    count = len(timestamps_ms)
    if latest_ms is None:
        return np.zeros(count, np.float32)
    known = np.array([time is not None for time in timestamps_ms], np.bool_)
    times = np.array([time or 0 for time in timestamps_ms], np.int64)
    latest = np.int64(latest_ms)
    # unsigned, since the difference of two signed 64-bit times may not fit signed 64 bits
    difference = np.full(count, latest).view(np.uint64) - times.view(np.uint64)
    age = np.where(times < latest, np.minimum(difference, _LARGEST_SIGNED), np.uint64(0))
    one = np.float32(1)
    signal = one / (one + age.astype(np.float32) / np.float32(HALF_LIFE_MS))
    recency: Floats = np.where(known, signal, np.float32(0))
    return recency


def recency_signal(timestamp_ms: int | None, latest_ms: int | None) -> np.float32:
    """Return `recency_signals` of one time."""
    return np.float32(recency_signals([timestamp_ms], latest_ms)[0])


def authority_signals(authorities: Sequence[str]) -> Floats:
    """Return the rung of each authority; float32 (n,)."""
    return np.array([AUTHORITIES[authority] for authority in authorities], np.float32)


def graph_signals(records: Sequence[Metadata]) -> Floats:
    """Return a quarter for each flag of `GraphFlag`; float32 (n,). An invalid record has 0."""
    counts = np.array([record.graph_flags.bit_count() for record in records], np.float32)
    return _where_valid(records, np.float32(0.25) * counts)


def graph_signal(metadata: Metadata | str) -> np.float32:
    """Return `graph_signals` of one record, parsed or raw."""
    return np.float32(graph_signals([parsed(metadata)])[0])


def contradiction_signals(records: Sequence[Metadata]) -> Floats:
    """Return 1 for a contradiction, else 0; float32 (n,). Conflicts are promoted, not penalised."""
    return np.array([record.kind == _CONTRADICTION for record in records], np.float32)


def task_fits(task: str, records: Sequence[Metadata]) -> Floats:
    """Return how well each record's kind fits `task`; float32 (n,). `ValueError` for an unknown
    task."""
    clusters = np.array([record.cluster for record in records], np.intp)
    fits: Floats = _FIT_TABLE[place_of(task, TASKS, "task")][clusters]
    return fits


def task_fit(task: str, kind: str) -> np.float32:
    """Return how well `kind` fits `task`; raises `ValueError` where either is unknown."""
    return np.float32(_FIT_TABLE[place_of(task, TASKS, "task"), place_of(kind, KINDS, "kind")])


def _folded(text: str) -> bytes:
    """Return lower-cased bytes, so that only ASCII letters are folded."""
    return text.encode("utf-8", "surrogatepass").lower()


def _where_valid(records: Sequence[Metadata], signal: Floats) -> Floats:
    valid = np.array([record.valid for record in records], np.bool_)
    chosen: Floats = np.where(valid, signal, np.float32(0))
    return chosen
