"""HTTP with a deadline for the whole of a call.

Clients bound each read, so that an answer of one byte per second never ends. Here every operation
on the network, the first one of a connection too, gets what is left of the time of its call. It is
httpcore's connections that are used, by its own interface for networks; httpx's client around them
would take most of the processor's time of a call.
"""

from __future__ import annotations

import contextlib
import queue
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpcore

_PIECE = 64 << 10
_KEPT_SECONDS = 30.0
_local = threading.local()


class TooLongError(Exception):
    """An answer of more bytes than are read."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """Status, headers by lower-case name, and the body as it was sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Endpoint:
    """One address, over as many connections as threads ask, through `proxy` if there is one.

    A connection is kept for the next call, in a pool of its own: looking for a free one among many
    takes longer than the rest of a call. No environment variable is read.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        verify: ssl.SSLContext,
        proxy: str | None = None,
    ) -> None:
        self._url = httpcore.URL(url)
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._headers.append((b"Host", _host(self._url)))
        self._verify = verify
        self._proxy = None if proxy is None else httpcore.Proxy(proxy)
        self._idle: queue.LifoQueue[httpcore.ConnectionPool] = queue.LifoQueue()

    def post(self, body: bytes, *, seconds: float, most_bytes: int) -> HttpAnswer:
        """Send a request and return what comes back, whatever its status; nothing is followed.

        Raises `TooLongError`, and the errors of httpcore: `TimeoutException` at the deadline.
        """
        headers = [*self._headers, (b"Content-Length", str(len(body)).encode())]
        with (
            _within(seconds),
            self._connection() as connection,
            connection.stream("POST", self._url, headers=headers, content=body) as response,
        ):
            data = bytearray()
            for piece in response.iter_stream():
                data += piece
                if len(data) > most_bytes:
                    raise TooLongError
        named = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in response.headers
        }
        return HttpAnswer(response.status, named, bytes(data))

    def close(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()

    @contextmanager
    def _connection(self) -> Iterator[httpcore.ConnectionPool]:
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = httpcore.ConnectionPool(
                ssl_context=self._verify,
                proxy=self._proxy,
                max_connections=1,
                keepalive_expiry=_KEPT_SECONDS,
                network_backend=_Backend(),
            )
        try:
            yield connection
        finally:
            self._idle.put(connection)


def _host(url: httpcore.URL) -> bytes:
    host = b"[" + url.host + b"]" if b":" in url.host else url.host
    return host if url.port is None else host + b":" + str(url.port).encode()


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    _local.until = time.monotonic() + seconds
    try:
        yield
    finally:
        _local.until = None


def _left(timeout: float | None, late: type[httpcore.TimeoutException]) -> float | None:
    """Return what is left of the call's time, or an operation's own if that is less."""
    until = getattr(_local, "until", None)
    if until is None:  # a connection that is closed between calls
        return timeout
    left: float = until - time.monotonic()
    if left <= 0:
        raise late("the deadline has passed")
    return left if timeout is None else min(left, timeout)


class _Stream(httpcore.NetworkStream):
    """A stream that sends what was written when an answer is awaited: head and body in one go."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream
        self._written: list[bytes] = []

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._written:
            written = b"".join(self._written)
            self._written.clear()
            for start in range(0, len(written), _PIECE):
                piece = written[start : start + _PIECE]
                self._stream.write(piece, _left(timeout, httpcore.WriteTimeout))
        return self._stream.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._written.append(buffer)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(super().connect_tcp(host, port, left, local_address, socket_options))
