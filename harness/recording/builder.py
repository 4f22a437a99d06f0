"""Building a recording: cases go in, distinct records and blocks are counted, tables come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from harness.model import LOOKUP, MEMORY
from harness.storage.atomic import atomic_path

from . import lookup_tables, schema
from .entries import BlockKey, CaseEntry, RecordBody
from .rows import (
    case_record_rows,
    gold_rows,
    lookup_gold_rows,
    lookup_rows,
    query_rows,
    record_row,
    window_rows,
)

VectorsOf = Callable[[Sequence[BlockKey]], list[bytes | None]]
"""The int8 vectors of blocks, as bytes; None for a block without one."""


class RecordingBuilder:
    """Collects the cases of a recording. Texts are kept in memory once each; vectors are not."""

    def __init__(self) -> None:
        self.cases: list[CaseEntry] = []
        self._bodies: list[RecordBody] = []
        self._body_numbers: dict[bytes, int] = {}
        self._uses: dict[BlockKey, int] = {}

    def add_body(self, body: RecordBody) -> int:
        """The number of the body; one that is there already keeps its number."""
        digest = body.digest()
        number = self._body_numbers.get(digest)
        if number is None:
            number = self._body_numbers[digest] = len(self._bodies)
            self._bodies.append(body)
            for key in set(body.block_keys):
                self._uses[key] = self._uses.get(key, 0) + 1
        return number

    def add_case(self, case: CaseEntry) -> None:
        self.cases.append(case)

    @property
    def kind(self) -> str:
        """The kind of its cases, which are all of one."""
        return LOOKUP if self.cases and self.cases[0].lookup is not None else MEMORY

    def block_keys(self) -> list[BlockKey]:
        """Distinct blocks: those of several records first, each part in order of first use."""
        in_order = dict.fromkeys(key for body in self._bodies for key in body.block_keys)
        shared = [key for key in in_order if self._uses[key] > 1]
        return shared + [key for key in in_order if self._uses[key] == 1]

    def counts(self) -> dict[str, int]:
        """What the manifest says of the recording's size."""
        return {
            "cases": len(self.cases),
            "items": sum(len(case.items) for case in self.cases),
            "reserved_items": sum(item.reserved for case in self.cases for item in case.items),
            "records": len(self._bodies),
            "blocks": sum(len(body.block_keys) for body in self._bodies),
            "distinct_blocks": len(self._uses),
            "shared_blocks": sum(uses > 1 for uses in self._uses.values()),
            "cases_with_gold": sum(case.gold is not None for case in self.cases),
        }

    def write(
        self, folder: Path, dimension: int | None, vectors_of: VectorsOf, progress: Progress
    ) -> None:
        """Write every table that is not there yet, each atomically."""
        keys = self.block_keys()
        numbers = {key: number for number, key in enumerate(keys)}
        tables: dict[str, tuple[pa.Schema, Iterator[pa.Table]]] = {
            schema.BLOCKS: _blocks(keys, schema.blocks_schema(dimension), vectors_of, progress),
            schema.RECORDS: self._records(numbers),
            schema.QUERIES: self._by_case(schema.QUERIES_SCHEMA, query_rows),
            schema.CASE_RECORDS: self._by_case(schema.CASE_RECORDS_SCHEMA, case_record_rows),
            schema.WINDOWS: self._by_case(schema.WINDOWS_SCHEMA, window_rows),
            schema.GOLD: self._by_case(schema.GOLD_SCHEMA, gold_rows),
        }
        if self.kind == LOOKUP:
            tables |= self._lookup_tables()
        for name, (table_schema, groups) in tables.items():
            if not (folder / name).exists():
                _write_table(folder / name, table_schema, groups)

    def _records(self, numbers: Mapping[BlockKey, int]) -> tuple[pa.Schema, Iterator[pa.Table]]:
        def groups() -> Iterator[pa.Table]:
            for batch in _batches(enumerate(self._bodies), schema.RECORDS_PER_GROUP):
                rows = [record_row(number, body, numbers) for number, body in batch]
                yield pa.Table.from_pylist(rows, schema=schema.RECORDS_SCHEMA)

        return schema.RECORDS_SCHEMA, groups()

    def _lookup_tables(self) -> dict[str, tuple[pa.Schema, Iterator[pa.Table]]]:
        documents = [
            lookup_tables.document_row(number, body.document)
            for number, body in enumerate(self._bodies)
            if body.document is not None
        ]
        groups = (
            pa.Table.from_pylist(rows, schema=lookup_tables.DOCUMENTS_SCHEMA)
            for rows in _batches(documents, schema.RECORDS_PER_GROUP)
        )
        return {
            lookup_tables.DOCUMENTS: (lookup_tables.DOCUMENTS_SCHEMA, groups),
            lookup_tables.LOOKUPS: self._by_case(lookup_tables.LOOKUPS_SCHEMA, lookup_rows),
            lookup_tables.LOOKUP_GOLD: self._by_case(
                lookup_tables.LOOKUP_GOLD_SCHEMA, lookup_gold_rows
            ),
        }

    def _by_case(
        self, table_schema: pa.Schema, rows_of: Callable[[int, CaseEntry], list[dict[str, Any]]]
    ) -> tuple[pa.Schema, Iterator[pa.Table]]:
        def groups() -> Iterator[pa.Table]:
            for batch in _batches(enumerate(self.cases), schema.CASES_PER_GROUP):
                rows = [row for number, case in batch for row in rows_of(number, case)]
                yield pa.Table.from_pylist(rows, schema=table_schema)

        return table_schema, groups()


