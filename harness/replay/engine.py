"""Replaying a recording: a batch of points over shards of cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.datasets.cohort import Cohort
from harness.errors import UsageError
from harness.points import Point
from harness.points.external import EXTERNAL
from harness.progress import progress
from harness.recording.recording import Recording
from harness.storage.folder import FolderState

from .plan import applicable
from .workers import Shard, ShardWork, run_in_processes, run_shard
from .writer import REPLAY, RunWriter, TokenCounting, counting_work


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
    `broken_growth`: a sentence per pair of points of an arm that promises growth and loses by it.
    """

    state: FolderState
    points: int
    cases: int
    not_applicable: tuple[Point, ...] = ()
    broken_growth: tuple[str, ...] = ()


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
    work = {
        "recording": recording.sha256,
        "part": request.cohort.part,
        "split_sha256": request.cohort.split_sha256,
        "cases": len(numbers),
        "tokens": counting_work(request.counting),
    }
    with RunWriter(
        out, work, verb=REPLAY, counting=request.counting, given=given, force=force
    ) as run:
        # its recording holds what the other system showed, not the windows that it chose from
        if any(name.startswith(f"{EXTERNAL.name}(") for name in run.points):
            raise UsageError(
                f"{out} holds contexts of another system, to which nothing can be replayed",
                "Choose another --out.",
            )
        accepted, not_applicable = applicable(request.points, recording.kind)
        state = run.add_points(accepted)
        if state is FolderState.FINISHED:
            return ReplayOutcome(state, 0, 0, not_applicable)
        run.of(recording, numbers)
        work_of_shards = ShardWork(request.recording, recording.sha256, run.batch)
        shards = [Shard(number, cases) for number, cases in enumerate(run.shards)]
        if jobs > 1 and len(shards) > 1:
            done = run_in_processes(work_of_shards, shards, jobs)
        else:
            done = (run_shard(work_of_shards, shard) for shard in shards)
        for _ in progress(done, total=len(shards), label="replay", unit="shard", quiet=quiet):
            pass
    return ReplayOutcome(state, len(run.added), len(numbers), not_applicable, run.broken_growth)
