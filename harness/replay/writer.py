"""Writing a run: selections and contexts go in; tokens, evidence and growth are counted here.

A replay and an import write their runs through this, so that a run is the same whichever made it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from harness.errors import InputError
from harness.evidence import ShownRecord, labels_of, measure
from harness.evidence.prompt import PromptTemplate
from harness.evidence.tokens import Tokenizer
from harness.model import Case, CaseView, PassageSequence, Policy, Query, Selection, view_of
from harness.points import Point, load_arm, parse_point
from harness.points.promises import ArmError
from harness.recording.recording import Recording
from harness.storage.atomic import atomic_path
from harness.storage.folder import (
    START_NAME,
    FolderState,
    OutputFolder,
    forget_start,
    open_output,
    started_work,
)
from harness.storage.hashing import sha256_of_text
from harness.storage.manifest import (
    MANIFEST_NAME,
    Manifest,
    code_version,
    environment,
    file_entries,
    read_manifest,
    verify_files,
)
from harness.storage.parquet import read_table, write_table

from . import schema
from .context import render_context
from .growth import (
    GrowthPair,
    ShownRanges,
    broken_growth,
    growth_pairs,
    losses,
    shown_by,
)
from .plan import plan_replay
from .rows import ShardRows


@dataclass(frozen=True, slots=True)
class TokenCounting:
    """How costs are counted: the two encodings and the answer prompt."""

    context_encoding: str
    reader_encoding: str
    template: PromptTemplate

    def count(self, context: str, query: Query) -> tuple[int, int]:
        """Count the tokens of the context, and of the reader's whole prompt."""
        return (
            Tokenizer(self.context_encoding).count(context),
            Tokenizer(self.reader_encoding).count(self.template.fill(context, query)),
        )


def counting_work(counting: TokenCounting | None) -> dict[str, Any] | None:
    """Say what tokens are counted with, for a manifest; None where they are not."""
    if counting is None:
        return None
    return {
        "context": Tokenizer(counting.context_encoding).fingerprint,
        "prompt": Tokenizer(counting.reader_encoding).fingerprint,
        "template_sha256": counting.template.sha256,
    }


@dataclass(frozen=True, slots=True)
class Batch:
    """Points that are added to the run `folder` together; worker processes get this.

    `tables` are written a part per shard. `earlier` points were computed by earlier batches.
    """

    folder: Path
    number: int
    points: tuple[str, ...]
    tables: tuple[str, ...]
    earlier: tuple[str, ...] = ()
    counting: TokenCounting | None = None

    def shard(self, number: int) -> ShardWriter:
        """Open the writer of the shard of that number."""
        return ShardWriter(self, number)


