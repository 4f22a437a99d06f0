"""Replaying a recording: batches of points, shards of cases, a manifest at the end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness.datasets.cohort import Cohort
from harness.errors import InputError, UsageError
from harness.evidence.tokens import Tokenizer
from harness.points import Point, load_arm
from harness.points.external import EXTERNAL
from harness.progress import progress
from harness.recording.recording import Recording
from harness.storage.atomic import atomic_path
from harness.storage.folder import START_NAME, FolderState, open_output, started_work
from harness.storage.manifest import (
    MANIFEST_NAME,
    Manifest,
    code_version,
    environment,
    file_entries,
    read_manifest,
    verify_files,
)

from . import schema
from .applicable import applicable
from .growth import growth_pairs
from .plan import plan_replay
from .shard import (
    Shard,
    ShardWork,
    TokenCounting,
    parse_points_exactly,
    part_name,
    points_name,
    run_shard,
)
from .workers import run_in_processes


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """What is asked for. `counting` None leaves tokens uncounted."""

    recording: Path
    points: tuple[Point, ...]
    cohort: Cohort
    counting: TokenCounting | None


@dataclass(frozen=True, slots=True)
class ReplayOutcome:
    """What `out` was before, and how many points and cases were computed now.

    `not_applicable`: points that were asked for, whose arms do not run on this kind of case.
    """

    state: FolderState
    points: int
    cases: int
    not_applicable: tuple[Point, ...] = ()


def replay(
    recording: Recording,
    request: ReplayRequest,
    out: Path,
    *,
    jobs: int = 1,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> ReplayOutcome:
    """Replay the recording's cohort through the points, into the run `out`.

    A run that holds other points of the same cases is added to. Finished shards of interrupted work
    are kept, and the result is the same to the byte.
    """
    wanted_ids = frozenset(request.cohort.ids)
    numbers = tuple(
        number for number, case_id in enumerate(recording.case_ids) if case_id in wanted_ids
    )
    if not numbers:
        raise UsageError(
            f"{request.recording} has no case of the part {request.cohort.part!r}",
            "Choose another --part, or leave --split away for every case.",
        )
    work = _work(recording, request, len(numbers))
    existing = None if force else _existing(out, work)
    known = [] if existing is None else list(existing.content["points"])
    accepted, others = applicable(request.points, recording.kind)
    wanted = [point for point in accepted if str(point) not in known]
    if existing is not None:
        _forget_finished_start(out, known)
        if not wanted:
            return ReplayOutcome(FolderState.FINISHED, 0, 0, others)
    adding = {**work, "adding": [str(point) for point in wanted]}
    folder = open_output(out, schema.RUN_SCHEMA, adding, schema.ENTRIES, force=force, growing=True)
    folder.start()
    shard_work = ShardWork(
        recording=request.recording,
        recording_sha256=recording.sha256,
        run=out,
        batch=0 if existing is None else len(existing.content["batches"]),
        points=tuple(str(point) for point in wanted),
        tables=_tables(recording, wanted),
        earlier=tuple(known),
        counting=request.counting,
    )
    _run_shards(shard_work, numbers, jobs=jobs, quiet=quiet)
    _finish(recording, request, numbers, out, work, existing, wanted, dict(given or {}))
    folder.finish()
    return ReplayOutcome(folder.state, len(wanted), len(numbers), others)


def _tables(recording: Recording, points: Sequence[Point]) -> tuple[str, ...]:
    scores = any(load_arm(point.arm).scores_candidates for point in points)
    return schema.part_tables(recording.kind, scores_candidates=scores)


def _work(recording: Recording, request: ReplayRequest, cases: int) -> dict[str, Any]:
    """What tells one run from another, its points aside."""
    counting = request.counting
    tokens = None
    if counting is not None:
        tokens = {
            "context": Tokenizer(counting.context_encoding).fingerprint,
            "prompt": Tokenizer(counting.reader_encoding).fingerprint,
            "template_sha256": counting.template.sha256,
        }
    return {
        "recording": recording.sha256,
        "part": request.cohort.part,
        "split_sha256": request.cohort.split_sha256,
        "cases": cases,
        "tokens": tokens,
    }


def _existing(out: Path, work: Mapping[str, Any]) -> Manifest | None:
    """The manifest of a run that is there already; another recording or cohort is refused."""
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
    if any(name.startswith(f"{EXTERNAL.name}(") for name in manifest.content["points"]):
        raise UsageError(
            f"{out} holds contexts of another system, to which nothing can be replayed",
            "Choose another --out.",
        )
    return manifest


def _forget_finished_start(out: Path, known: Sequence[str]) -> None:
    """Remove the start record of points that the manifest has: killed just before the end."""
    started = started_work(out)
    if started is not None and set(started.get("adding", ())) <= set(known):
        (out / START_NAME).unlink()


def _run_shards(work: ShardWork, numbers: Sequence[int], *, jobs: int, quiet: bool) -> None:
    size = schema.CASES_PER_SHARD
    shards = [
        Shard(number, tuple(numbers[first : first + size]))
        for number, first in enumerate(range(0, len(numbers), size))
    ]
    several = jobs > 1 and len(shards) > 1
    done = run_in_processes(work, shards, jobs) if several else (run_shard(work, s) for s in shards)
    for _ in progress(done, total=len(shards), label="replay", unit="shard", quiet=quiet):
        pass


def _finish(
    recording: Recording,
    request: ReplayRequest,
    numbers: Sequence[int],
    out: Path,
    work: Mapping[str, Any],
    existing: Manifest | None,
    added: Sequence[Point],
    given: Mapping[str, Any],
) -> None:
    earlier = [] if existing is None else parse_points_exactly(existing.content["points"])
    batches = [] if existing is None else list(existing.content["batches"])
    shards = -(-len(numbers) // schema.CASES_PER_SHARD)
    batches.append(
        {
            "points": [str(point) for point in added],
            "tables": list(_tables(recording, added)),
            "shards": shards,
            "given": given,
        }
    )
    if existing is None:
        _write(out / schema.CASES, _cases(recording, numbers))
    points_part = out / schema.POINTS / points_name(len(batches) - 1)
    _write(points_part, _points(earlier, added, len(batches) - 1))
    parts: dict[str, list[str]] = {}
    for number, batch in enumerate(batches):
        for table in batch.get("tables", schema.PART_TABLES):
            names = [f"{table}/{part_name(number, shard)}" for shard in range(batch["shards"])]
            parts.setdefault(table, []).extend(names)
    parts[schema.POINTS] = [f"{schema.POINTS}/{points_name(n)}" for n in range(len(batches))]
    checked = dict(existing.content["growth_checks"]) if existing is not None else {}
    for pair in growth_pairs(added, earlier):
        checked[pair.arm] = checked.get(pair.arm, 0) + len(numbers)
    content = recording.manifest.content
    points = [str(point) for point in (*earlier, *added)]
    Manifest(
        schema=schema.RUN_SCHEMA,
        work=work,
        content={
            "counts": {"cases": len(numbers), "points": len(points)},
            "kind": recording.kind,
            "points": points,
            "batches": batches,
            "growth_checks": checked,
            "losses": _loss_counts([out / name for name in parts[schema.LOSSES]]),
            "recording": {
                "folder": request.recording.as_posix(),
                "sha256": recording.sha256,
                "counts": content["counts"],
            },
            "dataset": content.get("dataset"),
            "recall": content.get("recall"),
            "embedder": content.get("embedder"),
        },
        files=file_entries(
            out, [schema.CASES, *(name for part in parts.values() for name in part)]
        ),
        arguments={"verb": "replay", "given": given, "resolved": dict(work)},
        code=code_version(),
        environment=environment(),
    ).write(out)


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
            "settings": json.dumps(dict(point.settings), ensure_ascii=False),
            "computed_as": plan.computed_as[str(point)],
            "ordering": plan.ordering_of.get(plan.computed_as[str(point)]),
            "batch": batch,
        }
        for point in added
    ]
    return pa.Table.from_pylist(rows, schema=schema.POINTS_SCHEMA)


def _loss_counts(parts: Sequence[Path]) -> dict[str, dict[str, int]]:
    """Losses and the cases that have some, by arm (invariant 9)."""
    tables = [pq.read_table(part, columns=["arm", "case_id"]) for part in parts]
    rows = zip(*[column.to_pylist() for column in pa.concat_tables(tables).columns], strict=True)
    cases_by_arm: dict[str, list[str]] = {}
    for arm, case_id in rows:
        cases_by_arm.setdefault(arm, []).append(case_id)
    return {
        arm: {"losses": len(cases), "cases": len(set(cases))}
        for arm, cases in sorted(cases_by_arm.items())
    }


def _write(path: Path, table: pa.Table) -> None:
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_statistics=False)
