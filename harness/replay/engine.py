"""Replaying a recording: batches of points, shards of cases, a manifest at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from harness.costs import Tokenizer
from harness.errors import InputError
from harness.points import Point, load_arm
from harness.progress import progress
from harness.recording.recording import Recording
from harness.storage.atomic import atomic_path
from harness.storage.folder import State, open_output
from harness.storage.manifest import (
    MANIFEST_NAME,
    Manifest,
    code_version,
    environment,
    file_entries,
    read_manifest,
)

from . import schema
from .growth import growth_pairs
from .plan import plan_replay
from .shard import Shard, ShardWork, TokenCounting, parse_points_exactly, part_name, run_shard


@dataclass(frozen=True, slots=True)
class Cohort:
    """The cases that are replayed: places in the recording, and how they were chosen."""

    numbers: tuple[int, ...]
    part: str = "all"
    split_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """What is asked for. `counting` None leaves tokens uncounted."""

    recording: Path
    points: tuple[Point, ...]
    cohort: Cohort
    counting: TokenCounting | None


@dataclass(frozen=True, slots=True)
class ReplayOutcome:
    """What `out` was before, and how many points and cases were computed now."""

    state: State
    points: int
    cases: int


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
    work = _work(recording, request)
    existing = _existing(out, work) if not force else None
    known = [] if existing is None else list(existing.content["points"])
    wanted = [point for point in request.points if str(point) not in known]
    if existing is not None and not wanted:
        (out / "started.json").unlink(missing_ok=True)
        return ReplayOutcome(State.FINISHED, 0, 0)
    adding = {**work, "adding": [str(point) for point in wanted]}
    folder = open_output(out, schema.RUN_SCHEMA, adding, force=force, growing=True)
    batch = 0 if existing is None else len(existing.content["batches"])
    shard_work = ShardWork(
        recording=request.recording,
        run=out,
        batch=batch,
        points=tuple(str(point) for point in wanted),
        earlier=tuple(known),
        counting=request.counting,
    )
    _run_shards(shard_work, request.cohort.numbers, jobs=jobs, quiet=quiet)
    _finish(recording, request, out, work, existing, wanted, dict(given or {}))
    folder.finish()
    return ReplayOutcome(folder.state, len(wanted), len(request.cohort.numbers))


def _work(recording: Recording, request: ReplayRequest) -> dict[str, Any]:
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
        "cases": len(request.cohort.numbers),
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
    return manifest


def _run_shards(work: ShardWork, numbers: Sequence[int], *, jobs: int, quiet: bool) -> None:
    size = schema.CASES_PER_SHARD
    shards = [
        Shard(number, tuple(numbers[first : first + size]))
        for number, first in enumerate(range(0, len(numbers), size))
    ]
    done = _in_processes(work, shards, jobs) if jobs > 1 else (run_shard(work, s) for s in shards)
    for _ in progress(done, total=len(shards), label="replay", unit="shard", quiet=quiet):
        pass


def _in_processes(work: ShardWork, shards: Sequence[Shard], jobs: int) -> Iterator[int]:
    with ProcessPoolExecutor(min(jobs, len(shards) or 1), get_context("spawn")) as pool:
        futures = [pool.submit(run_shard, work, shard) for shard in shards]
        try:
            for future in futures:
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _finish(
    recording: Recording,
    request: ReplayRequest,
    out: Path,
    work: Mapping[str, Any],
    existing: Manifest | None,
    added: Sequence[Point],
    given: Mapping[str, Any],
) -> None:
    batches = [] if existing is None else list(existing.content["batches"])
    earlier = [] if existing is None else parse_points_exactly(existing.content["points"])
    size = schema.CASES_PER_SHARD
    shards = -(-len(request.cohort.numbers) // size)
    batches.append({"points": [str(point) for point in added], "shards": shards, "given": given})
    _write(out / schema.CASES, _cases(recording, request.cohort.numbers))
    _write(out / schema.POINTS, _points(out, existing, earlier, added, len(batches) - 1))
    parts = [
        f"{table}/{part_name(number, shard)}"
        for table in schema.PART_TABLES
        for number, batch in enumerate(batches)
        for shard in range(batch["shards"])
    ]
    pairs = growth_pairs(added, earlier)
    checked = dict(existing.content["growth_checks"]) if existing is not None else {}
    for pair in pairs:
        checked[pair.arm] = checked.get(pair.arm, 0) + len(request.cohort.numbers)
    content = recording.manifest.content
    points = [*([] if existing is None else existing.content["points"]), *map(str, added)]
    Manifest(
        schema=schema.RUN_SCHEMA,
        work=work,
        content={
            "counts": {"cases": len(request.cohort.numbers), "points": len(points)},
            "points": points,
            "batches": batches,
            "growth_checks": checked,
            "losses": _loss_counts(out),
            "recording": {
                "folder": request.recording.as_posix(),
                "sha256": recording.sha256,
                "counts": content["counts"],
            },
            "dataset": content.get("dataset"),
            "recall": content.get("recall"),
            "embedder": content.get("embedder"),
        },
        files=file_entries(out, [schema.CASES, schema.POINTS, *parts]),
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


def _points(
    out: Path,
    existing: Manifest | None,
    earlier: Sequence[Point],
    added: Sequence[Point],
    batch: int,
) -> pa.Table:
    plan = plan_replay(added, earlier)
    before = [] if existing is None else pq.read_table(out / schema.POINTS).to_pylist()
    computed_by_earlier = {row["point"]: row for row in before}
    rows = []
    for point in added:
        computed_as = plan.computed_as[str(point)]
        known = computed_by_earlier.get(computed_as)
        ordering = known["ordering"] if known else plan.ordering_of.get(computed_as)
        rows.append(
            {
                "point": str(point),
                "arm": load_arm(point.arm).name,
                "settings": json.dumps(dict(point.settings), ensure_ascii=False),
                "computed_as": known["computed_as"] if known else computed_as,
                "ordering": ordering,
                "batch": batch,
            }
        )
    return pa.Table.from_pylist([*before, *rows], schema=schema.POINTS_SCHEMA)


def _loss_counts(out: Path) -> dict[str, dict[str, int]]:
    """Losses and the cases that have some, by arm (invariant 9)."""
    losses = pq.read_table(out / schema.LOSSES, columns=["arm", "case_id"])
    counts = {}
    for arm in pc.unique(losses.column("arm")).to_pylist():
        of_arm = losses.filter(pc.equal(losses.column("arm"), arm))
        cases = len(pc.unique(of_arm.column("case_id")))
        counts[arm] = {"losses": len(of_arm), "cases": cases}
    return dict(sorted(counts.items()))


def _write(path: Path, table: pa.Table) -> None:
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_statistics=False)
