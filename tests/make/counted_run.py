"""A run of made-up costs, and a split of its six questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from harness.datasets.split import drawn_indices
from harness.model import Case, Gold, Item, Query, Record
from harness.replay import schema
from harness.storage.manifest import file_entries

from .manifests import edit_manifest
from .once import copied, once
from .recordings import recording_of, run_of
from .splits import write_split

IDS = ("q0", "q1", "q2", "q3", "q4", "q5")
SEED, DRAWN = 4, 3
DEV = tuple(IDS[index] for index in drawn_indices(SEED, DRAWN, len(IDS)))
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
    """Write a run to `folder`, in which the counts that matter are replaced.

    `costs`: by point, the context tokens of the dev questions in order; those of every test
    question are `test_cost`, and a prompt has a thousand less. `shown`: the answer sessions shown,
    of two, of the dev questions.
    """
    points = (*costs, *(name for name, lead in ALIASES.items() if lead in costs))
    copied(_replayed(points, part), folder)
    (path,) = (folder / schema.EVIDENCE).iterdir()
    rows = pq.read_table(path).to_pylist()
    for row in rows:
        place = DEV.index(row["case_id"]) if row["case_id"] in DEV else None
        tokens = test_cost if place is None else costs[row["point"]][place]
        row["context_tokens"] = tokens
        row["prompt_tokens_estimated"] = None if tokens is None else 1000 - tokens
        if shown is not None and place is not None:
            row["answer_sessions_shown"] = shown[row["point"]][place]
    pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(path)), path)
    name = path.relative_to(folder).as_posix()
    entry = file_entries(folder, [name])[name]
    edit_manifest(folder, lambda value: value["files"].update({name: asdict(entry)}))
    return folder


def _replayed(points: Sequence[str], part: str) -> Path:
    recording = recording_of(map(_case, IDS), dataset_sha256=DATASET_SHA256)
    if part == "all":
        return run_of(recording, points)
    split = once(lambda folder: counted_split(folder / "split.json"), "split") / "split.json"
    return run_of(recording, points, "--split", str(split), "--part", part)


def _case(name: str) -> Case:
    return Case(
        name,
        Query("?"),
        (Record("r", "It is so.", session_id="s"), Record("not an item", "", session_id="a")),
        (Item("r"),),
        "multi",
        Gold("so", sessions=("a", "b")),
    )
