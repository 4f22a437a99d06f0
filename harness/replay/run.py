"""Reading a run: its points with their aliases, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from harness.datasets.cohort import Cohort
from harness.errors import UsageError, nearest
from harness.points import Point, parse_point, parse_points
from harness.points.external import EXTERNAL
from harness.storage.manifest import Manifest, read_manifest, verify_files
from harness.storage.parquet import read_table
from harness.words import counted

from . import schema
from .invariants import check_run


@dataclass(frozen=True)
class Run:
    """A finished folder of selections, contexts, costs and evidence counts."""

    folder: Path
    manifest: Manifest

    @classmethod
    def open(cls, folder: Path) -> Run:
        """Open the run in `folder`, verified by hash."""
        manifest = read_manifest(folder, schema.RUN_SCHEMA)
        verify_files(folder, manifest)
        check_run(folder, manifest)
        return cls(folder, manifest)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """All points, in the order in which they were replayed."""
        return tuple(parse_point(spelling) for spelling in self.manifest.content["points"])

    @cached_property
    def computed_as(self) -> dict[str, str]:
        """From every point's spelling to the one under which its rows stand."""
        table = self.table(schema.POINTS, ["point", "computed_as"])
        return dict(zip(*[column.to_pylist() for column in table.columns], strict=True))

    def chosen(self, spellings: Sequence[str]) -> tuple[Point, ...]:
        """Return the run's points that the spellings name (a bare arm name: its default points);
        all without any. Raises `UsageError` for a point that the run does not have."""
        if not spellings:
            return self.points
        # parse_points refuses these: no arm computes them
        imported = {str(point): point for point in self.points if point.arm == EXTERNAL.name}
        wanted = [imported[spelling] for spelling in spellings if spelling in imported]
        wanted += parse_points(spelling for spelling in spellings if spelling not in imported)
        missing = [str(point) for point in wanted if str(point) not in self.computed_as]
        if missing:
            close = nearest(missing[0], self.computed_as)
            raise UsageError(
                f"the run {self.folder} has no point {', '.join(missing)}{close}",
                f"Add it: harness replay RECORDING --out {self.folder} --point '{missing[0]}'",
            )
        return tuple(wanted)

    def one(self, spelling: str, option: str = "--point") -> Point:
        """Return the one point of the run that `spelling` names; raises `UsageError`, naming
        `option`, for an arm's name that means several."""
        points = self.chosen([spelling])
        if len(points) != 1:
            names = ", ".join(str(point) for point in points)
            raise UsageError(
                f"{option} {spelling} means {counted(len(points), 'point')}: {names}",
                "Name one of them.",
            )
        return points[0]

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a table of the run, all parts together; empty for one that no batch has."""
        names = [entry for entry in self.manifest.files if entry.startswith(f"{name}/")]
        chosen = None if columns is None else list(columns)
        if not names:
            empty = schema.PART_SCHEMAS[name].empty_table()
            return empty if chosen is None else empty.select(chosen)
        parts = [read_table(self.folder / entry, columns=chosen) for entry in names]
        # each part has dictionaries of its own, in which one number means different names
        return pa.concat_tables(part.unify_dictionaries() for part in parts).unify_dictionaries()

    @cached_property
    def cohort(self) -> Cohort:
        """Cases, in the run's order, and the part of the split that they are."""
        return Cohort.of_run(self.cases()["case_id"].to_pylist(), self.manifest.work)

    def cases(self) -> pa.Table:
        return read_table(self.folder / schema.CASES)

    def evidence_rows(self, points: Sequence[Point]) -> pa.Table:
        """Return the evidence counts of the points, aliases under their own spelling too."""
        table = self.table(schema.EVIDENCE)
        names = table.column("point").cast(pa.string())
        parts = []
        for point in points:
            rows = table.filter(pc.equal(names, self.computed_as[str(point)]))
            spelled = pa.array([str(point)] * len(rows), pa.string())
            parts.append(rows.set_column(rows.column_names.index("point"), "point", spelled))
        return pa.concat_tables(parts)

    def contexts(self, point: Point) -> Iterator[tuple[str, str, str]]:
        """Yield case id, context hash and context of every case at a point, in case order."""
        selections = self.table(schema.SELECTIONS, ["case_id", "point", "context_sha256"])
        names = selections.column("point").cast(pa.string())
        rows = selections.filter(pc.equal(names, self.computed_as[str(point)]))
        wanted = set(rows.column("context_sha256").to_pylist())
        texts: dict[str, str] = {}
        contexts = self.table(schema.CONTEXTS)
        for digest, text in zip(*contexts.columns, strict=True):
            if digest.as_py() in wanted:
                texts[digest.as_py()] = text.as_py()
        ids = rows.column("case_id").cast(pa.string()).to_pylist()
        for case_id, digest in zip(ids, rows.column("context_sha256").to_pylist(), strict=True):
            yield case_id, digest, texts[digest]
