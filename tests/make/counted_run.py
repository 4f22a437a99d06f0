"""A run of made-up costs: the tables that choosing reads, and a split of its six questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness.datasets.split import drawn_indices
from harness.replay import schema
from harness.storage.manifest import Manifest, file_entries

from .splits import write_split

IDS = ("q0", "q1", "q2", "q3", "q4", "q5")
SEED, DRAWN = 4, 3
DEV = tuple(IDS[index] for index in drawn_indices(SEED, DRAWN, len(IDS)))
TEST = tuple(name for name in IDS if name not in DEV)
DATASET_SHA256 = "d" * 64

ALIASES = {"items": "count-curve(k=full)"}
"""Spelling -> the one under which its rows stand."""


def counted_split(path: Path, *, dataset_sha256: str = DATASET_SHA256) -> Path:
    types = dict.fromkeys(IDS, "multi")
    write_split(path, types, seed=SEED, dev=DRAWN, dataset_sha256=dataset_sha256)
    return path


def counted_run(
    folder: Path,
    costs: Mapping[str, Sequence[int | None]],
    *,
    shown: Mapping[str, Sequence[int]] | None = None,
    test_cost: int = 9_999,
    part: str = "all",
) -> Path:
    """`costs`: by point, the context tokens of the dev questions in order; those of every test
    question are `test_cost`. `shown`: the answer sessions shown, of two, of the dev questions."""
    cases = {"all": IDS, "dev": DEV, "test": TEST}[part]
    folder.mkdir()
    rows = [
        _row(name, point, spent[DEV.index(name)] if name in DEV else test_cost)
        | {"answer_sessions_shown": (shown or {}).get(point, (0, 0, 0))[_place(name)]}
        for point, spent in costs.items()
        for name in cases
    ]
    spellings = list(costs) + [name for name, lead in ALIASES.items() if lead in costs]
    _write(
        folder / schema.CASES,
        schema.CASES_SCHEMA,
        [
            {"case": place, "case_id": name, "question": "?", "items": 1}
            for place, name in enumerate(cases)
        ],
    )
    _write(folder / "evidence" / "0-0.parquet", schema.EVIDENCE_SCHEMA, rows)
    _write(
        folder / "points" / "0.parquet",
        schema.POINTS_SCHEMA,
        [
            {
                "point": name,
                "arm": name.split("(")[0],
                "settings": "{}",
                "computed_as": ALIASES.get(name, name),
                "batch": 0,
            }
            for name in spellings
        ],
    )
    names = ["cases.parquet", "evidence/0-0.parquet", "points/0.parquet"]
    Manifest(
        schema=schema.RUN_SCHEMA,
        work={"part": part, "split_sha256": None, "cases": len(cases)},
        content={"points": spellings, "dataset": {"name": "made", "sha256": DATASET_SHA256}},
        files=file_entries(folder, names),
    ).write(folder)
    return folder


def _place(name: str) -> int:
    return DEV.index(name) if name in DEV else 0


def _row(name: str, point: str, tokens: int | None) -> dict[str, Any]:
    counts = dict.fromkeys(
        (field.name for field in schema.EVIDENCE_SCHEMA if pa.types.is_integer(field.type)), 0
    )
    return {
        **counts,
        "case_id": name,
        "category": "multi",
        "point": point,
        "labelled": True,
        "answer_sessions": 2,
        "first_item_rank": None,
        "context_tokens": tokens,
        "prompt_tokens_estimated": None if tokens is None else 1000 - tokens,
    }


def _write(path: Path, table_schema: pa.Schema, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=table_schema), path)