class RunWriter:
    """Makes the run `out`, or adds points to it.

        with RunWriter(out, work, verb="replay", counting=counting) as run:
            if run.add_points(points) is not FolderState.FINISHED:
                run.of(recording, numbers)
                with run.shard(0) as shard:
                    written = shard.case(case)
                    written.add(point, selection)
                    written.check_growth()

    When the block ends, the cases, the points and, last, the manifest are written. When it ends
    with an error, finished shards stay for the next call with the same work. `work` is what tells
    one run from another, its points aside; a run of other work is refused, unless `force`.
    """

    def __init__(
        self,
        out: Path,
        work: Mapping[str, Any],
        *,
        verb: str,
        counting: TokenCounting | None = None,
        given: Mapping[str, Any] | None = None,
        force: bool = False,
    ) -> None:
        self._out = out
        self._work = dict(work)
        self._verb = verb
        self._counting = counting
        self._given = dict(given or {})
        self._force = force
        self._existing = None if force else _existing(out, work)
        self._folder: OutputFolder | None = None
        self._added: tuple[Point, ...] = ()
        self._recording: Recording | None = None
        self._numbers: Sequence[int] = ()
        self._attached: list[str] = []
        self._notes: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, ArmError | InputError) and self._folder is not None:
            self._withdraw()  # neither an arm nor a recording will be the same once it is fixed
        if error is None and self._folder is not None and self._recording is not None:
            self._finish(self._folder, self._recording)

    @property
    def points(self) -> tuple[str, ...]:
        """Points that the run had before, as they are spelled."""
        return () if self._existing is None else tuple(self._existing.content["points"])

    @property
    def added(self) -> tuple[Point, ...]:
        """Points that are added now."""
        return self._added

    def add_points(self, points: Sequence[Point]) -> FolderState:
        """Start the work on the points that the run lacks; it is finished if it lacks none."""
        self._added = tuple(point for point in points if str(point) not in self.points)
        if self._existing is not None:
            _forget_finished_start(self._out, self.points)
            if not self._added:
                return FolderState.FINISHED
        adding = {**self._work, "adding": [str(point) for point in self._added]}
        self._folder = open_output(
            self._out, schema.RUN_SCHEMA, adding, schema.ENTRIES, force=self._force, growing=True
        )
        self._folder.start()
        return self._folder.state

    def of(self, recording: Recording, numbers: Sequence[int]) -> None:
        """Say which cases of which recording the run has, by their places."""
        self._recording = recording
        self._numbers = numbers

    @property
    def shards(self) -> list[tuple[int, ...]]:
        """Places of the cases of each shard."""
        size = schema.CASES_PER_SHARD
        starts = range(0, len(self._numbers), size)
        return [tuple(self._numbers[first : first + size]) for first in starts]

    @property
    def batch(self) -> Batch:
        return Batch(
            folder=self._out,
            number=0 if self._existing is None else len(self._existing.content["batches"]),
            points=tuple(str(point) for point in self._added),
            tables=self._tables(),
            earlier=self.points,
            counting=self._counting,
        )

    def shard(self, number: int) -> ShardWriter:
        """Open the writer of the shard of that number."""
        return self.batch.shard(number)

    def attach(self, name: str, table: pa.Table) -> None:
        """Write a table that only some runs have, under its own name."""
        file = f"{name}.parquet"
        _write(table, self._out / file)
        self._attached.append(file)

    def note(self, key: str, value: Any) -> None:
        """Add what only some runs say of themselves to the manifest's content."""
        self._notes[key] = value

    @property
    def broken_growth(self) -> tuple[str, ...]:
        """Say of which added arms that promise growth a larger point lacks what a smaller shows."""
        added = {point.arm for point in self._added}
        columns = ["arm", "smaller", "larger", "case_id"]
        rows = [
            tuple(row.values())
            for part in sorted((self._out / schema.LOSSES).glob("*.parquet"))
            for row in read_table(part, columns=columns).to_pylist()
            if row["arm"] in added
        ]
        return broken_growth(rows)

    def _withdraw(self) -> None:
        """Remove what this batch has written, and the folder if nothing else is in it."""
        batch = self.batch
        folders = [self._out / table for table in batch.tables]
        for folder in folders:
            for part in sorted(folder.glob(f"{batch.number:03d}-*.parquet")):
                part.unlink()
        (self._out / START_NAME).unlink(missing_ok=True)
        if self._folder is not None:
            self._folder.release()
        for folder in (*folders, self._out):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()

    def _tables(self) -> tuple[str, ...]:
        kind = "" if self._recording is None else self._recording.kind
        scores = any(load_arm(point.arm).scores_candidates for point in self._added)
        return schema.part_tables(kind, scores_candidates=scores)

    def _finish(self, folder: OutputFolder, recording: Recording) -> None:
        existing = {} if self._existing is None else self._existing.content
        batch, cases = self.batch, len(self._numbers)
        batches = [*existing.get("batches", ()), self._described(batch)]
        earlier = [parse_point(name) for name in batch.earlier]
        if not existing:
            _write(_cases(recording, self._numbers), self._out / schema.CASES)
        points_part = self._out / schema.POINTS / points_name(batch.number)
        _write(_points(earlier, self._added, batch.number), points_part)
        parts = _parts(batches)
        checked = dict(existing.get("growth_checks", {}))
        for pair in growth_pairs(self._added, earlier):
            checked[pair.arm] = checked.get(pair.arm, 0) + cases
        points = [*batch.earlier, *batch.points]
        described = recording.manifest.content
        # the manifest names every part by hash, so it is last: a folder without one is unfinished
        Manifest(
            schema=schema.RUN_SCHEMA,
            work={"recording": recording.sha256, **self._work},
            content={
                "counts": {"cases": cases, "points": len(points)},
                "kind": recording.kind,
                "points": points,
                "batches": batches,
                "growth_checks": checked,
                "losses": _loss_counts([self._out / name for name in parts[schema.LOSSES]]),
                "recording": {
                    "folder": recording.folder.as_posix(),
                    "sha256": recording.sha256,
                    "counts": described["counts"],
                },
                "dataset": described.get("dataset"),
                "recall": described.get("recall"),
                "embedder": described.get("embedder"),
                **self._notes,
            },
            files=file_entries(
                self._out,
                [
                    schema.CASES,
                    *self._attached,
                    *(name for names in parts.values() for name in names),
                ],
            ),
            arguments={"verb": self._verb, "given": self._given, "resolved": self._work},
            code=code_version(),
            environment=environment(),
        ).write(self._out)
        folder.finish()

    def _described(self, batch: Batch) -> dict[str, Any]:
        """Return what the manifest says of the batch; a replay is not named, as it always was."""
        return {
            "points": list(batch.points),
            "tables": list(batch.tables),
            "shards": len(self.shards),
            **({} if self._verb == REPLAY else {"verb": self._verb}),
            "given": self._given,
        }


