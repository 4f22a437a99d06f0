"""Writing a recording: cases go in; distinct records and blocks are found, tables come out."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from harness.errors import InputError
from harness.model import LOOKUP, MEMORY, Case, Record
from harness.progress import progress
from harness.storage.atomic import atomic_path
from harness.storage.folder import FolderState, OutputFolder, open_output
from harness.storage.manifest import Manifest, code_version, environment, file_entries
from harness.words import counted

from . import lookup_tables, schema
from .labels import refuse_labels_of_nothing
from .rows import (
    DistinctRecord,
    Row,
    case_record_rows,
    distinct_record,
    gold_rows,
    query_rows,
    record_row,
    window_rows,
)

if TYPE_CHECKING:
    from harness.retrieval import VectorSource


class RecordingWriter:
    """Makes the recording `out`.

        with RecordingWriter(out, verb="record lookups") as recording:
            for case in cases:
                recording.add(case)
            recording.describe(work, dataset=…, recall=…, embedder=…)

    When the block ends, the start record is written, then every table that is not there yet, then
    the manifest. When it ends with an error, or nothing was described, or `out` holds this
    recording already, nothing is written. Texts are kept in memory once each, and vectors not at
    all: those of the cases go through a temporary file, others are asked for when they are written
    (`vectors_from`).

    `dimension`: components of all vectors, None as long as none is known. `source`: how messages
    call what the cases come from.
    """

    def __init__(
        self,
        out: Path,
        *,
        verb: str,
        given: Mapping[str, Any] | None = None,
        force: bool = False,
        quiet: bool = False,
        source: str = "",
    ) -> None:
        self.dimension: int | None = None
        self.kind: str | None = None
        self._out = out
        self._verb = verb
        self._given = dict(given or {})
        self._force = force
        self._quiet = quiet
        self._source = source
        self._folder: OutputFolder | None = None
        self._described: dict[str, Any] = {}
        self._text_vectors: VectorSource | None = None
        self._vectors = _VectorSpool()
        self._cases = _CaseTables()
        self._queries: list[str] = []
        self._records: dict[DistinctRecord, int] = {}
        self._blocks: dict[tuple[str, int], int] = {}
        self._block_uses: list[int] = []
        self._items = self._reserved_items = self._gold = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if (
                error is None
                and self.state is not FolderState.FINISHED
                and self._folder is not None
            ):
                self._write(self._folder)
        finally:
            self._vectors.close()

    @property
    def state(self) -> FolderState | None:
        """What `out` was when the recording was described; None before."""
        return None if self._folder is None else self._folder.state

    @property
    def block_texts(self) -> Iterator[str]:
        """Texts of the distinct blocks, in the order in which they are written."""
        keys = list(self._blocks)
        return (keys[block][0] for block in self._block_order())

    def describe(
        self, work: Mapping[str, Any], *, dataset: Any, recall: Any, embedder: Any
    ) -> FolderState:
        """Say what decides the recording (`work`) and what it is of; return what `out` was.

        Raises `InputError` where `out` holds anything else.
        """
        self._folder = open_output(
            self._out, schema.RECORDING_SCHEMA, work, schema.ENTRIES, force=self._force
        )
        self._described = {"dataset": dataset, "recall": recall, "embedder": embedder}
        return self._folder.state

    def vectors_from(self, vectors: VectorSource) -> None:
        """Take the vectors of queries and blocks by text, each once, when they are written."""
        self._text_vectors = vectors
        self.dimension = vectors.dimension

    def add(self, case: Case) -> None:
        """Add a case; raises `InputError` for one of another kind, or of other dimensions."""
        self._check(case)
        documents = (None,) * len(case.records) if case.lookup is None else case.lookup.documents
        numbers = []
        for record, document in zip(case.records, documents, strict=True):
            blocks = [self._number_of_block(*key) for key in self._block_keys(record)]
            content = distinct_record(record, blocks, document)
            if content not in self._records:
                self._records[content] = len(self._records)
                for block in set(blocks):
                    self._block_uses[block] += 1
            numbers.append(self._records[content])
        self._cases.add(case, numbers)
        self._queries.append(case.query.text)
        self._items += len(case.items)
        self._reserved_items += sum(item.reserved for item in case.items)
        self._gold += case.gold is not None

    def refuse_labels_of_nothing(self) -> None:
        """Raise `InputError` where the labels name nothing in any window."""
        refuse_labels_of_nothing(
            self._source, self._cases.table(schema.GOLD), self._cases.table(schema.CASE_RECORDS)
        )

    def counts(self) -> dict[str, int]:
        """Return what the manifest says of the recording's size."""
        return {
            "cases": len(self._queries),
            "items": self._items,
            "reserved_items": self._reserved_items,
            "records": len(self._records),
            "blocks": sum(len(record.blocks) for record in self._records),
            "distinct_blocks": len(self._blocks),
            "shared_blocks": sum(uses > 1 for uses in self._block_uses),
            "cases_with_gold": self._gold,
        }

    def _check(self, case: Case) -> None:
        self.kind = self.kind or case.kind
        if case.kind != self.kind:
            raise InputError(
                f"{self._source}: case {case.case_id!r} is a {case.kind} case, those before it "
                f"{self.kind} cases",
                "A recording has cases of one kind; import them apart.",
            )
        for dimension in _dimensions(case):
            self.dimension = self.dimension or dimension
            if dimension != self.dimension:
                raise InputError(
                    f"{self._source}: case {case.case_id!r} has vectors of "
                    f"{counted(dimension, 'dimension')}, "
                    f"the cases before it {self.dimension}",
                    "A recording has vectors of one embedder; import the cases apart.",
                )

    def _block_keys(self, record: Record) -> Iterator[tuple[str, int]]:
        """Yield text and vector of each block: together they say which block it is."""
        blocks = record.blocks
        if blocks is None:
            return
        bounds = zip(blocks.starts.tolist(), blocks.ends.tolist(), strict=True)
        for index, (start, end) in enumerate(bounds):
            vector = _NO_VECTOR
            if blocks.vectors is not None and index not in blocks.missing:
                vector = self._vectors.number_of(blocks.vectors[index].tobytes())
            yield record.text[start:end], vector

    def _number_of_block(self, text: str, vector: int) -> int:
        number = self._blocks.setdefault((text, vector), len(self._blocks))
        if number == len(self._block_uses):
            self._block_uses.append(0)
        return number

    def _block_order(self) -> list[int]:
        """Return the blocks that several records share, then the others, each in order of first
        use: a reader keeps the first ones, and the others of a case lie together."""
        uses = self._block_uses
        return sorted(range(len(uses)), key=lambda block: uses[block] == 1)

    def _write(self, folder: OutputFolder) -> None:
        folder.start()
        if self._text_vectors is not None:
            # before the first table: an interrupt keeps what is embedded, not a part of a table
            self._text_vectors.ensure_queries(self._queries)
            self._text_vectors.ensure_blocks(self.block_texts)
        kind = self.kind or MEMORY
        for name, table_schema, groups in self._tables(kind):
            if not (folder.path / name).exists():
                _write_table(folder.path / name, table_schema, groups)
        # the manifest names the tables by hash, so it is last; a folder without one is unfinished
        Manifest(
            schema=schema.RECORDING_SCHEMA,
            work=folder.work,
            content={
                "counts": self.counts(),
                "dimension": self.dimension,
                **({} if kind == MEMORY else {"kind": kind}),
                **self._described,
            },
            files=file_entries(folder.path, schema.tables_of(kind)),
            arguments={"verb": self._verb, "given": self._given, "resolved": folder.work},
            code=code_version(),
            environment=environment(),
        ).write(folder.path)
        folder.finish()

    def _tables(self, kind: str) -> Iterator[tuple[str, pa.Schema, Iterator[pa.Table]]]:
        blocks_schema = schema.blocks_schema(self.dimension)
        yield schema.BLOCKS, blocks_schema, self._block_groups(blocks_schema)
        yield schema.RECORDS, schema.RECORDS_SCHEMA, self._record_groups()
        yield schema.QUERIES, schema.QUERIES_SCHEMA, self._query_groups()
        for name in (schema.CASE_RECORDS, schema.WINDOWS, schema.GOLD):
            yield self._case_table(name)
        if kind == LOOKUP:
            yield lookup_tables.DOCUMENTS, lookup_tables.DOCUMENTS_SCHEMA, self._document_groups()
            for name in (lookup_tables.LOOKUPS, lookup_tables.LOOKUP_GOLD):
                yield self._case_table(name)

    def _case_table(self, name: str) -> tuple[str, pa.Schema, Iterator[pa.Table]]:
        table_schema, groups = _CASE_SCHEMAS[name], list(self._cases.groups(name))
        if not any(
            "answer" in group.column_names and group["answer"].null_count for group in groups
        ):
            table_schema = schema.with_every_answer(table_schema)
        return name, table_schema, (group.cast(table_schema) for group in groups)

    def _block_groups(self, table_schema: pa.Schema) -> Iterator[pa.Table]:
        keys = list(self._blocks)
        batches = list(_batches(self._block_order(), schema.BLOCKS_PER_GROUP))
        first = 0
        for batch in progress(
            batches, total=len(batches), label="write", unit="group", quiet=self._quiet
        ):
            texts = [keys[block][0] for block in batch]
            if self._text_vectors is not None:
                vectors = [row.tobytes() for row in self._text_vectors.blocks(texts)]
            else:
                vectors = self._vectors.read([keys[block][1] for block in batch])
            columns = [
                pa.array(range(first, first + len(batch)), type=pa.int32()),
                pa.array(texts, type=pa.string()),
                pa.array(vectors, type=table_schema.field("vector").type),
            ]
            yield pa.Table.from_arrays(columns, schema=table_schema)
            first += len(batch)

    def _record_groups(self) -> Iterator[pa.Table]:
        places = [0] * len(self._blocks)
        for place, block in enumerate(self._block_order()):
            places[block] = place
        for batch in _batches(self._records.items(), schema.RECORDS_PER_GROUP):
            rows = [record_row(number, record, places) for record, number in batch]
            yield pa.Table.from_pylist(rows, schema=schema.RECORDS_SCHEMA)

    def _query_groups(self) -> Iterator[pa.Table]:
        first = 0
        for group in self._cases.groups(schema.QUERIES):
            if self._text_vectors is not None:
                rows = self._text_vectors.queries(self._queries[first : first + len(group)])
                place = group.schema.get_field_index("vector")
                vectors = pa.array(list(rows), type=group.schema.field(place).type)
                group = group.set_column(place, group.schema.field(place), vectors)
            yield group
            first += len(group)

    def _document_groups(self) -> Iterator[pa.Table]:
        rows = [
            lookup_tables.document_row(number, *record.document)
            for record, number in self._records.items()
            if record.document is not None
        ]
        for batch in _batches(rows, schema.RECORDS_PER_GROUP):
            yield pa.Table.from_pylist(batch, schema=lookup_tables.DOCUMENTS_SCHEMA)


