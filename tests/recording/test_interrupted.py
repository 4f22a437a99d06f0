"""Recording that is killed, and continued to the same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.recording import schema
from harness.storage.lock import HOLDER

from ..make.questions import (
    WordEmbedder,
    contents_of,
    made_questions,
    record,
    vector_of,
    write_questions,
)
from .killed import run_killed


@dataclass
class EmbeddingServer:
    """A server on this machine that remembers what it was asked."""

    url: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def embedder(self) -> list[str]:
        return ["--embedder", "http", "--embedder-url", self.url]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    state = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # head and body are two writes

        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["texts"]
            state.asked.extend(texts)
            answer = json.dumps({"embeddings": [vector_of(text) for text in texts]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:  # the other side was killed
                self.close_connection = True

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    state.url = f"http://127.0.0.1:{running.server_address[1]}"
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    running.shutdown()
    running.server_close()
    thread.join()


def started(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "harness.cli.main", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_while_it_embeds(
    server: EmbeddingServer, data: Path, tmp_path: Path, jobs: int
) -> None:
    out, cache = tmp_path / "out", tmp_path / "out.sqlite"
    more = [*server.embedder, "--jobs", str(jobs)]
    assert record(data, tmp_path / "whole", *more) == 0
    all_texts = list(server.asked)
    assert len(all_texts) > 700
    server.asked.clear()
    process = started(
        *["record", "longmemeval", str(data), "--out", str(out), "--cache", str(cache), *more]
    )
    deadline = time.monotonic() + 60
    while len(server.asked) < 600:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert set(contents_of(out)) == {"started.json", HOLDER}
    _wait_until_quiet(server)
    first = len(server.asked)
    server.asked.clear()
    assert record(data, out, *more) == 0
    again = set(server.asked)
    assert 0 < len(again) <= len(all_texts) - 256  # what was committed is not asked for again
    assert first < len(all_texts)
    assert contents_of(out) == contents_of(tmp_path / "whole")


def _wait_until_quiet(server: EmbeddingServer) -> None:
    """Workers of the killed process end when they see that it did."""
    before = -1
    while before != len(server.asked):
        before = len(server.asked)
        time.sleep(0.3)


def test_the_number_of_processes_does_not_show(
    server: EmbeddingServer, data: Path, tmp_path: Path
) -> None:
    assert record(data, tmp_path / "one", *server.embedder) == 0
    assert record(data, tmp_path / "two", *server.embedder, "--jobs", "2") == 0
    assert contents_of(tmp_path / "one") == contents_of(tmp_path / "two")


@pytest.mark.parametrize(
    ("step", "there"),
    [
        (1, set()),
        (3, {"started.json"}),
        (8, {"started.json", schema.BLOCKS, schema.RECORDS, schema.QUERIES}),
        (15, {"started.json", *schema.TABLES}),
        (16, {"started.json", *schema.TABLES, "manifest.json"}),
    ],
)
def test_killed_while_it_writes(
    embedder: WordEmbedder, data: Path, tmp_path: Path, step: int, there: set[str]
) -> None:
    """Before the start record, before and after tables, before and after the manifest."""
    out = tmp_path / "out"
    given = ["record", "longmemeval", str(data), "--out", str(out), "-q"]
    assert run_killed(step, *given, "--cache", str(tmp_path / "out.sqlite"))
    found = contents_of(out).keys() - {HOLDER}
    assert {name for name in found if not name.endswith(".part")} == there
    assert len(found) == len(there) + step % 2  # a half-written file has no final name
    assert record(data, out) == 0
    assert record(data, tmp_path / "whole") == 0
    assert contents_of(out) == contents_of(tmp_path / "whole")


@pytest.mark.parametrize("step", [5, 15])
def test_an_import_that_is_killed(recording: Path, tmp_path: Path, step: int) -> None:
    source, out, whole = tmp_path / "cases.jsonl", tmp_path / "out", tmp_path / "whole"
    assert run(["export", "cases", str(recording), "--out", str(source), "-q"]) == 0
    given = ["import", "cases", str(source), "-q", "--out"]
    assert run_killed(step, *given, str(out))
    assert not (out / "manifest.json").exists()
    assert run([*given, str(out)]) == 0
    assert run([*given, str(whole)]) == 0
    assert contents_of(out) == contents_of(whole)


def test_interrupted_by_ctrl_c(server: EmbeddingServer, data: Path, tmp_path: Path) -> None:
    """Every process of a terminal gets the interrupt; one message comes out."""
    process = started(
        *["record", "longmemeval", str(data), "--out", str(tmp_path / "out")],
        *["--cache", str(tmp_path / "cache.sqlite"), *server.embedder, "--jobs", "2"],
    )
    while len(server.asked) < 300:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGINT)
    error = process.communicate(timeout=30)[1]
    assert process.returncode == 130
    assert error.strip() == "interrupted; run the same command again to continue"
    assert set(contents_of(tmp_path / "out")) == {"started.json"}


def test_more_questions_are_other_work(server: EmbeddingServer, data: Path, tmp_path: Path) -> None:
    assert record(data, tmp_path / "out", *server.embedder) == 0
    write_questions(data, made_questions(7))
    assert record(data, tmp_path / "out", *server.embedder) == 2
