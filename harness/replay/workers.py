"""The shards of a replay: cases through the points of a batch, in one or several processes.

Workers do not hear Ctrl-C, which reaches every process of a terminal: the parent does, and cancels
what has not begun. When the parent ends without a word, they end too.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context, parent_process, resource_tracker
from pathlib import Path

from harness.errors import HarnessError, InputError, PlugInWarning
from harness.points import parse_point
from harness.recording.recording import Recording

from .plan import ReplayPlan, plan_replay
from .writer import Batch, CaseWriter


@dataclass(frozen=True, slots=True)
class ShardWork:
    """What every shard of a batch shares: the batch, and the recording that it is computed from."""

    recording: Path
    recording_sha256: str
    batch: Batch


@dataclass(frozen=True, slots=True)
class Shard:
    """The places of its cases in the recording."""

    number: int
    cases: tuple[int, ...]


def run_shard(work: ShardWork, shard: Shard) -> int:
    """Compute and write the parts of a shard that are not there yet; return its cases."""
    parts = work.batch.shard(shard.number)
    if not parts.is_written:
        recording, plan = _opened(work)
        with parts, _no_cycle_collection():
            for case in recording.cases(shard.cases):
                _replay(plan, parts.case(case))
    return len(shard.cases)


def _replay(plan: ReplayPlan, case: CaseWriter) -> None:
    for name, policy in plan.singles:
        case.add(name, policy.select(case.view))
    for group in plan.groups:
        sequence = group.ordering.order(case.view)
        if not group.stored:
            case.add_sequence(group.name, sequence)
        for name, cut in group.members:
            case.add(name, cut.cut(case.view, sequence))
    case.check_growth(lambda point: point.policy.select(case.view))


@lru_cache(maxsize=1)
def _opened(work: ShardWork) -> tuple[Recording, ReplayPlan]:
    """Open the recording and plan the batch; kept between the shards that one process computes."""
    recording = Recording.open(work.recording, verify=False)
    if recording.sha256 != work.recording_sha256:
        raise InputError(
            f"{work.recording} was replaced while it was replayed",
            "Run the same command again.",
        )
    points = [parse_point(name) for name in work.batch.points]
    return recording, plan_replay(points, [parse_point(name) for name in work.batch.earlier])


@contextmanager
def _no_cycle_collection() -> Iterator[None]:
    """Hold back the cycle collector.

    A shard's many small values live until it is written and make no cycles: looking for some again
    and again would cost a tenth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def run_in_processes(work: ShardWork, shards: Sequence[Shard], jobs: int) -> Iterator[int]:
    """Call `run_shard` for each shard, in order, in at most `jobs` spawned processes."""
    number = min(jobs, len(shards))
    pool = ProcessPoolExecutor(number, get_context("spawn"), initializer=_begin)
    try:
        with _interrupts_held_back():  # what is started now inherits that
            futures = [pool.submit(run_shard, work, shard) for shard in shards]
        for future in futures:
            yield future.result()
    except BrokenProcessPool as error:
        raise HarnessError(
            "a replay process ended early",
            "Run the same command again: finished shards are kept. Try --jobs 1 to see its error.",
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    resource_tracker.ensure_running()  # its first start lets interrupts through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    warnings.simplefilter("ignore", PlugInWarning)  # the parent has said it
    threading.Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # it holds nothing: files are written whole or not at all
