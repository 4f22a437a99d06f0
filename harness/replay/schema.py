"""The tables of a run, version 1. `docs/file-formats.md` describes every column.

`cases.parquet` is a single file. The others are folders of parts, which DuckDB and pandas read as
one table: `points` has one for each batch of points, the rest one for each batch and each shard of
cases. Adding points to a run writes new parts and leaves every file that is there as it is.
"""

from __future__ import annotations

import pyarrow as pa

from harness.evidence import SCHEMA as EVIDENCE_COUNTS
from harness.model import LOOKUP

RUN_SCHEMA = "harness.run/1"
CASES_PER_SHARD = 32

CASES = "cases.parquet"
POINTS = "points"
SELECTIONS = "selections"
QUOTES = "quotes"
SEQUENCES = "sequences"
CONTEXTS = "contexts"
EVIDENCE = "evidence"
LOSSES = "losses"
CANDIDATES = "candidates"
EXPANSIONS = "expansions"
PRINTED_BLOCKS = "printed_blocks"
PART_TABLES = (SELECTIONS, QUOTES, SEQUENCES, CONTEXTS, EVIDENCE, LOSSES)
"""What every batch of points has."""
SEARCH_RESULTS = "search_results"
IMPORTED = "imported"
"""The key under which a run's manifest says from what it was imported."""
RECORDING = "recording"
"""What an import has besides: a table of its own, and the recording that its contexts are of."""
ENTRIES = (
    CASES,
    POINTS,
    *PART_TABLES,
    CANDIDATES,
    EXPANSIONS,
    PRINTED_BLOCKS,
    f"{SEARCH_RESULTS}.parquet",
    RECORDING,
)
"""What a run writes at the top of its folder, its records aside."""


def part_tables(kind: str, *, scores_candidates: bool) -> tuple[str, ...]:
    """Return the tables of a batch: those of lookups, and of points that score candidates, only
    there."""
    candidates = (CANDIDATES,) if scores_candidates else ()
    return (*PART_TABLES, *candidates, *((EXPANSIONS, PRINTED_BLOCKS) if kind == LOOKUP else ()))


NAME = pa.dictionary(pa.int32(), pa.string())
"""A string that repeats: a case id, a point, an ordering, a record id."""


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