Value = TypeVar("Value")

Progress = Callable[[Iterator[Any], int], Iterator[Any]]
"""Shows progress over an iterator of known length."""


def _write_table(path: Path, table_schema: pa.Schema, groups: Iterator[pa.Table]) -> None:
    """One row group a table. Vectors do not compress, so they are stored as they are."""
    compression = {name: "none" if name == "vector" else "zstd" for name in table_schema.names}
    dictionary = [name for name in table_schema.names if name in _REPEATING]
    with (
        atomic_path(path) as temporary,
        pq.ParquetWriter(
            temporary,
            table_schema,
            compression=_leaf_paths(table_schema, compression),
            use_dictionary=dictionary or False,
            write_statistics=False,
        ) as writer,
    ):
        for group in groups:
            writer.write_table(group, row_group_size=max(1, len(group)))


_REPEATING = ("category", "session_id", "timestamp", "metadata")


def _leaf_paths(table_schema: pa.Schema, compression: Mapping[str, str]) -> dict[str, str]:
    """Parquet names compressions by leaf: a list's values are `name.list.element`."""
    paths = {}
    for field in table_schema:
        chosen = compression[field.name]
        if not pa.types.is_list(field.type):
            paths[field.name] = chosen
        elif pa.types.is_struct(field.type.value_type):
            for child in field.type.value_type:
                paths[f"{field.name}.list.element.{child.name}"] = chosen
        else:
            paths[f"{field.name}.list.element"] = chosen
    return paths


def _blocks(
    keys: list[BlockKey], table_schema: pa.Schema, vectors_of: VectorsOf, progress: Progress
) -> tuple[pa.Schema, Iterator[pa.Table]]:
    def groups() -> Iterator[pa.Table]:
        batches = list(_batches(keys, schema.BLOCKS_PER_GROUP))
        first = 0
        for batch in progress(iter(batches), len(batches)):
            columns = [
                pa.array(range(first, first + len(batch)), type=pa.int32()),
                pa.array([text for text, _ in batch], type=pa.string()),
                pa.array(vectors_of(batch), type=table_schema.field("vector").type),
            ]
            yield pa.Table.from_arrays(columns, schema=table_schema)
            first += len(batch)

    return table_schema, groups()


def _batches(values: Iterable[Value], size: int) -> Iterator[list[Value]]:
    iterator = iter(values)
    while batch := list(islice(iterator, size)):
        yield batch
