"""Opening a recording: verified by hash, then read case by case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from harness.errors import InputError, listed, nearest
from harness.model import KINDS, LOOKUP, MEMORY, Case
from harness.storage.manifest import Manifest, read_manifest, verify_files
from harness.storage.parquet import TableFile, read_table

from . import lookup_tables, schema
from .invariants import check_tables
from .rows import Row, gold_of, item_of, query_of
from .store import RecordStore


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
        if kind not in KINDS:
            raise InputError(
                f"{folder}: the manifest has cases of kind {kind!r}, expected {listed(KINDS)}",
                "Rebuild the recording.",
            )
        missing = [name for name in schema.tables_of(kind) if name not in manifest.files]
        if missing:
            raise InputError(f"{folder}: the manifest does not name {missing[0]}", "Rebuild it.")
        if verify:
            verify_files(folder, manifest)
            check_tables(folder, manifest.content, kind)
        return cls(folder, manifest)

    @property
    def sha256(self) -> str:
        """Hash of everything it holds."""
        return self.manifest.content_sha256

    @property
    def kind(self) -> str:
        """Kind of its cases: `memory`, or `lookup` for recorded first lookups."""
        return str(self.manifest.content.get("kind", MEMORY))

    @cached_property
    def case_ids(self) -> tuple[str, ...]:
        """All case ids, in order."""
        column = read_table(self.folder / schema.QUERIES, columns=["case_id"]).column(0)
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
        """Return the place of a case; raises `InputError` with the nearest id."""
        try:
            return self.case_ids.index(case_id)
        except ValueError:
            raise InputError(
                f"{self.folder} has no case {case_id!r}{nearest(case_id, self.case_ids)}"
            ) from None

    def queries(self, numbers: Iterable[int]) -> Iterator[tuple[int, Row]]:
        """Place, case id, category, text, date and number of items of the given cases."""
        columns = ["case_id", "category", "text", "date"]
        rows = read_table(self.folder / schema.QUERIES, columns=columns).to_pylist()
        windows = read_table(self.folder / schema.WINDOWS, columns=["case"]).column(0)
        items = np.bincount(windows.to_numpy(), minlength=len(rows)).tolist()
        for number in numbers:
            yield number, {**rows[number], "items": items[number]}

    def cases(self, numbers: Iterable[int] | None = None) -> Iterator[Case]:
        """Yield the cases of the given places, in order (all by default), one at a time."""
        wanted = range(len(self.case_ids)) if numbers is None else sorted(set(numbers))
        groups: dict[int, list[int]] = {}
        for number in wanted:
            groups.setdefault(number // schema.CASES_PER_GROUP, []).append(number)
        lookups, store = self.kind == LOOKUP, self._store
        names = (*_PER_CASE, *_PER_LOOKUP) if lookups else _PER_CASE
        files = {name: TableFile(self.folder / name) for name in names}
        for group, members in groups.items():
            rows = {name: _rows_by_case(file, group) for name, file in files.items()}
            for number in members:
                own = {name: by_case.get(number, []) for name, by_case in rows.items()}
                case = _case(own, store)
                yield _with_lookup(case, own, store) if lookups else case


_PER_CASE = (schema.QUERIES, schema.CASE_RECORDS, schema.WINDOWS, schema.GOLD)
_PER_LOOKUP = (lookup_tables.LOOKUPS, lookup_tables.LOOKUP_GOLD)


def _rows_by_case(file: TableFile, group: int) -> dict[int, list[Row]]:
    by_case: dict[int, list[Row]] = {}
    for row in file.read_row_group(group).to_pylist():
        by_case.setdefault(row["case"], []).append(row)
    return by_case


def _case(rows: dict[str, list[Row]], store: RecordStore) -> Case:
    query = rows[schema.QUERIES][0]
    records = tuple(
        replace(
            store.record(row["record"]), record_id=row["record_id"], session_id=row["session_id"]
        )
        for row in rows[schema.CASE_RECORDS]
    )
    gold = rows[schema.GOLD]
    return Case(
        case_id=query["case_id"],
        query=query_of(query),
        records=records,
        items=tuple(item_of(row, records) for row in rows[schema.WINDOWS]),
        category=query["category"],
        gold=gold_of(gold[0]) if gold else None,
    )


def _with_lookup(case: Case, rows: dict[str, list[Row]], store: RecordStore) -> Case:
    documents = tuple(store.document(row["record"]) for row in rows[schema.CASE_RECORDS])
    gold = rows[lookup_tables.LOOKUP_GOLD]
    return replace(
        case,
        lookup=lookup_tables.lookup_of(rows[lookup_tables.LOOKUPS][0], documents),
        lookup_gold=lookup_tables.lookup_gold_of(gold[0]) if gold else None,
    )
