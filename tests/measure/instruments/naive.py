"""What a run quoted, character by character, straight from its tables; nothing of ours is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from harness.model import Case, EvidenceSpan

Rows = list[dict[str, Any]]


def rows_of(folder: Path, table: str) -> Rows:
    """The rows of a table of a run, names as text."""
    found: Rows = []
    for path in sorted((folder / table).glob("*.parquet")):
        found += pq.read_table(path).to_pylist()
    return found


def computed_as(folder: Path) -> Mapping[str, str]:
    return {row["point"]: row["computed_as"] for row in rows_of(folder, "points")}


def quoted_characters(folder: Path, point: str) -> dict[tuple[str, str], set[int]]:
    """The quoted code points of every case and record."""
    name = computed_as(folder)[point]
    found: dict[tuple[str, str], set[int]] = {}
    for row in rows_of(folder, "quotes"):
        if row["point"] == name:
            key = (row["case_id"], row["record_id"])
            found.setdefault(key, set()).update(range(row["start"], row["end"]))
    return {key: characters for key, characters in found.items() if characters}


def turns_of(cases: Mapping[str, Case]) -> Iterator[tuple[Case, EvidenceSpan]]:
    """Every labelled turn with its case."""
    for case in cases.values():
        for turn in case.gold.evidence if case.gold else ():
            yield case, turn
