"""The words that the selector knows: signals, tasks, kinds of record, profiles, authorities."""

from __future__ import annotations

from collections.abc import Sequence

SIGNALS = (
    "semantic",
    "keyword",
    "metadata",
    "recency",
    "authority",
    "graph",
    "contradiction",
    "task_fit",
)
"""In the published order, in which they are summed."""

SEMANTIC, KEYWORD, METADATA, RECENCY, AUTHORITY, GRAPH, CONTRADICTION, TASK_FIT = range(8)

TASKS = (
    "general",
    "implementation_design",
    "code_repair",
    "legal_review",
    "research_synthesis",
    "project_recall",
    "benchmark_review",
)
"""A task's place is its ordinal."""

KINDS = (
    "note",
    "user_preference",
    "project_decision",
    "code_fact",
    "tool_output",
    "benchmark",
    "constraint",
    "contradiction",
    "summary",
)
"""A kind's place is its cluster."""

PROFILES = ("abbey", "aviva", "abi")
UNKNOWN_PROFILE = "unknown"

INFERRED = "inferred"
AUTHORITIES = {
    INFERRED: 0.30,
    "user_stated": 0.78,
    "tool_verified": 0.86,
    "file_verified": 0.90,
    "system_pinned": 1.00,
}
"""The ladder of authorities, with the signal that each gives."""


def place_of(word: str, words: Sequence[str], noun: str) -> int:
    """Return the place of `word` among `words`; raises `ValueError`, which names them."""
    if word not in words:
        raise ValueError(f"no {noun} {word!r}; it is one of {', '.join(words)}")
    return words.index(word)
