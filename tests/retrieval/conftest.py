"""Embedders that tests can look into, and a server that answers as they tell it."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

DIMENSION = 8


def vector_of(text: str) -> list[float]:
    """A vector that is its text's alone."""
    digest = hashlib.sha256(text.encode()).digest()[:DIMENSION]
    return [(byte - 127.5) / 128 for byte in digest]


@dataclass
class FakeEmbedder:
    """Gives `vector_of`, or what `answer` says, and remembers what it was asked."""

    name: str = "fake"
    dimension: int = DIMENSION
    licence: str = "CC0-1.0"
    fingerprint: str = "f" * 64
    answer: Callable[[str], Any] = vector_of
    asked: list[str] = field(default_factory=list)

    def embed(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        return np.array(self.answer(text), dtype=np.float32)


@dataclass
class EmbeddingServer:
    """A server on this machine. `answer` gives status and body for the texts of a request."""

    url: str = ""
    asked: list[list[str]] = field(default_factory=list)
    connections: int = 0
    headers: list[dict[str, str]] = field(default_factory=list)
    answer: Callable[[list[str]], tuple[int, bytes]] = lambda texts: (200, embeddings(texts))


def embeddings(texts: list[str]) -> bytes:
    return json.dumps({"embeddings": [vector_of(text) for text in texts]}).encode()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    """The embedder that every `VectorSource` of the test uses, whatever its name."""
    embedder = FakeEmbedder()
    monkeypatch.setattr("harness.retrieval.source.load_embedder", lambda name, options: embedder)
    return embedder


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """A running embedding server."""
    state = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # head and body are two writes

        def setup(self) -> None:
            super().setup()
            state.connections += 1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            texts = json.loads(body)["texts"]
            state.asked.append(texts)
            state.headers.append(dict(self.headers))
            status, answer = (404, b"no") if self.path != "/embed" else state.answer(texts)
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    state.url = f"http://127.0.0.1:{running.server_address[1]}"
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    running.shutdown()
    running.server_close()
    thread.join()
