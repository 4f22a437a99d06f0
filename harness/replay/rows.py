"""Collecting a shard's rows by column, and turning them into Arrow tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from harness.evidence import SCHEMA as EVIDENCE_COUNTS
from harness.evidence import CaseEvidence
from harness.model import NO_RANK, PassageSequence, Positions, Selection

from . import schema
from .growth import Loss


class NameColumn:
    """A column of strings that repeat, kept as numbers."""

    __slots__ = ("_names", "_rows")

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._rows: list[int] = []

    def add(self, name: str | None, times: int = 1) -> None:
        if name is None:
            self._rows.extend([-1] * times)
            return
        number = self._names.setdefault(name, len(self._names))
        self._rows.extend([number] * times)

    def array(self) -> pa.Array:
        rows = np.array(self._rows, dtype=np.int32)
        indices = pa.array(rows, mask=rows < 0)
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
        """One row."""
        for name, value in values.items():
            column = self._columns[name]
            if isinstance(column, NameColumn):
                column.add(value)
            else:
                column.append(value)

    def extend(self, count: int, **values: Any) -> None:
        """`count` rows: a name stands for all of them, other values come as sequences."""
        for name, value in values.items():
            column = self._columns[name]
            if not isinstance(column, NameColumn):
                column.extend(value)
            elif isinstance(value, (str, type(None))):
                column.add(value, count)
            else:
                for entry in value:
                    column.add(entry)

    def table(self) -> pa.Table:
        arrays = [
            column.array() if isinstance(column, NameColumn) else pa.array(column, field.type)
            for field, column in zip(self._schema, self._columns.values(), strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=self._schema)


class ShardRows:
    """All rows of a shard."""

    def __init__(self) -> None:
        self._buffers = {
            name: RowBuffer(part_schema) for name, part_schema in schema.PART_SCHEMAS.items()
        }
        self._contexts: set[str] = set()

    def tables(self) -> dict[str, pa.Table]:
        return {name: buffer.table() for name, buffer in self._buffers.items()}

    def add_context(self, sha256: str, text: str) -> None:
        if sha256 not in self._contexts:
            self._contexts.add(sha256)
            self._buffers[schema.CONTEXTS].add(context_sha256=sha256, text=text)

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
        self._buffers[schema.SELECTIONS].add(
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
            (item.item, excerpt, record_ids[quote.record], start, end)
            for item in selection.items
            for excerpt, quote in enumerate((item.head, *item.excerpts))
            for start, end in quote.ranges
        ]
        if not rows:
            return
        items, excerpts, records, starts, ends = zip(*rows, strict=True)
        self._buffers[schema.QUOTES].extend(
            len(rows),
            case_id=case_id,
            point=point,
            item=items,
            excerpt=excerpts,
            record_id=records,
            start=starts,
            end=ends,
        )

    def add_sequence(
        self, case_id: str, ordering: str, sequence: PassageSequence, record_ids: Sequence[str]
    ) -> None:
        count = len(sequence)
        cosine: Iterable[int | None] = sequence.cosine_rank.tolist()
        self._buffers[schema.SEQUENCES].extend(
            count,
            case_id=case_id,
            ordering=ordering,
            place=range(count),
            item=sequence.item.tolist(),
            record_id=[record_ids[record] for record in sequence.record.tolist()],
            start=sequence.start.tolist(),
            end=sequence.end.tolist(),
            record_rank=sequence.record_rank.tolist(),
            inside_rank=sequence.inside_rank.tolist(),
            cosine_rank=[None if rank == NO_RANK else rank for rank in cosine],
            parts=_parts(sequence),
        )

    def add_evidence(
        self,
        case_id: str,
        category: str | None,
        point: str,
        evidence: CaseEvidence,
        prompt_tokens: int | None,
    ) -> None:
        counts = {name: getattr(evidence, name) for name in EVIDENCE_COUNTS.names}
        self._buffers[schema.EVIDENCE].add(
            case_id=case_id,
            category=category,
            point=point,
            prompt_tokens_estimated=prompt_tokens,
            **counts,
        )

    def add_loss(self, case_id: str, loss: Loss, records: Positions) -> None:
        self._buffers[schema.LOSSES].add(
            case_id=case_id,
            arm=loss.pair.arm,
            smaller=str(loss.pair.smaller),
            larger=str(loss.pair.larger),
            lost=loss.lost,
            item=loss.item,
            record_id=None if loss.record is None else records[loss.record].record_id,
        )


def _parts(sequence: PassageSequence) -> Sequence[list[str] | None]:
    if not sequence.parts:
        return [None] * len(sequence)
    return [[sequence.parts[part] for part in held] for held in sequence.held]