CASES_SCHEMA = pa.schema(
    [
        _required("case", pa.int32()),
        _required("case_id", pa.string()),
        pa.field("category", pa.string()),
        _required("question", pa.string()),
        pa.field("date", pa.string()),
        _required("items", pa.int32()),
    ]
)
POINTS_SCHEMA = pa.schema(
    [
        _required("point", pa.string()),
        _required("arm", pa.string()),
        _required("settings", pa.string()),
        _required("computed_as", pa.string()),
        pa.field("ordering", pa.string()),
        _required("batch", pa.int32()),
    ]
)
SELECTIONS_SCHEMA = pa.schema(
    [
        _required("case_id", NAME),
        _required("point", NAME),
        pa.field("budget", pa.int32()),
        _required("used", pa.int32()),
        pa.field("budget_unit", pa.string()),
        _required("items", pa.int32()),
        _required("passages_taken", pa.int32()),
        _required("omitted_items", pa.int32()),
        _required("omitted_passages", pa.int32()),
        _required("omitted_excerpts", pa.int32()),
        _required("context_sha256", pa.string()),
        _required("context_characters", pa.int32()),
        pa.field("context_tokens", pa.int32()),
        pa.field("prompt_tokens_estimated", pa.int32()),
    ]
)
QUOTES_SCHEMA = pa.schema(
    [
        _required("case_id", NAME),
        _required("point", NAME),
        _required("item", pa.int32()),
        _required("excerpt", pa.int32()),
        _required("record_id", NAME),
        _required("start", pa.int32()),
        _required("end", pa.int32()),
    ]
)
SEQUENCES_SCHEMA = pa.schema(
    [
        _required("case_id", NAME),
        _required("ordering", NAME),
        _required("place", pa.int32()),
        _required("item", pa.int32()),
        _required("record_id", NAME),
        _required("start", pa.int32()),
        _required("end", pa.int32()),
        _required("record_rank", pa.int32()),
        _required("inside_rank", pa.int32()),
        pa.field("cosine_rank", pa.int32()),
        pa.field("parts", pa.list_(pa.string())),
    ]
)
CONTEXTS_SCHEMA = pa.schema(
    [_required("context_sha256", pa.string()), _required("text", pa.string())]
)
EVIDENCE_SCHEMA = pa.schema(
    [
        _required("case_id", NAME),
        pa.field("category", NAME),
        _required("point", NAME),
        *EVIDENCE_COUNTS,
        pa.field("prompt_tokens_estimated", pa.int32()),
    ]
)
LOSSES_SCHEMA = pa.schema(
    [
        _required("case_id", pa.string()),
        _required("arm", pa.string()),
        _required("smaller", pa.string()),
        _required("larger", pa.string()),
        _required("lost", pa.string()),
        _required("item", pa.int32()),
        pa.field("record_id", pa.string()),
    ]
)
CANDIDATES_SCHEMA = pa.schema(
    [
        _required("case_id", NAME),
        _required("point", NAME),
        _required("place", pa.int32()),
        _required("item", pa.int32()),
        _required("score", pa.float32()),
        _required("selected", pa.bool_()),
        _required("rendered", pa.bool_()),
        _required("cost", pa.int32()),
        _required("cluster", pa.int32()),
        _required("reasons", pa.list_(pa.string())),
        _required("signal_names", pa.list_(pa.string())),
        _required("signals", pa.list_(pa.float32())),
        _required("weights", pa.list_(pa.float32())),
        _required("plan", NAME),
        _required("exact", pa.bool_()),
        _required("summary", NAME),
    ]
)
EXPANSIONS_SCHEMA = pa.schema(
    [
        _required("case_id", NAME),
        pa.field("category", NAME),
        _required("point", NAME),
        _required("result_tokens_estimated", pa.int32()),
        pa.field("result_tokens", pa.int32()),
        _required("table_bytes", pa.int32()),
        _required("block_bytes", pa.int32()),
        _required("relation_bytes", pa.int32()),
        _required("note_bytes", pa.int32()),
        _required("stub_bytes", pa.int32()),
        _required("over_budget_bytes", pa.int32()),
        _required("rows", pa.int32()),
        _required("rows_expanded", pa.int32()),
        _required("related_documents", pa.int32()),
        _required("fetches", pa.int32()),
        _required("blocks", pa.int32()),
        _required("stubs", pa.int32()),
        _required("outlines", pa.int32()),
        _required("pinned_documents", pa.int32()),
        _required("uncitable_blocks", pa.int32()),
        _required("omitted", pa.int32()),
        _required("coalesced", pa.int32()),
        _required("fields", pa.int32()),
        _required("fields_citable", pa.int32()),
        _required("fields_citable_with_stubs", pa.int32()),
    ]
)
PRINTED_BLOCKS_SCHEMA = pa.schema(
    [
        _required("case_id", NAME),
        _required("point", NAME),
        _required("place", pa.int32()),
        _required("record_id", NAME),
        _required("location", pa.string()),
        _required("related", pa.bool_()),
        _required("form", NAME),
        _required("start", pa.int32()),
        _required("end", pa.int32()),
        _required("bytes", pa.int32()),
        pa.field("same_as", pa.string()),
    ]
)
PART_SCHEMAS = {
    SELECTIONS: SELECTIONS_SCHEMA,
    QUOTES: QUOTES_SCHEMA,
    SEQUENCES: SEQUENCES_SCHEMA,
    CONTEXTS: CONTEXTS_SCHEMA,
    EVIDENCE: EVIDENCE_SCHEMA,
    LOSSES: LOSSES_SCHEMA,
    CANDIDATES: CANDIDATES_SCHEMA,
    EXPANSIONS: EXPANSIONS_SCHEMA,
    PRINTED_BLOCKS: PRINTED_BLOCKS_SCHEMA,
}
