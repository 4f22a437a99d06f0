"""What the tables of a recording keep to, checked when it is opened.

Hashes say that the files are those of the manifest; they do not say that whoever wrote both kept to
the format. A window with every row twice gave the figures of a doubled window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.errors import Faults
from harness.model import LOOKUP
from harness.storage.parquet import TableFile, read_schema, read_table
from harness.words import counted

from . import lookup_tables, schema

_SCHEMAS = {
    schema.QUERIES: schema.QUERIES_SCHEMA,
    schema.CASE_RECORDS: schema.CASE_RECORDS_SCHEMA,
    schema.WINDOWS: schema.WINDOWS_SCHEMA,
    schema.GOLD: schema.GOLD_SCHEMA,
    schema.RECORDS: schema.RECORDS_SCHEMA,
    lookup_tables.DOCUMENTS: lookup_tables.DOCUMENTS_SCHEMA,
    lookup_tables.LOOKUPS: lookup_tables.LOOKUPS_SCHEMA,
    lookup_tables.LOOKUP_GOLD: lookup_tables.LOOKUP_GOLD_SCHEMA,
}

Numbers = NDArray[np.int64]


def _rows_grouped(name: str) -> int:
    """Return how many cases, records or blocks a row group holds: a reader finds them by that."""
    if name in (schema.RECORDS, lookup_tables.DOCUMENTS):
        return schema.RECORDS_PER_GROUP
    return schema.BLOCKS_PER_GROUP if name == schema.BLOCKS else schema.CASES_PER_GROUP


def check_tables(folder: Path, content: Mapping[str, Any], kind: str) -> None:
    """Raise one `InputError` with what a recording's tables do not keep to.

    The tables' columns first: where one is missing, the rest cannot be asked.
    """
    hint = "Whatever wrote it did not keep to docs/file-formats.md: rebuild the recording."
    dimension = _dimension(folder, content, hint)
    faults = Faults()
    for name in schema.tables_of(kind):
        for fault in schema_faults(folder / name, _expected(name, dimension)):
            faults.add(fault)
    faults.raise_if_any(str(folder), hint)
    for fault in _invariant_faults(folder, content, kind, dimension):
        faults.add(fault)
    faults.raise_if_any(str(folder), hint)


def schema_faults(path: Path, expected: pa.Schema) -> Iterator[str]:
    """Yield the columns that a table lacks, has too many, or has of another type."""
    table = read_schema(path)
    for field in expected:
        if field.name not in table.names:
            yield f"{path.name} has no column {field.name}"
        elif table.names.count(field.name) > 1:
            yield f"{path.name} has the column {field.name} twice"
        elif (actual := table.field(field.name).type) != field.type:
            yield f"{path.name}: {field.name} is {actual}, expected {field.type}"
        elif table.field(field.name).nullable and not field.nullable:
            yield f"{path.name}: {field.name} may be null, which it is never"
    for name in table.names:
        if name not in expected.names:
            yield f"{path.name} has the column {name}, which no recording or run has"


def _expected(name: str, dimension: int | None) -> pa.Schema:
    return schema.blocks_schema(dimension) if name == schema.BLOCKS else _SCHEMAS[name]


def _dimension(folder: Path, content: Mapping[str, Any], hint: str) -> int | None:
    dimension, counts = content.get("dimension"), content.get("counts")
    wrong = Faults()
    if dimension is not None and not _is_count(dimension, least=1):
        wrong.add(f"content.dimension is {dimension!r}, expected a positive number or null")
    if not isinstance(counts, Mapping):
        wrong.add("content.counts is not an object")
    else:
        for name in ("cases", "items", "records", "blocks", "distinct_blocks", "shared_blocks"):
            if not _is_count(counts.get(name)):
                wrong.add(f"content.counts.{name} is {counts.get(name)!r}, expected a number")
    # the header of a file of cases may say anything of its embedder
    for name in ("dataset", "recall"):
        if not isinstance(content.get(name), Mapping | None):
            wrong.add(f"content.{name} is not an object")
    wrong.raise_if_any(f"{folder}: the manifest", hint)
    return dimension


def _is_count(value: object, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**31


def _invariant_faults(
    folder: Path, content: Mapping[str, Any], kind: str, dimension: int | None
) -> Iterator[str]:
    tables = _Tables(folder, kind)
    yield from tables.faults()
    counts = content["counts"]
    if counts["cases"] != tables.cases:
        yield (
            f"the manifest counts {counted(counts['cases'], 'case')}, the "
            f"tables have {tables.cases:,}"
        )
    if counts["distinct_blocks"] != tables.blocks:
        yield (
            f"the manifest counts {counted(counts['distinct_blocks'], 'distinct block')}, "
            f"blocks.parquet "
            f"has {tables.blocks:,}"
        )
    if counts["shared_blocks"] > tables.blocks:
        yield (
            f"the manifest counts {counted(counts['shared_blocks'], 'shared block')} "
            f"of {tables.blocks:,}"
        )
    yield from _vector_faults(folder, dimension)


class _Tables:
    """The keys of the tables, and what is wrong with them."""

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder = folder
        self._kind = kind
        self._seen: list[str] = []
        self.cases = self._numbered(schema.QUERIES, "case")
        self.records = self._numbered(schema.RECORDS, "record")
        self.blocks = self._numbered(schema.BLOCKS, "block")

    def faults(self) -> Iterator[str]:
        yield from self._seen
        if self._seen:
            return
        yield from self._case_ids()
        sizes = yield from self._places(schema.CASE_RECORDS)
        yield from self._case_records(sizes)
        windows = yield from self._places(schema.WINDOWS)
        if windows is not None and sizes is not None:
            yield from self._windows(sizes)
        yield from self._once_per_case(schema.GOLD, every=False)
        yield from self._record_blocks()
        for name in schema.tables_of(self._kind):
            yield from self._row_groups(name)
        if self._kind == LOOKUP:
            yield from self._once_per_case(lookup_tables.LOOKUPS, every=True)
            yield from self._once_per_case(lookup_tables.LOOKUP_GOLD, every=False)
            if self._numbered(lookup_tables.DOCUMENTS, "record") != self.records:
                yield f"{lookup_tables.DOCUMENTS} does not have one row per record"
            yield from self._seen

    def _column(self, name: str, column: str) -> Numbers:
        values = read_table(self._folder / name, [column]).column(0)
        if values.null_count:
            self._seen.append(f"{name}: {column} is null in {counted(values.null_count, 'row')}")
        return np.asarray(values.fill_null(-1).to_numpy(), dtype=np.int64)

    def _numbered(self, name: str, column: str) -> int:
        """Check that a table is numbered by its rows, from 0; return how many it has."""
        numbers = self._column(name, column)
        wrong = np.flatnonzero(numbers != np.arange(len(numbers)))
        if len(wrong):
            row = int(wrong[0])
            self._seen.append(
                f"{name}: one row per {column}, in order; row {row} has {column} {numbers[row]}"
            )
        return len(numbers)

    def _case_ids(self) -> Iterator[str]:
        ids = read_table(self._folder / schema.QUERIES, ["case_id"]).column(0)
        if ids.null_count:
            yield f"{schema.QUERIES}: case_id is null"
        counts = pc.value_counts(ids).to_pylist()
        twice = [entry["values"] for entry in counts if entry["counts"] > 1]
        if twice:
            yield f"{schema.QUERIES}: one row per case; the case_id {twice[0]!r} stands twice"

    def _places(self, name: str) -> Any:
        """Check one row per case and place, both in order, from 0; return the rows per case."""
        case, place = self._column(name, "case"), self._column(name, "place")
        if len(case) and (case.min() < 0 or case.max() >= self.cases):
            yield f"{name}: case is not that of a query"
            return None
        sizes = np.bincount(case, minlength=self.cases)
        wanted_case = np.repeat(np.arange(self.cases), sizes)
        starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
        wrong = np.flatnonzero((case != wanted_case) | (place != np.arange(len(case)) - starts))
        if len(wrong):
            row = int(wrong[0])
            noun = "item" if name == schema.WINDOWS else "record"
            yield (
                f"{name}: one row per case and {noun}, in order of case and place; row {row} has "
                f"case {case[row]} and place {place[row]}"
            )
            return None
        return sizes

    def _case_records(self, sizes: Numbers | None) -> Iterator[str]:
        table = read_table(self._folder / schema.CASE_RECORDS, ["case", "record_id", "record"])
        record = self._column(schema.CASE_RECORDS, "record")
        if len(record) and (record.min() < 0 or record.max() >= self.records):
            yield f"{schema.CASE_RECORDS}: record is not one of {self.records:,}"
        if sizes is None:
            return
        distinct = table.group_by(["case", "record_id"]).aggregate([]).num_rows
        if distinct != len(table) or table.column("record_id").null_count:
            yield f"{schema.CASE_RECORDS}: one row per case and record; a record_id occurs twice"

    def _windows(self, sizes: Numbers) -> Iterator[str]:
        case, head = (self._column(schema.WINDOWS, name) for name in ("case", "head"))
        if np.any((head < 0) | (head >= sizes[case])):
            yield f"{schema.WINDOWS}: head is not the place of a record of its case"
        # the same head twice is sound: a recall may return a record in two places of a window
        column = read_table(self._folder / schema.WINDOWS, ["claims"]).column(0)
        rows, claims = _flat(column)
        if np.any((claims < 0) | (claims >= sizes[case[rows]])):
            yield f"{schema.WINDOWS}: claims are not places of records of their case"

    def _once_per_case(self, name: str, *, every: bool) -> Iterator[str]:
        case = self._column(name, "case")
        if np.any(np.diff(case) <= 0) or np.any((case < 0) | (case >= self.cases)):
            yield f"{name}: at most one row per case, in order of case"
        elif every and len(case) != self.cases:
            yield (
                f"{name}: one row per case; it has {len(case):,} for {counted(self.cases, 'case')}"
            )

    def _record_blocks(self) -> Iterator[str]:
        table = read_table(self._folder / schema.RECORDS, ["text", "block_ends", "blocks"])
        lengths = np.asarray(pc.utf8_length(table.column("text")).fill_null(0), dtype=np.int64)
        rows, ends = _flat(table.column("block_ends"))
        block_rows, blocks = _flat(table.column("blocks"))
        if not np.array_equal(rows, block_rows):
            yield f"{schema.RECORDS}: block_ends and blocks have one entry per block"
        if np.any((blocks < 0) | (blocks >= self.blocks)):
            yield f"{schema.RECORDS}: blocks is not one of {self.blocks:,}"
        falling = (np.diff(ends) < 0) & (np.diff(rows) == 0)
        if np.any(falling) or np.any((ends < 0) | (ends > lengths[rows])):
            yield f"{schema.RECORDS}: block_ends rise, inside the text of their record"

    def _row_groups(self, name: str) -> Iterator[str]:
        """Check that every row group holds what a reader looks for in it."""
        size = _rows_grouped(name)
        key = {schema.BLOCKS: "block", schema.RECORDS: "record"}.get(name, "case")
        key = "record" if name == lookup_tables.DOCUMENTS else key
        count = {"case": self.cases, "record": self.records, "block": self.blocks}[key]
        with closing(TableFile(self._folder / name)) as file:
            groups = file.row_groups
            wrong = groups != -(-count // size) and not (count == 0 and groups <= 1)
            for group in range(groups):
                numbers = file.read_row_group(group, columns=[key]).column(0).to_numpy()
                wrong = wrong or bool(np.any(numbers // size != group))
        if wrong:
            yield f"{name}: a row group has {size} {key}s, in order"


def _vector_faults(folder: Path, dimension: int | None) -> Iterator[str]:
    vectors = read_table(folder / schema.QUERIES, ["vector"]).column(0)
    lengths = pc.unique(pc.list_value_length(vectors).drop_null()).to_pylist()
    other = [length for length in lengths if length != dimension]
    if other:
        yield (
            f"{schema.QUERIES}: a vector has {counted(other[0], 'component')}, the recording "
            f"{'none' if dimension is None else f'{dimension:,}'}"
        )
    values = pc.list_flatten(vectors)
    if values.null_count or not pc.all(pc.is_finite(values), min_count=0).as_py():
        yield f"{schema.QUERIES}: the components of a vector are finite numbers"


def _flat(column: pa.ChunkedArray) -> tuple[Numbers, Numbers]:
    """Return, of a column of lists, the row and the value of each entry; -1 for a null."""
    rows = np.asarray(pc.list_parent_indices(column), dtype=np.int64)
    values = pc.list_flatten(column).fill_null(-1)
    return rows, np.asarray(values, dtype=np.int64)
