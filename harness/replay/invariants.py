"""What the tables of a run keep to, checked when it is opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from harness.errors import Faults
from harness.recording.invariants import schema_faults
from harness.storage.manifest import Manifest
from harness.storage.parquet import read_table

from . import schema

_SCHEMAS = {**schema.PART_SCHEMAS, schema.POINTS: schema.POINTS_SCHEMA}
_HINT = "Whatever wrote it did not keep to docs/file-formats.md: replay it again with --force."


def check_run(folder: Path, manifest: Manifest) -> None:
    """Raise one `InputError` with what a run's manifest and tables do not keep to."""
    faults = Faults()
    for fault in _manifest_faults(manifest):
        faults.add(fault)
    faults.raise_if_any(f"{folder}: the manifest", _HINT)
    for name in manifest.files:
        table = name.partition("/")[0]
        expected = schema.CASES_SCHEMA if name == schema.CASES else _SCHEMAS.get(table)
        if expected is not None:
            for fault in schema_faults(folder / name, expected):
                faults.add(fault if name == schema.CASES else f"{table}/{fault}")
    faults.raise_if_any(str(folder), _HINT)
    for fault in _row_faults(folder, manifest):
        faults.add(fault)
    faults.raise_if_any(str(folder), _HINT)


def _manifest_faults(manifest: Manifest) -> Iterator[str]:
    points = manifest.content.get("points")
    if not isinstance(points, list) or not all(isinstance(point, str) for point in points):
        yield "content.points is not a list of points"
    elif len(set(points)) < len(points):
        yield "content.points names a point twice"
    for key, kind in (("batches", list), ("counts", dict), ("recording", dict), ("losses", dict)):
        if not isinstance(manifest.content.get(key), kind):
            yield f"content.{key} is missing, or not {'a list' if kind is list else 'an object'}"
    if schema.CASES not in manifest.files:
        yield f"it does not name {schema.CASES}"
    yield from _token_faults(manifest.work.get("tokens"))
    for key in ("dataset", "recall", "embedder"):
        if not isinstance(manifest.content.get(key), Mapping | None):
            yield f"content.{key} is not an object"
    losses = manifest.content.get("losses")
    for arm, counts in losses.items() if isinstance(losses, dict) else ():
        if not isinstance(counts, dict) or not {"losses", "cases"} <= set(counts):
            yield f"content.losses.{arm} does not count losses and cases"


def _token_faults(tokens: object) -> Iterator[str]:
    """Yield what is wrong with how tokens were counted; None where they were not."""
    if tokens is None:
        return
    if not isinstance(tokens, Mapping):
        yield "work.tokens is not an object"
        return
    for key in ("context", "prompt"):
        if not isinstance(tokens.get(key), Mapping) or "encoding" not in tokens[key]:
            yield f"work.tokens.{key} does not name an encoding"
    if not isinstance(tokens.get("template_sha256"), str):
        yield "work.tokens.template_sha256 is not a hash"


def _row_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    cases = read_table(folder / schema.CASES, ["case_id"]).column(0).to_pylist()
    if len(set(cases)) < len(cases):
        yield f"{schema.CASES}: one row per case; a case_id stands twice"
    points = _parts(folder, manifest, schema.POINTS, ["point", "computed_as"])
    spelled = points.column("point").to_pylist()
    if spelled != list(manifest.content["points"]):
        yield f"{schema.POINTS}: one row per point of the manifest, in its order"
    computed = set(points.column("computed_as").to_pylist())
    for name in (schema.SELECTIONS, schema.EVIDENCE):
        table = _parts(folder, manifest, name, ["case_id", "point"])
        rows = {column: table.column(column).cast(pa.string()) for column in table.column_names}
        keys = pa.table(rows).group_by(["case_id", "point"]).aggregate([]).num_rows
        if keys != len(table):
            yield f"{name}: one row per case and point; one stands twice"
        if not set(rows["case_id"].unique().to_pylist()) <= set(cases):
            yield f"{name}: case_id is not one of the run's"
        if not set(rows["point"].unique().to_pylist()) <= computed:
            yield f"{name}: point is not one that the run computed"


def _parts(folder: Path, manifest: Manifest, table: str, columns: list[str]) -> pa.Table:
    names = [name for name in manifest.files if name.startswith(f"{table}/")]
    if not names:
        return _SCHEMAS[table].empty_table().select(columns)
    parts = [read_table(folder / name, columns).unify_dictionaries() for name in names]
    return pa.concat_tables(parts).unify_dictionaries()
