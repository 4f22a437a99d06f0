"""A server that speaks the chat protocol, and fails in every way that services do.

`plan` says what becomes of each request, from its prompt and from how often that prompt was asked
before. Everything that is asked and answered is kept for tests to look at.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "made-up-1"
GIGABYTE = 1 << 30


def answer_to(prompt: str) -> str:
    """The answer that the server gives, which is its prompt's alone."""
    return f"The answer to {prompt[-24:]}"


def usage_of(prompt: str) -> dict[str, Any]:
    """The tokens that the server reports: a quarter of the characters, half of them cached."""
    tokens = len(prompt) // 4
    details = {"cached_tokens": tokens // 2}
    return {
        "prompt_tokens": tokens,
        "completion_tokens": 5,
        "total_tokens": tokens + 5,
        "prompt_tokens_details": details,
    }


def completion(prompt: str, **changes: Any) -> dict[str, Any]:
    """A chat completion, with keys replaced."""
    message = {"role": "assistant", "content": answer_to(prompt)}
    return {
        "id": "made-up",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage_of(prompt),
        **changes,
    }


class Handler(BaseHTTPRequestHandler):
    """One connection; `server.state` knows what to do."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: FaultyServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        before = self.server.noted(prompt, body, dict(self.headers), self.path)
        time.sleep(self.server.seconds)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.server.plan(prompt, before)(self, prompt)

    def send(self, status: int, data: bytes, length: int | None = None, **headers: str) -> None:
        """A whole response, unless `length` promises more."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


Fault = Callable[[Handler, str], None]
"""What becomes of a request: writes the response to a prompt, or does not."""


def right(handler: Handler, prompt: str) -> None:
    """The answer; it is noted before it is sent."""
    handler.server.answered.append(prompt)
    handler.send(200, json.dumps(completion(prompt)).encode(), Content_Type="application/json")


def status(code: int, message: str = "it failed", **headers: str) -> Fault:
    """A status with an error as services word it."""
    body = json.dumps({"error": {"message": message, "type": "made_up"}}).encode()

    def respond(handler: Handler, _: str) -> None:
        handler.send(code, body, None, **headers)

    return respond


def changed(**changes: Any) -> Fault:
    """A completion with keys replaced."""

    def respond(handler: Handler, prompt: str) -> None:
        handler.server.answered.append(prompt)
        handler.send(200, json.dumps(completion(prompt, **changes)).encode())

    return respond


def without_usage(handler: Handler, prompt: str) -> None:
    """The answer with no word on its tokens."""
    handler.server.answered.append(prompt)
    value = completion(prompt)
    del value["usage"]
    handler.send(200, json.dumps(value).encode())


def html(handler: Handler, _: str) -> None:
    """What a proxy in between says."""
    handler.send(200, b"<html><body>Please log in</body></html>", Content_Type="text/html")


def silent(handler: Handler, _: str) -> None:
    """Nothing, for longer than anybody waits."""
    handler.server.ended.wait(20)
    handler.close_connection = True


def drip(handler: Handler, prompt: str) -> None:
    """The answer, a byte at a time: each comes soon, the last one never."""
    data = json.dumps(completion(prompt)).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(data)}\r\n\r\n".encode()
    for byte in head + data:
        if handler.server.ended.wait(0.05):
            return
        handler.wfile.write(bytes([byte]))


def cut(handler: Handler, prompt: str) -> None:
    """Half of the body, then the end of the connection."""
    data = json.dumps(completion(prompt)).encode()
    handler.send(200, data[: len(data) // 2], length=len(data))
    handler.close_connection = True


def reset(handler: Handler, prompt: str) -> None:
    """Half of the body, then a reset."""
    data = json.dumps(completion(prompt)).encode()
    handler.send(200, data[: len(data) // 2], length=len(data))
    at_once = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    handler.connection.close()
    handler.close_connection = True


def gigabyte(handler: Handler, _: str) -> None:
    """A body of a gigabyte; how much of it went out is kept."""
    piece = b" " * (1 << 20)
    handler.close_connection = True
    handler.send(200, b"", length=GIGABYTE)
    for sent in range(0, GIGABYTE, len(piece)):
        handler.server.most_sent = max(handler.server.most_sent, sent)
        handler.wfile.write(piece)


FAULTS: dict[str, Fault] = {
    "429 with Retry-After": status(429, "slow down", Retry_After="0"),
    "429": status(429, "slow down"),
    "500": status(500),
    "503": status(503, "overloaded"),
    "time-out": silent,
    "slow drip": drip,
    "cut body": cut,
    "empty choices": changed(choices=[]),
    "empty choice": changed(choices=[{"message": {"content": ""}, "finish_reason": "stop"}]),
    "HTML": html,
    "reset": reset,
    "gigabyte": gigabyte,
}
"""What is no answer, by name; another try may be one."""


class FaultyServer(ThreadingHTTPServer):
    """The server. `plan` gives the fault for a prompt that was asked so often before."""

    daemon_threads = True
    request_queue_size = 256  # the default resets connections of twenty callers

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan: Callable[[str, int], Fault] = lambda prompt, before: right
        self.seconds = 0.0
        self.ended = threading.Event()
        self.most_sent = 0
        self.asked: list[str] = []
        self.answered: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def noted(self, prompt: str, body: dict[str, Any], headers: dict[str, str], path: str) -> int:
        """Keep a request; how often its prompt was asked before."""
        with self._lock:
            before = self._counts[prompt]
            self._counts[prompt] += 1
            self.asked.append(prompt)
            self.bodies.append(body)
            self.headers.append(headers)
            self.paths.append(path)
        return before

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


@contextlib.contextmanager
def faulty_server() -> Iterator[FaultyServer]:
    """A running server."""
    with FaultyServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()
