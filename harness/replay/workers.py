"""Shards in several processes.

Workers do not hear Ctrl-C, which reaches every process of a terminal: the parent does, and cancels
what has not begun. When the parent ends without a word, they end too.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process, resource_tracker

from harness.errors import HarnessError

from .shard import Shard, ShardWork, run_shard


def run_in_processes(work: ShardWork, shards: Sequence[Shard], jobs: int) -> Iterator[int]:
    """`run_shard` of each shard, in order, in at most `jobs` spawned processes."""
    number = min(jobs, len(shards))
    pool = ProcessPoolExecutor(number, get_context("spawn"), initializer=_end_with_parent)
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


def _end_with_parent() -> None:
    threading.Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # it holds nothing: files are written whole or not at all
