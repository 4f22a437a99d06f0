"""Several embedding processes: same bytes, no work lost, nobody left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from harness.errors import HarnessError, InputError
from harness.retrieval import Embedded, VectorSource

from .conftest import EmbeddingServer, embeddings

TEXTS = [f"text {number}" for number in range(400)]


def open_source(server: EmbeddingServer, cache: Path, jobs: int) -> VectorSource:
    return VectorSource("http", {"url": server.url}, cache, jobs=jobs, quiet=True)


def test_bytes_do_not_depend_on_the_number_of_processes(
    server: EmbeddingServer, tmp_path: Path
) -> None:
    found = []
    for jobs in (1, 3):
        source = open_source(server, tmp_path / f"{jobs}.sqlite", jobs)
        assert source.ensure_blocks(TEXTS) == Embedded(new=400, cached=0)
        found.append(source.blocks(TEXTS))
    assert np.array_equal(found[0], found[1])
    assert server.connections > 3
    assert {len(texts) for texts in server.asked} == {1}


def test_an_error_of_a_worker_reaches_the_caller_whole(
    server: EmbeddingServer, tmp_path: Path
) -> None:
    source = open_source(server, tmp_path / "vectors.sqlite", 2)
    server.answer = lambda texts: (
        (422, b"bad") if texts == ["text 170"] else (200, embeddings(texts))
    )
    with pytest.raises(InputError, match="status 422: bad") as raised:
        source.ensure_blocks(TEXTS)
    assert raised.value.hint


def test_an_embedder_that_changed_meanwhile_is_refused(
    server: EmbeddingServer, tmp_path: Path
) -> None:
    source = open_source(server, tmp_path / "vectors.sqlite", 2)
    server.answer = lambda texts: (200, b'{"embeddings": [[1.0, 2.0]]}')
    with pytest.raises(HarnessError, match="changed while it was in use"):
        source.ensure_blocks(TEXTS)


PARENT = """
import sys
from pathlib import Path
from harness.retrieval import VectorSource, source

if __name__ == "__main__":
    source.COMMIT_EVERY = 16
    url, cache = sys.argv[1:]
    vectors = VectorSource("http", {"url": url}, Path(cache), jobs=2, quiet=True)
    vectors.ensure_blocks(f"text {number}" for number in range(400))
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_killed_parent_keeps_its_work_and_leaves_no_process(
    name: str, server: EmbeddingServer, tmp_path: Path
) -> None:
    halfway = threading.Event()

    def slow_after_200(texts: list[str]) -> tuple[int, bytes]:
        if len(server.asked) > 200:
            halfway.set()
            time.sleep(0.02)
        return 200, embeddings(texts)

    server.answer = slow_after_200
    script, cache = tmp_path / "parent.py", tmp_path / "vectors.sqlite"
    script.write_text(PARENT)
    # the workers share the pipe: it ends when the last of them has ended
    parent = subprocess.Popen(
        [sys.executable, str(script), server.url, str(cache)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert halfway.wait(60), parent.communicate()
    signum = getattr(signal, name)
    # Ctrl-C reaches every process of the terminal, the other signals the parent alone
    (os.killpg if signum == signal.SIGINT else os.kill)(parent.pid, signum)
    _, errors = parent.communicate(timeout=30)
    assert parent.returncode != 0
    assert errors.count(b"Traceback") == (signum == signal.SIGINT)
    server.answer = lambda texts: (200, embeddings(texts))
    resumed = open_source(server, cache, 1).ensure_blocks(TEXTS)
    assert resumed.new + resumed.cached == 400
    assert resumed.cached >= 64
