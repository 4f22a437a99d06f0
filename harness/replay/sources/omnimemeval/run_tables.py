"""Writing an import as a run: the tables of a replay, with the recording that they are of inside.

The recording holds what the contexts show: their items as windows, the quoted records, the labels.
It has no blocks, no vectors, and no recall or embedder that anybody knows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness.evidence import ShownRecord, labels_of, measure
from harness.evidence.tokens import Tokenizer
from harness.model import Query, view_of
from harness.points import Point
from harness.recording.writer import RecordingWriter
from harness.replay import schema
from harness.replay.rows import ShardRows
from harness.replay.shard import COMPRESSION, TokenCounting, part_name, points_name
from harness.storage.atomic import atomic_path
from harness.storage.hashing import sha256_of_text

from .checks import NAMES
from .search_results import SearchResult
from .splitting import first_blocks
from .traced_case import TracedCase, shown_as

RECORDING = "recording"
SEARCH_RESULTS = "search_results.parquet"
ENTRIES = (*schema.ENTRIES, SEARCH_RESULTS, RECORDING)
"""What an import writes at the top of its folder, its records aside."""

SEARCH_RESULTS_SCHEMA = pa.schema(
    [
        pa.field("case_id", pa.string(), nullable=False),
        pa.field("user_id", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("failed", pa.bool_(), nullable=False),
        pa.field("search_duration_ms", pa.float64(), nullable=False),
        pa.field("fields", pa.string(), nullable=False),
        *(pa.field(name, pa.int32(), nullable=False) for name in NAMES),
    ]
)


@dataclass(frozen=True, slots=True)
class ImportedPoint:
    """A point of the run: of every context its first `keep` items, None for all."""

    point: Point
    keep: int | None = None


@dataclass(frozen=True, slots=True)
class ImportedCase:
    """A question's row of the results, and its context traced."""

    row: SearchResult
    traced: TracedCase


def write_recording(
    folder: Path,
    cases: Sequence[ImportedCase],
    work: Mapping[str, Any],
    given: Mapping[str, Any],
    *,
    quiet: bool,
) -> None:
    """Write the recording of the cases into `folder`, unless it is there already."""
    with RecordingWriter(folder, verb="import omnimemeval", given=given, quiet=quiet) as recording:
        for imported in cases:
            recording.add(imported.traced.case)
        recording.describe(work, dataset=work["dataset"], recall=None, embedder=None)


def write_tables(
    folder: Path,
    cases: Sequence[ImportedCase],
    points: Sequence[ImportedPoint],
    counting: TokenCounting | None,
) -> list[str]:
    """Write every table of the run; returns their names within the folder."""
    written: list[str] = []

    def write(name: str, table: pa.Table) -> None:
        with atomic_path(folder / name) as temporary:
            pq.write_table(table, temporary, compression=COMPRESSION, write_statistics=False)
        written.append(name)

    write(schema.CASES, _cases(cases))
    write(SEARCH_RESULTS, _search_results(cases))
    write(f"{schema.POINTS}/{points_name(0)}", _points(points))
    for number, shard in enumerate(_shards(cases)):
        rows = ShardRows()
        for each in shard:
            _add(rows, each.traced, points, counting)
        tables = rows.tables()
        for name in schema.PART_TABLES:
            write(f"{name}/{part_name(0, number)}", tables[name])
    return written


def shards_of(cases: Sequence[ImportedCase]) -> int:
    """How many parts each table has."""
    return -(-len(cases) // schema.CASES_PER_SHARD)


def _shards(cases: Sequence[ImportedCase]) -> Iterator[Sequence[ImportedCase]]:
    for first in range(0, len(cases), schema.CASES_PER_SHARD):
        yield cases[first : first + schema.CASES_PER_SHARD]


def _add(
    rows: ShardRows,
    traced: TracedCase,
    points: Sequence[ImportedPoint],
    counting: TokenCounting | None,
) -> None:
    case = traced.case
    labels = labels_of(case)
    record_ids = [record.record_id for record in view_of(case)[1].records]
    for imported in points:
        selection, context = traced.selection, traced.context
        if imported.keep is not None:
            selection = shown_as(selection.items[: imported.keep])
            context = first_blocks(context, imported.keep)
        tokens = _tokens(counting, context, case.query)
        shown = [
            ShownRecord(item.item, record_ids[quote.record], quote.ranges)
            for item in selection.items
            for quote in (item.head, *item.excerpts)
        ]
        name, digest = str(imported.point), sha256_of_text(context)
        rows.add_context(digest, context)
        rows.add_selection(case.case_id, name, selection, context, digest, tokens)
        rows.add_quotes(case.case_id, name, selection, record_ids)
        evidence = measure(labels, shown, tokens[0])
        rows.add_evidence(case.case_id, case.category, name, evidence, tokens[1])


def _tokens(
    counting: TokenCounting | None, context: str, query: Query
) -> tuple[int | None, int | None]:
    if counting is None:
        return None, None
    prompt = counting.template.fill(context, query)
    return (
        Tokenizer(counting.context_encoding).count(context),
        Tokenizer(counting.reader_encoding).count(prompt),
    )


def token_work(counting: TokenCounting | None) -> dict[str, Any] | None:
    """What tokens are counted with, as a replay's manifest has it."""
    if counting is None:
        return None
    return {
        "context": Tokenizer(counting.context_encoding).fingerprint,
        "prompt": Tokenizer(counting.reader_encoding).fingerprint,
        "template_sha256": counting.template.sha256,
    }


def _cases(cases: Sequence[ImportedCase]) -> pa.Table:
    rows = [
        {
            "case": number,
            "case_id": each.traced.case.case_id,
            "category": each.traced.case.category,
            "question": each.traced.case.query.text,
            "date": each.traced.case.query.date,
            "items": len(each.traced.case.items),
        }
        for number, each in enumerate(cases)
    ]
    return pa.Table.from_pylist(rows, schema=schema.CASES_SCHEMA)


def _points(points: Sequence[ImportedPoint]) -> pa.Table:
    rows = [
        {
            "point": str(imported.point),
            "arm": imported.point.arm,
            "settings": json.dumps(dict(imported.point.settings), ensure_ascii=False),
            "computed_as": str(imported.point),
            "ordering": None,
            "batch": 0,
        }
        for imported in points
    ]
    return pa.Table.from_pylist(rows, schema=schema.POINTS_SCHEMA)


def _search_results(cases: Sequence[ImportedCase]) -> pa.Table:
    rows = [
        {
            "case_id": each.traced.case.case_id,
            "user_id": each.row.user_id,
            "status": each.row.status,
            "failed": each.row.failed,
            "search_duration_ms": each.row.duration_ms,
            "fields": json.dumps(
                {**each.row.fields, "search_context": None}, ensure_ascii=False, allow_nan=False
            ),
            **asdict(each.traced.checks),
        }
        for each in cases
    ]
    return pa.Table.from_pylist(rows, schema=SEARCH_RESULTS_SCHEMA)
