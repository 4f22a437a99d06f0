"""An embedding server on loopback that remembers what it gave.

It answers `POST /embed` with `{"texts": [string…]}` by `{"embeddings": [[number…]…],
"dimensions": number}`, as the store's server asks, one text at a time through an embedder of the
harness. What it gave for a question is the vector at search time.
"""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType

import msgspec
import numpy as np
from numpy.typing import NDArray

from harness.errors import HarnessError
from harness.retrieval import Embedder
from harness.retrieval.embedding import embed_checked, one_thread
from harness.retrieval.source import is_blank

_PATH = "/embed"


class _Request(msgspec.Struct):
    texts: list[str]


class EmbeddingRelay:
    """Serves an embedder while it is open; `vectors` holds every vector that was given, by text.

    A text of white space alone has a zero vector, as in a recording. `fault` is the embedder's
    first error; the server was told status 500 then.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.vectors: dict[str, NDArray[np.float32]] = {}
        self.fault: HarnessError | None = None
        self._embedder = embedder
        self._lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Address for the store's server."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}{_PATH}"

    def __enter__(self) -> EmbeddingRelay:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def vector_of(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text, embedded at its first use."""
        with self._lock:
            if text not in self.vectors:
                self.vectors[text] = self._embedded(text)
            return self.vectors[text]

    def _embedded(self, text: str) -> NDArray[np.float32]:
        if is_blank(text):
            return np.zeros(self._embedder.dimension, dtype=np.float32)
        with one_thread():
            return embed_checked(self._embedder, text)

    def _answer(self, body: bytes) -> tuple[int, bytes]:
        try:
            texts = msgspec.json.decode(body, type=_Request).texts
        except msgspec.DecodeError as error:
            return 400, msgspec.json.encode({"error": str(error)})
        try:
            vectors = [self.vector_of(text) for text in texts]
        except HarnessError as error:
            self.fault = self.fault or error
            return 500, msgspec.json.encode({"error": error.message})
        width = len(vectors[0]) if vectors else 0
        rows = [vector.astype(np.float64).tolist() for vector in vectors]
        return 200, msgspec.json.encode({"embeddings": rows, "dimensions": width})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        relay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, answer = (404, b"{}") if self.path != _PATH else relay._answer(body)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
                """Nothing goes to the terminal."""

        return Handler