REPLAY = "replay"
"""The verb of most runs."""


class ShardWriter:
    """The parts of some cases, written when the block ends, if it ends without an error."""

    def __init__(self, batch: Batch, number: int) -> None:
        self.batch = batch
        self.rows = ShardRows()
        self.computed_as, self.growth_pairs = _growth(batch)
        self._paths = {
            name: batch.folder / name / part_name(batch.number, number) for name in batch.tables
        }

    @property
    def is_written(self) -> bool:
        """Whether every part is there already, from interrupted work."""
        return all(path.exists() for path in self._paths.values())

    def case(self, case: Case) -> CaseWriter:
        """Open the writer of one of its cases."""
        return CaseWriter(self, case)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            # a shard counts as written once all of its parts exist, so their order does not matter
            tables = self.rows.tables()
            for name, path in self._paths.items():
                _write(tables[name], path)


class CaseWriter:
    """One case at every point of a batch. `view` is what policies see of it."""

    def __init__(self, shard: ShardWriter, case: Case) -> None:
        self.view: CaseView
        self.view, self._records = view_of(case)
        self._case = case
        self._shard = shard
        self._counting = shard.batch.counting
        self._record_ids = [record.record_id for record in self._records.records]
        self._labels = labels_of(case)
        self._tokens: dict[str, tuple[int | None, int | None]] = {}
        self._selections: dict[str, Selection] = {}

    def add(self, point: str, selection: Selection, context: str | None = None) -> None:
        """Add what `point` selected.

        `context`: the text that a reader was given; None: as the selection is rendered.
        """
        case_id = self._case.case_id
        if context is None:
            context = render_context(selection, self._records)
        digest = sha256_of_text(context)
        tokens = self._count(digest, context)
        shown = [
            ShownRecord(item.item, self._record_ids[quote.record], quote.ranges)
            for item in selection.items
            for quote in (item.head, *item.excerpts)
        ]
        evidence = measure(self._labels, shown, tokens[0])
        rows = self._shard.rows
        rows.add_context(digest, context)
        rows.add_selection(case_id, point, selection, context, digest, tokens)
        rows.add_quotes(case_id, point, selection, self._record_ids)
        rows.add_evidence(case_id, self._case.category, point, evidence, tokens[1])
        if selection.candidates is not None:
            rows.add_candidates(case_id, point, selection.candidates)
        if selection.expansion is not None:
            counted = self._counting is not None
            rows.add_expansion(self._case, point, selection, self._record_ids, counted=counted)
        self._selections[point] = selection

    def add_sequence(self, ordering: str, sequence: PassageSequence) -> None:
        """Add the order of all passages that several points cut."""
        self._shard.rows.add_sequence(self._case.case_id, ordering, sequence, self._record_ids)

    def check_growth(self, select: Callable[[Point], Selection] | None = None) -> None:
        """Compare every pair of points that grows (invariant 9), and note what is lost.

        Call it when every point of the batch was added. `select` computes again what a point of an
        earlier batch selected.
        """
        shown: dict[Policy, ShownRanges] = {}

        def shown_at(point: Point) -> ShownRanges:
            if point.policy not in shown:
                name = self._shard.computed_as.get(str(point), str(point))
                selection = self._selections.get(name)
                if selection is None and select is not None:
                    selection = select(point)
                if selection is None:
                    raise ValueError(f"case {self._case.case_id!r} has nothing at {point}")
                shown[point.policy] = shown_by(selection)
            return shown[point.policy]

        for pair in self._shard.growth_pairs:
            for loss in losses(pair, shown_at(pair.smaller), shown_at(pair.larger)):
                self._shard.rows.add_loss(self._case.case_id, loss, self._records)

    def _count(self, digest: str, context: str) -> tuple[int | None, int | None]:
        """Count tokens, of each distinct context once."""
        if self._counting is None:
            return None, None
        if digest not in self._tokens:
            self._tokens[digest] = self._counting.count(context, self._case.query)
        return self._tokens[digest]


