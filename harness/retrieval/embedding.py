"""Embedding many texts, one at a time, in this process or in several.

Workers are spawned, and each talks to the parent through a pipe of its own: when the parent ends,
however it ends, the pipe closes and the worker ends too.
"""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

import numpy as np
from numpy.typing import NDArray

from harness.errors import HarnessError, InputError

from .embedder import Embedder, load_embedder

CHUNK = 64  # texts sent to a worker at once; it still embeds them one at a time
_PATIENCE = 5.0  # seconds for a worker that closed its pipe to end

Vectors = Generator[tuple[int, NDArray[np.float32]], None, None]


def embed_all(
    embedder: Embedder,
    asked_for: tuple[str, Mapping[str, str]],
    texts: Sequence[str],
    jobs: int,
) -> Vectors:
    """Yield (index of the text, vector) of each text, in any order.

    `asked_for`: the name and options that made `embedder`, by which workers make theirs. Raises
    `InputError` for a vector of a wrong shape or with NaN or infinity, `HarnessError` when a worker
    ends early. Close the generator to end the workers.
    """
    if jobs == 1 or len(texts) <= CHUNK:
        with one_thread():
            for index, text in enumerate(texts):
                yield index, embed_checked(embedder, text)
    else:
        yield from _embed_in_workers(embedder, asked_for, texts, jobs)


def embed_checked(embedder: Embedder, text: str) -> NDArray[np.float32]:
    """Return the vector of `text` as float32 of shape (dimension,); raises `InputError` if it is
    not."""
    vector = np.asarray(embedder.embed(text), dtype=np.float32)
    fault = ""
    if vector.shape != (embedder.dimension,):
        fault = f"a vector of shape {vector.shape}, expected ({embedder.dimension},)"
    elif not np.isfinite(vector).all():
        fault = "NaN or infinity"
    if fault:
        shown = text if len(text) <= 60 else text[:57] + "…"
        raise InputError(
            f"the embedder {embedder.name} gave {fault} for the text {shown!r}",
            "Fix the embedder, or choose another with --embedder.",
        )
    return vector


def one_thread() -> AbstractContextManager[object]:
    """Keep numeric libraries to one thread: the bytes of a product may depend on the number."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:  # only the extra `embed` computes vectors in this process
        return nullcontext()
    limits: AbstractContextManager[object] = threadpool_limits(limits=1)
    return limits


@dataclass(frozen=True, slots=True, eq=False)
class _Worker:
    process: SpawnProcess
    pipe: Connection


def _embed_in_workers(
    embedder: Embedder, asked_for: tuple[str, Mapping[str, str]], texts: Sequence[str], jobs: int
) -> Vectors:
    starts = iter(range(0, len(texts), CHUNK))
    number = min(jobs, -(-len(texts) // CHUNK))
    with _workers(number, asked_for, embedder.fingerprint) as workers:
        at_work = dict(zip(workers, starts, strict=False))
        for worker, start in at_work.items():
            _send(worker, texts[start : start + CHUNK])
        while at_work:
            ready = wait([worker.pipe for worker in at_work])
            for worker in [worker for worker in at_work if worker.pipe in ready]:
                vectors, start = _receive(worker), at_work.pop(worker)
                following = next(starts, None)
                if following is not None:
                    at_work[worker] = following
                    _send(worker, texts[following : following + CHUNK])
                yield from enumerate(vectors, start)


def _send(worker: _Worker, texts: Sequence[str]) -> None:
    try:
        worker.pipe.send(list(texts))
    except OSError as error:
        raise _ended_early(worker) from error


def _receive(worker: _Worker) -> NDArray[np.float32]:
    try:
        answer = worker.pipe.recv()
    except (EOFError, OSError) as error:
        raise _ended_early(worker) from error
    if isinstance(answer, HarnessError):
        raise answer
    vectors: NDArray[np.float32] = answer
    return vectors


def _ended_early(worker: _Worker) -> HarnessError:
    worker.process.join(_PATIENCE)
    return HarnessError(
        f"an embedding process ended early (exit code {worker.process.exitcode})",
        "Run the same command again: finished vectors are kept. Try --jobs 1 to see its error.",
    )


@contextmanager
def _workers(
    number: int, asked_for: tuple[str, Mapping[str, str]], fingerprint: str
) -> Iterator[list[_Worker]]:
    context = get_context("spawn")
    workers: list[_Worker] = []
    try:
        for _ in range(number):
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_serve, args=(theirs, asked_for, fingerprint), daemon=True
            )
            _start_deaf_to_interrupts(process)
            theirs.close()  # so that the pipe closes with the worker
            workers.append(_Worker(process, ours))
        yield workers
    finally:
        for worker in workers:
            worker.pipe.close()
        for worker in workers:
            worker.process.terminate()  # it holds nothing; waiting for its chunk helps nobody
            worker.process.join()


def _start_deaf_to_interrupts(process: SpawnProcess) -> None:
    """Start a process that Ctrl-C does not reach, not even while it starts: its pipe ends it."""
    resource_tracker.ensure_running()  # its first start unblocks interrupts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()  # inherits what is blocked
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, asked_for: tuple[str, Mapping[str, str]], fingerprint: str) -> None:
    """Serve a parent process: receive chunks of texts, send arrays of vectors or a
    `HarnessError`."""
    embedder: Embedder | None = None
    with one_thread():
        while True:
            try:
                texts = pipe.recv()
            except (EOFError, OSError):
                return
            answer: NDArray[np.float32] | HarnessError
            try:
                embedder = embedder or _same_embedder(asked_for, fingerprint)
                answer = np.stack([embed_checked(embedder, text) for text in texts])
            except HarnessError as error:
                answer = error
            try:
                pipe.send(answer)
            except OSError:
                return


def _same_embedder(asked_for: tuple[str, Mapping[str, str]], fingerprint: str) -> Embedder:
    embedder = load_embedder(*asked_for)
    if embedder.fingerprint != fingerprint:
        raise HarnessError(
            f"the embedder {embedder.name} changed while it was in use",
            "Run the same command again.",
        )
    return embedder
