"""Which signals the cases of a recording lack."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pyarrow.compute as pc

from harness.model import Case, Signal
from harness.storage.parquet import read_table

from . import schema
from .recording import Recording


def absent_signals(recording: Recording, numbers: Collection[int]) -> Mapping[Signal, int]:
    """Count the cases of these places that lack each signal; those that no case lacks are left
    out."""
    wanted = np.asarray(sorted(numbers), dtype=np.int64)
    no_query = read_table(recording.folder / schema.QUERIES, ["vector"]).column(0).is_null()
    lacking = {
        Signal.QUERY_VECTOR: np.asarray(no_query)[wanted],
        Signal.BLOCK_VECTORS: ~_with_block_vectors(recording)[wanted],
    }
    return {signal: int(cases.sum()) for signal, cases in lacking.items() if cases.any()}


def absent_of(case: Case) -> tuple[Signal, ...]:
    """Name the signals that one case lacks."""
    absent = [Signal.QUERY_VECTOR] if case.query.vector is None else []
    if not any(
        record.blocks is not None and record.blocks.vectors is not None for record in case.records
    ):
        absent.append(Signal.BLOCK_VECTORS)
    return tuple(absent)


def _with_block_vectors(recording: Recording) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell of each case whether any block of its records has a vector."""
    found = np.zeros(len(recording.case_ids), dtype=bool)
    if recording.manifest.content["dimension"] is None:
        return found
    blocks = np.asarray(
        read_table(recording.folder / schema.BLOCKS, ["vector"]).column(0).is_valid()
    )
    column = read_table(recording.folder / schema.RECORDS, ["blocks"]).column(0)
    owners = np.asarray(pc.list_parent_indices(column))
    numbers = np.asarray(pc.list_flatten(column))
    records = np.zeros(len(column), dtype=bool)
    records[owners[blocks[numbers]]] = True
    table = read_table(recording.folder / schema.CASE_RECORDS, ["case", "record"])
    case, record = (np.asarray(table.column(name)) for name in ("case", "record"))
    found[case[records[record]]] = True
    return found
