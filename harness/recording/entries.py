"""What a recording is built of: cases, their records, and what records hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from harness.model import Document, Gold, Item, Json, Lookup, LookupGold, Query

from . import lookup_tables

BlockKey = tuple[str, int]
"""A block's text and the number of its vector (`NO_VECTOR`, or as `vectors_of` knows it)."""


@dataclass(frozen=True, slots=True)
class RecordBody:
    """What a record holds apart from its ids.

    `block_ends`: where each block ends, in order; None without a current block set. `block_keys`:
    as many keys. `document`: the document that it is, in a recording of lookups.
    """

    text: str
    timestamp: str | None
    metadata: Mapping[str, Json]
    block_ends: tuple[int, ...] | None
    block_keys: tuple[BlockKey, ...] = ()
    document: Document | None = None

    def digest(self) -> bytes:
        vectors = tuple(vector for _, vector in self.block_keys)
        document = None
        if self.document is not None:
            document = lookup_tables.document_row(0, self.document)
        parts = (
            self.text,
            self.timestamp,
            metadata_json(self.metadata),
            self.block_ends,
            vectors,
            document,
        )
        return hashlib.sha256(repr(parts).encode("utf-8")).digest()


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """A record of a case: its ids there, and the body's number."""

    record_id: str
    session_id: str | None
    body: int


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """A case without the bodies of its records."""

    case_id: str
    category: str | None
    query: Query
    records: tuple[CaseRecord, ...]
    items: tuple[Item, ...]
    gold: Gold | None
    lookup: Lookup | None = None
    lookup_gold: LookupGold | None = None


def metadata_json(value: Mapping[str, Json]) -> str:
    """Metadata as a recording stores it."""
    return json.dumps(dict(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
