"""Opening a recording: verified by hash, then read case by case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from harness.errors import InputError, nearest
from harness.model import LOOKUP, MEMORY, Case, EvidenceSpan, Gold, Item, Query, RecallPlace, Record
from harness.storage.manifest import Manifest, read_manifest, verify_files

from . import lookup_tables, schema
from .store import RecordStore, StoredRecord

_Row = dict[str, Any]


@dataclass(frozen=True)
class Recording:
    """A frozen folder of cases."""

    folder: Path
    manifest: Manifest

    @classmethod
    def open(cls, folder: Path, *, verify: bool = True) -> Recording:
        """Open the recording in `folder`; raises `InputError` if a file is not as recorded.

        `verify=False` is for the further processes of a command that has verified it already.
        """
        manifest = read_manifest(folder, schema.RECORDING_SCHEMA)
        kind = str(manifest.content.get("kind", MEMORY))
        missing = [name for name in schema.tables_of(kind) if name not in manifest.files]
        if missing:
            raise InputError(f"{folder}: the manifest does not name {missing[0]}", "Make it anew.")
        if verify:
            verify_files(folder, manifest)
        return cls(folder, manifest)

    @property
    def sha256(self) -> str:
        """The hash of everything it holds."""
        return self.manifest.content_sha256

    @property
    def kind(self) -> str:
        """The kind of its cases: `memory`, or `lookup` for recorded first lookups."""
        return str(self.manifest.content.get("kind", MEMORY))

    @cached_property
    def case_ids(self) -> tuple[str, ...]:
        """All case ids, in order."""
        column = pq.read_table(self.folder / schema.QUERIES, columns=["case_id"]).column(0)
        return tuple(column.to_pylist())

    @cached_property
    def _store(self) -> RecordStore:
        """Kept from one reading of cases to the next: a replay reads a few at a time, and lookups
        far apart name the same documents."""
        content = self.manifest.content
        return RecordStore(
            self.folder,
            content["dimension"],
            content["counts"]["shared_blocks"],
            documents=self.kind == LOOKUP,
        )

    def number_of(self, case_id: str) -> int:
        """The place of a case; raises `InputError` with the nearest id."""
        try:
            return self.case_ids.index(case_id)
        except ValueError:
            raise InputError(
                f"{self.folder} has no case {case_id!r}{nearest(case_id, self.case_ids)}"
            ) from None

    def queries(self, numbers: Iterable[int]) -> Iterator[tuple[int, _Row]]:
        """Place, case id, category, text, date and number of items of the given cases."""
        columns = ["case_id", "category", "text", "date"]
        rows = pq.read_table(self.folder / schema.QUERIES, columns=columns).to_pylist()
        windows = pq.read_table(self.folder / schema.WINDOWS, columns=["case"]).column(0)
        items = np.bincount(windows.to_numpy(), minlength=len(rows)).tolist()
        for number in numbers:
            yield number, {**rows[number], "items": items[number]}

    def cases(self, numbers: Iterable[int] | None = None) -> Iterator[Case]:
        """The cases of the given places, in order (all by default), one at a time."""
        wanted = range(len(self.case_ids)) if numbers is None else sorted(set(numbers))
        groups: dict[int, list[int]] = {}
        for number in wanted:
            groups.setdefault(number // schema.CASES_PER_GROUP, []).append(number)
        lookups, store = self.kind == LOOKUP, self._store
        names = (*_PER_CASE, *_PER_LOOKUP) if lookups else _PER_CASE
        files = {name: pq.ParquetFile(self.folder / name) for name in names}
        for group, members in groups.items():
            rows = {name: _rows_by_case(file, group) for name, file in files.items()}
            for number in members:
                own = {name: by_case.get(number, []) for name, by_case in rows.items()}
                case = _case(own, store)
                yield _with_lookup(case, own, store) if lookups else case


_PER_CASE = (schema.QUERIES, schema.CASE_RECORDS, schema.WINDOWS, schema.GOLD)
_PER_LOOKUP = (lookup_tables.LOOKUPS, lookup_tables.LOOKUP_GOLD)


def _rows_by_case(file: pq.ParquetFile, group: int) -> dict[int, list[_Row]]:
    by_case: dict[int, list[_Row]] = {}
    for row in file.read_row_group(group).to_pylist():
        by_case.setdefault(row["case"], []).append(row)
    return by_case


def _case(rows: dict[str, list[_Row]], store: RecordStore) -> Case:
    query = rows[schema.QUERIES][0]
    records = tuple(_record(row, store.record(row["record"])) for row in rows[schema.CASE_RECORDS])
    gold = rows[schema.GOLD]
    vector = query["vector"]
    return Case(
        case_id=query["case_id"],
        query=Query(
            query["text"],
            query["date"],
            None if vector is None else np.array(vector, dtype=np.float32),
        ),
        records=records,
        items=tuple(_item(row, records) for row in rows[schema.WINDOWS]),
        category=query["category"],
        gold=_gold(gold[0]) if gold else None,
    )


def _with_lookup(case: Case, rows: dict[str, list[_Row]], store: RecordStore) -> Case:
    numbers = [row["record"] for row in rows[schema.CASE_RECORDS]]
    documents = [store.record(number).document for number in numbers]
    present = tuple(document for document in documents if document is not None)
    gold = rows[lookup_tables.LOOKUP_GOLD]
    return replace(
        case,
        lookup=lookup_tables.lookup_of(rows[lookup_tables.LOOKUPS][0], present),
        lookup_gold=lookup_tables.lookup_gold_of(gold[0]) if gold else None,
    )


def _record(row: _Row, stored: StoredRecord) -> Record:
    return Record(
        row["record_id"],
        stored.text,
        stored.timestamp,
        row["session_id"],
        stored.metadata,
        stored.blocks,
    )


def _item(row: _Row, records: tuple[Record, ...]) -> Item:
    rank = row["recall_rank"]
    return Item(
        head=records[row["head"]].record_id,
        claims=tuple(records[claim].record_id for claim in row["claims"]),
        reserved=row["reserved"],
        recall=None if rank is None else RecallPlace(rank, row["recall_score"]),
    )


def _gold(row: _Row) -> Gold:
    answer = int(row["answer"]) if row["answer_is_integer"] else row["answer"]
    evidence = tuple(
        EvidenceSpan(span["record_id"], span["start"], span["end"], span["role"])
        for span in row["evidence"]
    )
    return Gold(answer, row["abstention"], tuple(row["sessions"]), evidence)
