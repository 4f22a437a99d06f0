"""Opening a folder checks its tables, not only their hashes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from harness.errors import InputError
from harness.recording import schema
from harness.recording.recording import Recording
from harness.replay.run import Run
from harness.storage.hashing import sha256_of_file

from ..make.manifests import edit_manifest
from .conftest import CASES, Harness

Edit = Callable[[pa.Table], pa.Table]


def forged(source: Path, out: Path, name: str, edit: Edit) -> Path:
    """The folder with one table edited, under hashes that hold; a single row group."""
    shutil.copytree(source, out)
    path = out / name
    table = edit(pq.read_table(path))
    pq.write_table(table, path, row_group_size=max(1, len(table)))

    def rehash(value: dict[str, Any]) -> None:
        value["files"][name] = {"bytes": path.stat().st_size, "sha256": sha256_of_file(path)}

    edit_manifest(out, rehash)
    return out


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("without-column", "case_records.parquet has no column record_id"),
        ("rows-doubled", "windows.parquet: one row per case and item"),
    ],
)
def test_tables_that_are_not_as_declared_are_refused(
    folder: str, message: str, harness: Harness
) -> None:
    recording = CASES / "recording-tables" / folder
    finished = harness("replay", recording, "--out", "RUN", "--point", "2.6.5a1")
    assert finished.code == 2
    assert message in finished.err
    assert not Path("RUN").exists()


def set_column(name: str, change: Callable[[list[Any]], list[Any]]) -> Edit:
    def edit(table: pa.Table) -> pa.Table:
        place = table.column_names.index(name)
        field = table.schema.field(name)
        values = pa.array(change(table.column(name).to_pylist()), field.type)
        return table.set_column(place, field, values)

    return edit


def reversed_rows(table: pa.Table) -> pa.Table:
    return table.take(np.arange(len(table))[::-1])


def nullable(name: str) -> Edit:
    def edit(table: pa.Table) -> pa.Table:
        field = table.schema.field(name).with_nullable(True)
        return table.set_column(table.column_names.index(name), field, table.column(name))

    return edit


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    folders = CASES / "recording-tables"
    windows = pq.read_table(folders / "without-column" / schema.WINDOWS)
    return forged(folders / "rows-doubled", tmp_path / "sound", schema.WINDOWS, lambda _: windows)


def test_a_sound_recording_is_opened(sample: Path) -> None:
    assert len(Recording.open(sample).case_ids) == 3


@pytest.mark.parametrize(
    ("table", "edit", "message"),
    [
        (schema.WINDOWS, reversed_rows, "windows.parquet: one row per case and item, in order"),
        (schema.QUERIES, reversed_rows, "queries.parquet: one row per case, in order"),
        (schema.RECORDS, reversed_rows, "records.parquet: one row per record, in order"),
        (schema.GOLD, reversed_rows, "gold.parquet: at most one row per case"),
        (
            schema.QUERIES,
            set_column("case_id", lambda ids: [ids[0]] * len(ids)),
            "one row per case; the case_id",
        ),
        (
            schema.QUERIES,
            set_column("vector", lambda vectors: [[0.5], *vectors[1:]]),
            "a vector has 1 component, the recording 4",
        ),
        (
            schema.CASE_RECORDS,
            set_column("record", lambda numbers: [99, *numbers[1:]]),
            "record is not one of",
        ),
        (
            schema.WINDOWS,
            set_column("head", lambda heads: [-1, *heads[1:]]),
            "head is not the place of a record",
        ),
        (
            schema.WINDOWS,
            set_column("claims", lambda claims: [[77], *claims[1:]]),
            "claims are not places of records",
        ),
        (
            schema.RECORDS,
            set_column("block_ends", lambda ends: [[10**6] * len(ends[0] or [1]), *ends[1:]]),
            "records.parquet: block",
        ),
        (schema.RECORDS, nullable("text"), "records.parquet: text may be null"),
        (
            schema.RECORDS,
            lambda table: table.append_column("more", pa.nulls(len(table))),
            "has the column more",
        ),
        (
            schema.QUERIES,
            lambda table: table.set_column(0, "case", pc.cast(table.column("case"), pa.int64())),
            "queries.parquet: case is int64, expected int32",
        ),
    ],
)
def test_what_a_row_breaks_is_named(
    table: str, edit: Edit, message: str, sample: Path, tmp_path: Path
) -> None:
    folder = forged(sample, tmp_path / "forged", table, edit)
    with pytest.raises(InputError) as raised:
        Recording.open(folder)
    assert message in raised.value.message


def test_a_table_that_is_not_parquet_is_refused(sample: Path, tmp_path: Path) -> None:
    folder = tmp_path / "forged"
    shutil.copytree(sample, folder)
    path = folder / schema.GOLD
    path.write_bytes(b"PAR1" + b"\xff" * 40 + b"PAR1")

    def rehash(value: dict[str, Any]) -> None:
        value["files"][schema.GOLD] = {"bytes": 48, "sha256": sha256_of_file(path)}

    edit_manifest(folder, rehash)
    with pytest.raises(InputError, match=r"gold\.parquet cannot be read"):
        Recording.open(folder)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda content: content.update(dimension="x"), "content.dimension is 'x'"),
        (lambda content: content.update(counts=[]), "content.counts is not an object"),
        (lambda content: content["counts"].update(cases=7), "the manifest counts 7 cases"),
        (lambda content: content.update(kind="dream"), "cases of kind 'dream'"),
        (lambda content: content.update(recall="bm25"), "content.recall is not an object"),
    ],
)
def test_what_a_manifest_says_wrongly_is_named(
    edit: Callable[[dict[str, Any]], None], message: str, sample: Path
) -> None:
    edit_manifest(sample, lambda value: edit(value["content"]))
    with pytest.raises(InputError) as raised:
        Recording.open(sample)
    assert message in raised.value.message


@pytest.mark.parametrize(
    ("table", "edit", "message"),
    [
        ("cases.parquet", lambda table: pa.concat_tables([table, table]), "one row per case"),
        (
            "selections/000-00000.parquet",
            lambda table: pa.concat_tables([table, table]),
            "selections: one row per case and point",
        ),
        (
            "evidence/000-00000.parquet",
            lambda table: table.drop_columns(["point"]),
            "evidence/000-00000.parquet has no column point",
        ),
        (
            "points/000.parquet",
            set_column("computed_as", lambda names: ["whole"] * len(names)),
            "point is not one that the run computed",
        ),
    ],
)
def test_what_a_run_does_not_keep_to_is_named(
    table: str, edit: Edit, message: str, sample: Path, tmp_path: Path, harness: Harness
) -> None:
    assert harness("replay", sample, "--out", "RUN", "--point", "items", "-q").code == 0
    folder = forged(Path("RUN"), tmp_path / "forged", table, edit)
    with pytest.raises(InputError) as raised:
        Run.open(folder)
    assert message in raised.value.message
    assert harness("evidence", folder).code == 2
