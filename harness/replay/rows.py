"""Collecting a shard's rows by column, and turning them into Arrow tables."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harness.evidence import SCHEMA as EVIDENCE_COUNTS
from harness.evidence import CaseEvidence
from harness.model import NO_RANK, CandidateTrace, Case, PassageSequence, Positions, Selection

from . import schema
from .growth import Loss
from .lookup_rows import block_rows, expansion_row

_NULL = -1


class NameColumn:
    """A column of strings that repeat, kept as numbers."""

    __slots__ = ("_names", "_rows")

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._rows = array("i")

    def add(self, name: str | None, times: int = 1) -> None:
        """`times` rows of one name."""
        number = _NULL if name is None else self._names.setdefault(name, len(self._names))
        self._rows.extend([number] * times)

    def add_each(self, names: Sequence[str], rows: NDArray[np.int32]) -> None:
        """Add a row for each entry of `rows`, which are indexes into `names`."""
        numbers = [self._names.setdefault(name, len(self._names)) for name in names]
        chosen = np.array(numbers, dtype=np.int32)[rows]
        self._rows.frombytes(chosen.tobytes())

    def array(self) -> pa.Array:
        rows = np.frombuffer(self._rows, dtype=np.int32)
        indices = pa.array(rows, mask=rows == _NULL)
        return pa.DictionaryArray.from_arrays(indices, pa.array(list(self._names), pa.string()))


class RowBuffer:
    """Rows of one table; values come in by column name."""

    __slots__ = ("_columns", "_schema")

    def __init__(self, table_schema: pa.Schema) -> None:
        self._schema = table_schema
        self._columns: dict[str, NameColumn | list[Any]] = {
            field.name: NameColumn() if field.type == schema.NAME else [] for field in table_schema
        }

    def add(self, **values: Any) -> None:
        """Add one row."""
        for name, value in values.items():
            column = self._columns[name]
            if isinstance(column, NameColumn):
                column.add(value)
            else:
                column.append(value)

    def table(self) -> pa.Table:
        arrays = [
            column.array() if isinstance(column, NameColumn) else pa.array(column, field.type)
            for field, column in zip(self._schema, self._columns.values(), strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=self._schema)


class ColumnChunks:
    """Rows of one table that come in many at a time: names, and int32 columns in chunks."""

    __slots__ = ("_chunks", "_names", "_schema")

    def __init__(self, table_schema: pa.Schema) -> None:
        self._schema = table_schema
        self._names = {field.name: NameColumn() for field in table_schema if _is_name(field)}
        self._chunks: dict[str, list[NDArray[np.int32]]] = {
            field.name: [] for field in table_schema if not _is_name(field)
        }

    def name(self, column: str) -> NameColumn:
        return self._names[column]

    def extend(self, **columns: NDArray[np.int32]) -> None:
        for name, values in columns.items():
            self._chunks[name].append(values)

    def table(self, **more: pa.Array) -> pa.Table:
        """Return the table; `more` are columns that are neither names nor numbers."""
        arrays = []
        for field in self._schema:
            if field.name in more:
                arrays.append(more[field.name])
            elif _is_name(field):
                arrays.append(self._names[field.name].array())
            else:
                values = np.concatenate([np.empty(0, dtype=np.int32), *self._chunks[field.name]])
                absent = values == NO_RANK if field.nullable else None
                arrays.append(pa.array(values, field.type, mask=absent))
        return pa.Table.from_arrays(arrays, schema=self._schema)


class PartsColumn:
    """Lists of the words that passages hold; null for a sequence without parts."""

    __slots__ = ("_absent", "_counts", "_words")

    def __init__(self) -> None:
        self._counts: list[NDArray[np.int32]] = []
        self._absent: list[NDArray[np.bool_]] = []
        self._words: list[str] = []

    def add(self, sequence: PassageSequence) -> None:
        """Add a row for each passage of the sequence."""
        counts = np.zeros(len(sequence), dtype=np.int32)
        self._counts.append(counts)
        self._absent.append(np.full(len(sequence), not sequence.parts))
        for place, held in enumerate(sequence.held):
            if held:
                counts[place] = len(held)
                self._words.extend([sequence.parts[part] for part in held])

    def array(self) -> pa.Array:
        counts = np.concatenate([np.zeros(1, dtype=np.int32), *self._counts])
        absent = np.concatenate([np.empty(0, dtype=np.bool_), *self._absent])
        offsets = pa.array(np.cumsum(counts, dtype=np.int32))
        words = pa.array(self._words, pa.string())
        return pa.ListArray.from_arrays(offsets, words, mask=pa.array(absent))


def _is_name(field: pa.Field) -> bool:
    return bool(field.type == schema.NAME)


def candidate_rows(trace: CandidateTrace) -> Iterator[dict[str, Any]]:
    """Yield a row for each scored candidate, in the order in which the policy walked over them.

    An absent signal is null.
    """
    weights = trace.weights.tolist()
    for place in range(len(trace)):
        signals = trace.signals[place]
        yield {
            "place": place,
            "item": int(trace.item[place]),
            "score": float(trace.score[place]),
            "selected": bool(trace.selected[place]),
            "rendered": bool(trace.rendered[place]),
            "cost": int(trace.cost[place]),
            "cluster": int(trace.cluster[place]),
            "reasons": list(trace.reasons[place]),
            "signal_names": list(trace.signal_names),
            "signals": [None if np.isnan(value) else float(value) for value in signals],
            "weights": weights,
            "plan": trace.plan,
            "exact": trace.exact,
            "summary": trace.summary,
        }


class ShardRows:
    """All rows of a shard."""

    def __init__(self) -> None:
        self._selections = RowBuffer(schema.SELECTIONS_SCHEMA)
        self._contexts = RowBuffer(schema.CONTEXTS_SCHEMA)
        self._evidence = RowBuffer(schema.EVIDENCE_SCHEMA)
        self._losses = RowBuffer(schema.LOSSES_SCHEMA)
        self._candidates = RowBuffer(schema.CANDIDATES_SCHEMA)
        self._expansions = RowBuffer(schema.EXPANSIONS_SCHEMA)
        self._printed_blocks = RowBuffer(schema.PRINTED_BLOCKS_SCHEMA)
        self._quotes = ColumnChunks(schema.QUOTES_SCHEMA)
        self._sequences = ColumnChunks(schema.SEQUENCES_SCHEMA)
        self._parts = PartsColumn()
        self._known_contexts: set[str] = set()

    def tables(self) -> dict[str, pa.Table]:
        return {
            schema.SELECTIONS: self._selections.table(),
            schema.QUOTES: self._quotes.table(),
            schema.SEQUENCES: self._sequences.table(parts=self._parts.array()),
            schema.CONTEXTS: self._contexts.table(),
            schema.EVIDENCE: self._evidence.table(),
            schema.LOSSES: self._losses.table(),
            schema.CANDIDATES: self._candidates.table(),
            schema.EXPANSIONS: self._expansions.table(),
            schema.PRINTED_BLOCKS: self._printed_blocks.table(),
        }

    def add_context(self, sha256: str, text: str) -> None:
        if sha256 not in self._known_contexts:
            self._known_contexts.add(sha256)
            self._contexts.add(context_sha256=sha256, text=text)

    def add_selection(
        self,
        case_id: str,
        point: str,
        selection: Selection,
        context: str,
        context_sha256: str,
        tokens: tuple[int | None, int | None],
    ) -> None:
        omitted = selection.omitted
        self._selections.add(
            case_id=case_id,
            point=point,
            budget=selection.budget,
            used=selection.used,
            budget_unit=selection.budget_unit,
            items=len(selection.items),
            passages_taken=selection.taken,
            omitted_items=omitted.items,
            omitted_passages=omitted.passages,
            omitted_excerpts=omitted.excerpts,
            context_sha256=context_sha256,
            context_characters=len(context),
            context_tokens=tokens[0],
            prompt_tokens_estimated=tokens[1],
        )

    def add_quotes(
        self, case_id: str, point: str, selection: Selection, record_ids: Sequence[str]
    ) -> None:
        rows = [
            (item.item, excerpt, quote.record, start, end)
            for item in selection.items
            for excerpt, quote in enumerate((item.head, *item.excerpts))
            for start, end in quote.ranges
        ]
        items, excerpts, records, starts, ends = np.array(rows, np.int32).reshape(-1, 5).T
        self._quotes.name("case_id").add(case_id, len(rows))
        self._quotes.name("point").add(point, len(rows))
        self._quotes.name("record_id").add_each(record_ids, records)
        self._quotes.extend(item=items, excerpt=excerpts, start=starts, end=ends)

    def add_sequence(
        self, case_id: str, ordering: str, sequence: PassageSequence, record_ids: Sequence[str]
    ) -> None:
        count = len(sequence)
        self._sequences.name("case_id").add(case_id, count)
        self._sequences.name("ordering").add(ordering, count)
        self._sequences.name("record_id").add_each(record_ids, sequence.record)
        self._sequences.extend(
            place=np.arange(count, dtype=np.int32),
            item=sequence.item,
            start=sequence.start,
            end=sequence.end,
            record_rank=sequence.record_rank,
            inside_rank=sequence.inside_rank,
            cosine_rank=sequence.cosine_rank,
        )
        self._parts.add(sequence)

    def add_evidence(
        self,
        case_id: str,
        category: str | None,
        point: str,
        evidence: CaseEvidence,
        prompt_tokens: int | None,
    ) -> None:
        counts = {name: getattr(evidence, name) for name in EVIDENCE_COUNTS.names}
        self._evidence.add(
            case_id=case_id,
            category=category,
            point=point,
            prompt_tokens_estimated=prompt_tokens,
            **counts,
        )

    def add_candidates(self, case_id: str, point: str, trace: CandidateTrace) -> None:
        for row in candidate_rows(trace):
            self._candidates.add(case_id=case_id, point=point, **row)

    def add_expansion(
        self,
        case: Case,
        point: str,
        selection: Selection,
        record_ids: list[str],
        *,
        counted: bool,
    ) -> None:
        row = expansion_row(case, selection, counted=counted)
        self._expansions.add(case_id=case.case_id, point=point, **row)
        for block in block_rows(selection, record_ids):
            self._printed_blocks.add(case_id=case.case_id, point=point, **block)

    def add_loss(self, case_id: str, loss: Loss, records: Positions) -> None:
        self._losses.add(
            case_id=case_id,
            arm=loss.pair.arm,
            smaller=str(loss.pair.smaller),
            larger=str(loss.pair.larger),
            lost=loss.lost,
            item=loss.item,
            record_id=None if loss.record is None else records[loss.record].record_id,
        )
