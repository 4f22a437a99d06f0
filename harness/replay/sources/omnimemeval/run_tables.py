"""Writing an import as a run: the tables of a replay, with the recording that they are of inside.

The recording holds what the contexts show: their items as windows, the quoted records, the labels.
It has no blocks, no vectors, and no recall or embedder that anybody knows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from harness.recording.writer import RecordingWriter
from harness.replay.schema import SEARCH_RESULTS
from harness.replay.writer import CaseWriter, RunWriter

from .checks import names_of, total
from .search_results import SearchResult
from .traced_case import TracedCase, shown_as
from .tracing import first_blocks

VERB = "import omnimemeval"
_COLUMNS = (
    pa.field("case_id", pa.string(), nullable=False),
    pa.field("user_id", pa.string(), nullable=False),
    pa.field("status", pa.string(), nullable=False),
    pa.field("failed", pa.bool_(), nullable=False),
    pa.field("search_duration_ms", pa.float64(), nullable=False),
    pa.field("fields", pa.string(), nullable=False),
)
"""Of `search_results.parquet`; the checks of the import follow."""


@dataclass(frozen=True, slots=True)
class ImportedCase:
    """A question's row of the results, and its context traced."""

    row: SearchResult
    traced: TracedCase


def write_recording(
    folder: Path,
    cases: Sequence[ImportedCase],
    work: Mapping[str, Any],
    dataset: Mapping[str, Any],
    given: Mapping[str, Any],
    *,
    force: bool,
    quiet: bool,
) -> None:
    """Write the recording of the cases into `folder`, unless it is there already; with `force` in
    place of one of other cases. `dataset` is what it says of its dataset."""
    with RecordingWriter(folder, verb=VERB, given=given, force=force, quiet=quiet) as recording:
        for imported in cases:
            recording.add(imported.traced.case)
        recording.describe(work, dataset=dataset, recall=None, embedder=None)


def write_tables(
    run: RunWriter, cases: Sequence[ImportedCase], kept: Mapping[str, int | None]
) -> None:
    """Write the tables of the run. `kept`: by point, how many first items of a context it shows;
    None for all."""
    for number, places in enumerate(run.shards):
        parts = run.shard(number)
        if parts.is_written:
            continue
        with parts:
            for place in places:
                traced = cases[place].traced
                _add(parts.case(traced.case), traced, kept)
    run.attach(SEARCH_RESULTS, _search_results(cases))


def _add(case: CaseWriter, traced: TracedCase, kept: Mapping[str, int | None]) -> None:
    for point, keep in kept.items():
        if keep is None:
            case.add(point, traced.selection, traced.context)
        else:
            cut = shown_as(traced.selection.items[:keep])
            case.add(point, cut, first_blocks(traced.context, keep))
    case.check_growth()


def _search_results(cases: Sequence[ImportedCase]) -> pa.Table:
    names = names_of(total(case.traced.checks for case in cases))
    checks = [pa.field(name, pa.int32(), nullable=False) for name in names]
    rows = [
        {
            "case_id": case.traced.case.case_id,
            "user_id": case.row.user_id,
            "status": case.row.status,
            "failed": case.row.failed,
            "search_duration_ms": case.row.duration_ms,
            "fields": json.dumps(
                {**case.row.fields, "search_context": None}, ensure_ascii=False, allow_nan=False
            ),
            **asdict(case.traced.checks),
        }
        for case in cases
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema([*_COLUMNS, *checks]))