_CASE_SCHEMAS = {
    schema.QUERIES: schema.QUERIES_SCHEMA,
    schema.CASE_RECORDS: schema.CASE_RECORDS_SCHEMA,
    schema.WINDOWS: schema.WINDOWS_SCHEMA,
    schema.GOLD: schema.GOLD_SCHEMA,
    lookup_tables.LOOKUPS: lookup_tables.LOOKUPS_SCHEMA,
    lookup_tables.LOOKUP_GOLD: lookup_tables.LOOKUP_GOLD_SCHEMA,
}


class _CaseTables:
    """The tables that have rows by case, in row groups of `CASES_PER_GROUP` cases."""

    def __init__(self) -> None:
        self._groups: dict[str, list[pa.Table]] = {name: [] for name in _CASE_SCHEMAS}
        self._rows: dict[str, list[Row]] = {name: [] for name in _CASE_SCHEMAS}
        self._cases = 0

    def add(self, case: Case, records: Sequence[int]) -> None:
        """Add the rows of a case whose records have these numbers."""
        number = self._cases
        self._rows[schema.QUERIES] += query_rows(number, case)
        self._rows[schema.CASE_RECORDS] += case_record_rows(number, case, records)
        self._rows[schema.WINDOWS] += window_rows(number, case)
        self._rows[schema.GOLD] += gold_rows(number, case)
        self._rows[lookup_tables.LOOKUPS] += lookup_tables.lookup_rows(number, case)
        self._rows[lookup_tables.LOOKUP_GOLD] += lookup_tables.lookup_gold_rows(number, case)
        self._cases += 1
        if self._cases % schema.CASES_PER_GROUP == 0:
            self._close_group()

    def _close_group(self) -> None:
        for name, rows in self._rows.items():
            self._groups[name].append(pa.Table.from_pylist(rows, schema=_CASE_SCHEMAS[name]))
            rows.clear()

    def groups(self, name: str) -> Iterator[pa.Table]:
        yield from self._groups[name]
        if self._cases % schema.CASES_PER_GROUP:
            yield pa.Table.from_pylist(self._rows[name], schema=_CASE_SCHEMAS[name])

    def table(self, name: str) -> pa.Table:
        return pa.concat_tables([_CASE_SCHEMAS[name].empty_table(), *self.groups(name)])


