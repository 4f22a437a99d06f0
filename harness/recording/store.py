"""Reading distinct records and blocks of a recording, a few row groups at a time."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.model import BlockSet, Document, Record
from harness.storage.parquet import TableFile

from . import lookup_tables, schema

_RECORD_GROUPS_KEPT = 12
_BLOCK_GROUPS_KEPT = 12
_DOCUMENT_GROUPS_KEPT = 128
"""Lookups name documents all over a corpus: more are kept, and their texts are short."""

Loaded = TypeVar("Loaded")


class RecordStore:
    """The records of a recording by number, without their ids. Keeps what was read last, and the
    shared blocks.

    `documents`: whether it is a recording of lookups, whose records are documents.
    """

    def __init__(
        self, folder: Path, dimension: int | None, shared_blocks: int, *, documents: bool = False
    ) -> None:
        self._dimension = dimension
        self._records_file = TableFile(folder / schema.RECORDS, pre_buffer=False)
        self._blocks_file = TableFile(folder / schema.BLOCKS, pre_buffer=False)
        shared_groups = -(-shared_blocks // schema.BLOCKS_PER_GROUP)
        self._documents_file = None
        if documents:
            self._documents_file = TableFile(folder / lookup_tables.DOCUMENTS)
        kept = _DOCUMENT_GROUPS_KEPT if documents else _RECORD_GROUPS_KEPT
        self._records: _GroupCache[list[Record]] = _GroupCache(kept)
        self._documents: _GroupCache[list[Document]] = _GroupCache(kept)
        self._vectors: _GroupCache[_VectorGroup] = _GroupCache(_BLOCK_GROUPS_KEPT + shared_groups)

    def record(self, number: int) -> Record:
        """Return what a record holds; its ids are those of the case that names it."""
        group, place = divmod(number, schema.RECORDS_PER_GROUP)
        return self._records.get(group, self._read_records)[place]

    def document(self, number: int) -> Document:
        """Return the document that a record is; only in a recording of lookups."""
        group, place = divmod(number, schema.RECORDS_PER_GROUP)
        return self._documents.get(group, self._read_documents)[place]

    def _read_records(self, group: int) -> list[Record]:
        """Read the records of a row group; their vectors are gathered together and cut apart."""
        table = self._records_file.read_row_group(group, use_threads=False).combine_chunks()
        ends = table.column("block_ends").chunk(0)
        bounds = ends.offsets.to_numpy()
        numbers = table.column("blocks").chunk(0).values.to_numpy()
        vectors, absent = self._gather(numbers)
        all_ends = ends.values.to_numpy()
        columns = [table.column(name).to_pylist() for name in ("text", "timestamp", "metadata")]
        records = []
        for place, (text, timestamp, metadata) in enumerate(zip(*columns, strict=True)):
            blocks = None
            if ends[place].is_valid:
                span = slice(int(bounds[place]), int(bounds[place + 1]))
                blocks = _block_set(all_ends[span], vectors[span], absent[span])
            records.append(
                Record("", text, timestamp, metadata=json.loads(metadata), blocks=blocks)
            )
        return records

    def _read_documents(self, group: int) -> list[Document]:
        if self._documents_file is None:
            raise ValueError("the recording holds no documents")
        rows = self._documents_file.read_row_group(group, use_threads=False).to_pylist()
        records = self._records.get(group, self._read_records)
        return [
            lookup_tables.document_of(row, record.text, record.metadata)
            for record, row in zip(records, rows, strict=True)
        ]

    def _gather(self, numbers: NDArray[np.int32]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Return the vectors of the blocks, and which of them have none."""
        vectors = np.zeros((len(numbers), self._dimension or 0), dtype=np.int8)
        absent = np.full(len(numbers), self._dimension is None)
        groups = numbers // schema.BLOCKS_PER_GROUP
        for group in np.unique(groups).tolist() if self._dimension is not None else ():
            places = np.flatnonzero(groups == group)
            rows = numbers[places] - group * schema.BLOCKS_PER_GROUP
            loaded = self._vectors.get(group, self._read_vectors)
            vectors[places] = loaded.rows[rows]
            if loaded.absent is not None:
                absent[places] = loaded.absent[rows]
        return vectors, absent

    def _read_vectors(self, group: int) -> _VectorGroup:
        table = self._blocks_file.read_row_group(group, columns=["vector"], use_threads=False)
        chunks = table.column("vector")
        column = chunks.chunk(0) if chunks.num_chunks == 1 else chunks.combine_chunks()
        width = self._dimension or 1
        absent = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
        data = column.buffers()[1]
        rows = np.frombuffer(data, dtype=np.int8)[column.offset * width :]
        return _VectorGroup(rows[: len(column) * width].reshape(len(column), width), absent)


@dataclass(frozen=True, slots=True)
class _VectorGroup:
    rows: NDArray[np.int8]
    absent: NDArray[np.bool_] | None


def _block_set(
    ends: NDArray[np.int32], vectors: NDArray[np.int8], absent: NDArray[np.bool_]
) -> BlockSet:
    starts = np.concatenate(([0], ends[:-1])).astype(np.int32)[: len(ends)]
    if absent.all():
        return BlockSet(starts, ends, None)
    return BlockSet(starts, ends, vectors, frozenset(np.flatnonzero(absent).tolist()))


class _GroupCache(Generic[Loaded]):
    """The row groups that were used last.

    It does not keep the function that loads them, a method of its owner: the two would make a
    cycle, and outlive the replay that they were read for.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._groups: OrderedDict[int, Loaded] = OrderedDict()

    def get(self, group: int, load: Callable[[int], Loaded]) -> Loaded:
        if group in self._groups:
            self._groups.move_to_end(group)
        else:
            self._groups[group] = load(group)
            if len(self._groups) > self._capacity:
                self._groups.popitem(last=False)
        return self._groups[group]
