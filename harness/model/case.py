"""A case: one question with the window that the recall returned for it, and its labels.

These are the harness's own values, ids and labels included. A policy never sees them: it is given
the `CaseView` of `harness.model.view`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .json_value import Json
from .lookup import Lookup
from .lookup_labels import LookupGold

MEMORY = "memory"
LOOKUP = "lookup"
KINDS = (MEMORY, LOOKUP)
"""The kinds of case."""


@dataclass(frozen=True, slots=True, eq=False)
class BlockSet:
    """The current block set of one record, in text order; together the blocks cover the text.

    `starts`, `ends`: int32 of shape (n,), code points, end exclusive.
    `vectors`: int8 of shape (n, d), or None when no block has one; the row of a block in `missing`
    is zero and means nothing.
    """

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    vectors: NDArray[np.int8] | None
    missing: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def complete_vectors(self) -> NDArray[np.int8] | None:
        """Vectors if every block has one, else None (the all-or-nothing rule)."""
        return None if self.missing else self.vectors


@dataclass(frozen=True, slots=True)
class Query:
    """A question: its text, its date (ISO 8601) and its float32 vector of shape (d,)."""

    text: str
    date: str | None = None
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """Stored text. `blocks` is None when the record has no current block set."""

    record_id: str
    text: str
    timestamp: str | None = None
    session_id: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    blocks: BlockSet | None = None


@dataclass(frozen=True, slots=True)
class RecallPlace:
    """Where the recall had an item: `rank` from 0 (best first), `score` higher is better."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Item:
    """One place of a window. `claims` are its other records, most relevant first."""

    head: str
    claims: tuple[str, ...] = ()
    reserved: bool = False
    recall: RecallPlace | None = None


@dataclass(frozen=True, slots=True)
class EvidenceSpan:
    """A labelled turn: code points `start` to `end` (exclusive) of a record, and who spoke it."""

    record_id: str
    start: int
    end: int
    role: str


@dataclass(frozen=True, slots=True)
class Gold:
    """The labels of a case. `answer` is None where it is not known. `evidence` may name records
    outside the window."""

    answer: str | int | None = None
    abstention: bool = False
    sessions: tuple[str, ...] = ()
    evidence: tuple[EvidenceSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One question, the records of its window, the window in recall order, and its labels.

    A case with a `lookup` is a recorded first lookup: its records are the lookup's documents, in
    that order, and its items the documents that rows name. `gold` then follows from `lookup_gold`.
    """

    case_id: str
    query: Query
    records: tuple[Record, ...] = ()
    items: tuple[Item, ...] = ()
    category: str | None = None
    gold: Gold | None = None
    lookup: Lookup | None = None
    lookup_gold: LookupGold | None = None

    @property
    def kind(self) -> str:
        """`LOOKUP` for a recorded first lookup, else `MEMORY`."""
        return MEMORY if self.lookup is None else LOOKUP