_NO_VECTOR = -1
"""Stands for the vector of a block that has none."""


class _VectorSpool:
    """Distinct int8 vectors in a temporary file, so that memory does not grow with them.

    They have numbers in the order of their first use, and one width.
    """

    def __init__(self) -> None:
        self._stream: IO[bytes] | None = None
        self._numbers: dict[bytes, int] = {}
        self._width = 0

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()

    def number_of(self, vector: bytes) -> int:
        """Return the number of a vector; equal ones have one number."""
        digest = hashlib.sha256(vector).digest()
        number = self._numbers.get(digest)
        if number is None:
            if self._stream is None:
                self._stream = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
            self._width = len(vector)
            number = self._numbers[digest] = len(self._numbers)
            self._stream.write(vector)
        return number

    def read(self, numbers: Iterable[int]) -> list[bytes | None]:
        """Return the vectors of these numbers; None for `_NO_VECTOR`."""
        return [None if number == _NO_VECTOR else self._read(number) for number in numbers]

    def _read(self, number: int) -> bytes:
        if self._stream is None:
            raise ValueError(f"there is no vector {number}")
        self._stream.seek(number * self._width)
        return self._stream.read(self._width)


def _dimensions(case: Case) -> list[int]:
    queries = [] if case.query.vector is None else [len(case.query.vector)]
    sets = [record.blocks for record in case.records if record.blocks is not None]
    return queries + [blocks.vectors.shape[1] for blocks in sets if blocks.vectors is not None]


_REPEATING = ("category", "session_id", "timestamp", "metadata")


def _write_table(path: Path, table_schema: pa.Schema, groups: Iterator[pa.Table]) -> None:
    """Write a table of these row groups; vectors are not compressed, which would gain nothing."""
    compression = {name: "none" if name == "vector" else "zstd" for name in table_schema.names}
    dictionary = [name for name in table_schema.names if name in _REPEATING]
    with (
        atomic_path(path) as temporary,
        temporary.open("wb") as stream,  # Arrow reads a colon in a name as the end of a scheme
        pq.ParquetWriter(
            stream,
            table_schema,
            compression=_leaf_paths(table_schema, compression),
            use_dictionary=dictionary or False,
            write_statistics=False,
        ) as writer,
    ):
        for group in groups:
            writer.write_table(group, row_group_size=max(1, len(group)))


def _leaf_paths(table_schema: pa.Schema, compression: Mapping[str, str]) -> dict[str, str]:
    """Return the name compressions by leaf, as Parquet does: a list's values are
    `name.list.element`."""
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


Value = TypeVar("Value")


def _batches(values: Iterable[Value], size: int) -> Iterator[list[Value]]:
    iterator = iter(values)
    while batch := list(islice(iterator, size)):
        yield batch
