"""Made-up questions, and a local HTTP server that misbehaves on demand."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Object = dict[str, Any]


def make_question(**changes: Any) -> Object:
    """A sound question of two sessions as the dataset has it; `changes` replace fields."""
    value: Object = {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "Where did the kettle go?",
        "answer": "to the shed",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_session_ids": ["s1", "answer_1"],
        "haystack_sessions": [
            [{"role": "user", "content": "Rain again."}, {"role": "assistant", "content": ""}],
            [{"role": "user", "content": "The kettle is in the shed.", "has_answer": True}],
        ],
        "answer_session_ids": ["answer_1"],
    }
    return value | changes


@pytest.fixture(scope="session")
def question() -> Callable[..., Object]:
    """The factory of made-up questions."""
    return make_question


@dataclass
class FileServer:
    """Serves one file. Each request takes the next entry of `drops` and `statuses`, if any is left.

    `drops`: bytes of the body after which the connection is closed; None sends all of it.
    `statuses`: an error status to answer instead; None answers as usual.
    `pause`: seconds before each `step` bytes.
    """

    data: bytes
    ranges: bool = True
    entity_tag: str | None = None
    pause: float = 0.0
    step: int = 1 << 16
    drops: list[int | None] = field(default_factory=list)
    statuses: list[int | None] = field(default_factory=list)
    requests: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(dict(handler.headers))
        status = self.statuses.pop(0) if self.statuses else None
        if status is not None:
            handler.send_error(status)
            return
        start = self._start(handler)
        if start >= len(self.data):
            handler.send_error(416)
            return
        body = self.data[start:]
        handler.send_response(206 if start else 200)
        if start:
            last = len(self.data) - 1
            handler.send_header("Content-Range", f"bytes {start}-{last}/{len(self.data)}")
        if self.entity_tag:
            handler.send_header("ETag", self.entity_tag)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        self._send(handler, body[: self.drops.pop(0) if self.drops else None])
        handler.close_connection = True

    def _start(self, handler: BaseHTTPRequestHandler) -> int:
        match = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
        condition = handler.headers.get("If-Range", self.entity_tag)
        return int(match[1]) if match and self.ranges and condition == self.entity_tag else 0

    def _send(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        for position in range(0, len(body), self.step):
            time.sleep(self.pause)
            handler.wfile.write(body[position : position + self.step])


@pytest.fixture
def serve() -> Iterator[Callable[..., FileServer]]:
    """Starts servers on free local ports; stops them when the test ends."""
    servers: list[ThreadingHTTPServer] = []

    def start(data: bytes, **behaviour: Any) -> FileServer:
        files = FileServer(data, **behaviour)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                try:
                    files.answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        files.url = f"http://127.0.0.1:{server.server_port}/folder/data.json"
        return files

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