@lru_cache(maxsize=1)
def _growth(batch: Batch) -> tuple[Mapping[str, str], Sequence[GrowthPair]]:
    """Find under which spelling each point is computed, and the pairs to compare.

    Kept between the shards that one process writes.
    """
    points = [parse_point(name) for name in batch.points]
    earlier = [parse_point(name) for name in batch.earlier]
    return plan_replay(points, earlier).computed_as, growth_pairs(points, earlier)


def part_name(batch: int, shard: int) -> str:
    """Name the file of a part, within the folder of its table."""
    return f"{batch:03d}-{shard:05d}.parquet"


def points_name(batch: int) -> str:
    """Name the file of a batch's part of the points."""
    return f"{batch:03d}.parquet"


def _write(table: pa.Table, path: Path) -> None:
    with atomic_path(path) as temporary:
        write_table(table, temporary)


def _existing(out: Path, work: Mapping[str, Any]) -> Manifest | None:
    """Read the manifest of a run that is there already; one of other work is refused."""
    if not (out / MANIFEST_NAME).is_file():
        return None
    manifest = read_manifest(out, schema.RUN_SCHEMA)
    for key, value in work.items():
        if manifest.work.get(key) != value:
            raise InputError(
                f"{out} holds a run of another {key} ({manifest.work.get(key)}, asked for {value})",
                "Choose another --out, or replace it with --force.",
            )
    verify_files(out, manifest)
    return manifest


def _forget_finished_start(out: Path, points: Sequence[str]) -> None:
    """Remove the start record of points that the manifest has: killed just before the end."""
    started = started_work(out)
    is_damaged = started is None and (out / START_NAME).exists()
    if not is_damaged and set((started or {}).get("adding", ())) <= set(points):
        forget_start(out)


def _parts(batches: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Name every part of every batch, by table."""
    parts: dict[str, list[str]] = {}
    for number, batch in enumerate(batches):
        for table in batch.get("tables", schema.PART_TABLES):
            names = [f"{table}/{part_name(number, shard)}" for shard in range(batch["shards"])]
            parts.setdefault(table, []).extend(names)
    parts[schema.POINTS] = [f"{schema.POINTS}/{points_name(n)}" for n in range(len(batches))]
    return parts


def _cases(recording: Recording, numbers: Sequence[int]) -> pa.Table:
    rows = [
        {
            "case": number,
            "case_id": query["case_id"],
            "category": query["category"],
            "question": query["text"],
            "date": query["date"],
            "items": query["items"],
        }
        for number, query in recording.queries(numbers)
    ]
    return pa.Table.from_pylist(rows, schema=schema.CASES_SCHEMA)


def _points(earlier: Sequence[Point], added: Sequence[Point], batch: int) -> pa.Table:
    plan = plan_replay(added, earlier)
    rows = [
        {
            "point": str(point),
            "arm": point.arm,
            "settings": json.dumps(point.recorded_settings, ensure_ascii=False),
            "computed_as": plan.computed_as[str(point)],
            "ordering": plan.ordering_of.get(plan.computed_as[str(point)]),
            "batch": batch,
        }
        for point in added
    ]
    return pa.Table.from_pylist(rows, schema=schema.POINTS_SCHEMA)


def _loss_counts(parts: Sequence[Path]) -> dict[str, dict[str, int]]:
    """Count losses and the cases that have some, by arm (invariant 9)."""
    tables = [read_table(part, columns=["arm", "case_id"]) for part in parts]
    rows = zip(*[column.to_pylist() for column in pa.concat_tables(tables).columns], strict=True)
    cases_by_arm: dict[str, list[str]] = {}
    for arm, case_id in rows:
        cases_by_arm.setdefault(arm, []).append(case_id)
    return {
        arm: {"losses": len(cases), "cases": len(set(cases))}
        for arm, cases in sorted(cases_by_arm.items())
    }
