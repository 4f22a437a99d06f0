"""The embedder `http`: any server that answers `POST /embed`.

The request is `{"texts": [string]}`, one text each, over one kept connection; the answer is
`{"embeddings": [[number…]]}`.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec
import numpy as np
from numpy.typing import NDArray

from harness.errors import InputError, UsageError
from harness.escapes import one_address
from harness.keys import key_of
from harness.storage.hashing import sha256_of_json
from harness.words import counted

from .embedder import check_options

OPTIONS = {
    "url": "address of the server, such as http://127.0.0.1:8080 (required)",
    "identity": "what the vectors depend on, such as a model and its version; default: what the "
    "server answers to a probe, and the model that it reports",
    "key": "name of the environment variable that holds the server's key, sent as a bearer token",
    "name": "name to show in results; default: http",
    "dimension": "number of components; default: asked of the server",
    "licence": "licence of the model; default: unknown",
}
PROBE = "dimension"
TIMEOUT_SECONDS = 60.0  # without a byte
DEADLINE_SECONDS = 180.0  # of one text, new tries and all
MOST_BYTES = 16 << 20
MOST_COMPONENTS = 65_536
PAUSES_SECONDS = (0.5, 1.0, 2.0)  # before each new try of a request that failed for the moment
_MOMENTARY = frozenset({408, 425, 429, 500, 502, 503, 504})


class _Answer(msgspec.Struct):
    embeddings: list[list[float]]
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Server:
    """Where to send requests. `shown` is the address without credentials."""

    secure: bool
    host: str
    port: int | None
    path: str
    shown: str
    headers: Mapping[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False, default=())


class HttpEmbedder:
    """Vectors from a server, one text a request.

    The fingerprint is over the identity and the dimension: name the model and its version in
    `identity`, so that the cache knows its vectors wherever the server runs. Without one it is over
    what the server answers now: the vector of a probe, to the bit, and the model that it reports.
    `probe` is what a cache can tell a server by that kept its identity and changed its model.
    """

    def __init__(
        self,
        server: Server,
        *,
        name: str,
        identity: str | None,
        licence: str,
        dimension: int | None,
    ) -> None:
        self.name = name
        self.licence = licence
        self._server = server
        self._connection: http.client.HTTPConnection | None = None
        self._identity = identity
        self._model: str | None = None
        self.dimension = dimension or len(self.probe[1])

    @cached_property
    def probe(self) -> tuple[str, NDArray[np.float32]]:
        """Text, and the vector that the server gives for it now."""
        components = self._ask(PROBE)
        self.dimension = getattr(self, "dimension", None) or len(components)
        return PROBE, self._vector(components)

    @cached_property
    def fingerprint(self) -> str:
        if self._identity is not None:
            known = {"version": 1, "identity": self._identity}
        else:
            digest = hashlib.sha256(self.probe[1].astype("<f4").tobytes()).hexdigest()
            known = {"version": 2, "model": self._model, "probe": digest}
        return sha256_of_json({"embedder": "http", "dimension": self.dimension, **known})

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text; raises `InputError` when the server cannot give it."""
        return self._vector(self._ask(text))

    def _vector(self, components: list[float]) -> NDArray[np.float32]:
        if len(components) != self.dimension:
            raise self._fault(
                f"gave {counted(len(components), 'component')}, expected {self.dimension}",
                "Check which model it serves, or the option dimension.",
            )
        with np.errstate(over="ignore"):
            vector = np.array(components, dtype=np.float32)
        if not np.isfinite(vector).all():
            raise self._fault(
                "returned a component that is not a finite float32", "Fix the server."
            )
        return vector

    def _ask(self, text: str) -> list[float]:
        status, body = self._post(msgspec.json.encode({"texts": [text]}))
        if status != 200:
            raise self._fault(
                f"answered with status {status}{_excerpt(body)}", _status_hint(status)
            )
        try:
            answer = msgspec.json.decode(body, type=_Answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._fault(
                f"gave no vectors ({error}){_excerpt(body)}",
                'It must answer {"embeddings": [[number, …]]}, all numbers finite.',
            ) from error
        if len(answer.embeddings) != 1 or not answer.embeddings[0]:
            raise self._fault(
                f"gave {counted(len(answer.embeddings), 'vector')} for one text"
                if len(answer.embeddings) != 1
                else "gave an empty vector",
                "It must give one vector for each text, in order.",
            )
        if len(answer.embeddings[0]) > MOST_COMPONENTS:
            raise self._fault(
                f"gave a vector of {counted(len(answer.embeddings[0]), 'component')}, more than "
                f"{MOST_COMPONENTS:,}",
                "Check which model it serves.",
            )
        self._model = answer.model
        return answer.embeddings[0]

    def _post(self, body: bytes) -> tuple[int, bytes]:
        """Return the status and body of the answer, after new tries of what failed for the
        moment."""
        until = time.monotonic() + DEADLINE_SECONDS
        for pause in PAUSES_SECONDS:
            try:
                status, answer = self._post_once(body, until)
            except (OSError, http.client.HTTPException):
                self._disconnect()
            else:
                if status not in _MOMENTARY:
                    return status, answer
            time.sleep(max(0.0, min(pause, until - time.monotonic())))
        try:
            return self._post_once(body, until)
        except (OSError, http.client.HTTPException) as error:
            self._disconnect()
            raise self._fault(
                f"cannot be reached ({error or type(error).__name__})",
                "Start the server, or check the option url.",
            ) from error

    def _post_once(self, body: bytes, until: float) -> tuple[int, bytes]:
        """Ask once. A server that sends a byte now and then is cut off at the deadline."""
        remaining = until - time.monotonic()
        if remaining <= 0:
            raise self._too_slow()
        late = threading.Event()
        timer = threading.Timer(remaining, self._cut_off, [late])
        timer.daemon = True
        timer.start()
        try:
            status, answer = self._exchange(body)
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            if late.is_set():
                raise self._too_slow() from error
            raise
        finally:
            timer.cancel()
        if len(answer) > MOST_BYTES:
            self._disconnect()
            raise self._fault(
                f"gave an answer of more than {MOST_BYTES >> 20} MB", "Check the option url."
            )
        return status, answer

    def _cut_off(self, late: threading.Event) -> None:
        late.set()
        connection = self._connection
        sock = None if connection is None else connection.sock
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _too_slow(self) -> InputError:
        self._disconnect()
        return self._fault(
            f"took more than {DEADLINE_SECONDS:.0f} seconds for one text",
            "Look at the server's log, and run the same command again: finished vectors are kept.",
        )

    def _exchange(self, body: bytes) -> tuple[int, bytes]:
        connection = self._connection = self._connection or self._connect()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        connection.request("POST", self._server.path, body, headers | dict(self._server.headers))
        response = connection.getresponse()
        return response.status, response.read(MOST_BYTES + 1)

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._server.secure else http.client.HTTPConnection
        return kind(self._server.host, self._server.port, timeout=TIMEOUT_SECONDS)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _fault(self, what: str, hint: str) -> InputError:
        for secret in self._server.secrets:  # a server may send back what it was sent
            what = what.replace(secret, "…")
        return InputError(f"the embedding server {self._server.shown} {what}", hint)


def create(options: Mapping[str, str]) -> HttpEmbedder:
    """Create the embedder; ask the server for the dimension unless an option says it.

    Raises `UsageError` for bad options, `InputError` when the server cannot be used.
    """
    check_options("http", options, OPTIONS)
    if not options.get("url"):
        raise UsageError(
            "the embedder http needs the option url",
            f"--embedder-option url=URL, or --embedder-url URL: {OPTIONS['url']}.",
        )
    variable = options.get("key")
    key = None if variable is None else key_of(variable, "leave the option key away")
    server = parse_url(options["url"], key)
    return HttpEmbedder(
        server,
        name=options.get("name") or "http",
        identity=options.get("identity") or None,
        licence=options.get("licence") or "unknown",
        dimension=_dimension(options.get("dimension")),
    )


def parse_url(url: str, key: str | None = None) -> Server:
    """Parse an address; add `/embed` to its path unless it ends so.

    No message repeats its user, password or query: a key may be in any of them.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"url {one_address(url)!r} cannot be read", OPTIONS["url"]) from error
    if parts.query or parts.fragment:
        raise UsageError(
            f"url {one_address(url)!r} was given with a query or a fragment, which is not sent",
            "Name the environment variable that holds a key: --embedder-option key=VARIABLE.",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"url {one_address(url)!r} is not the address of a server",
            "Write it as http://HOST:PORT or https://HOST/PATH.",
        )
    base = parts.path.rstrip("/").removesuffix("/embed")
    authority = parts.netloc.rpartition("@")[2]
    return Server(
        secure=parts.scheme == "https",
        host=parts.hostname,
        port=port,
        path=f"{base}/embed",
        shown=f"{parts.scheme}://{authority}{base}",
        headers=_authorization(parts, key),
        secrets=_secrets(parts, key),
    )


def _secrets(parts: SplitResult, key: str | None) -> tuple[str, ...]:
    """Name what may not be shown, longest first."""
    sent = _authorization(parts, key).get("Authorization", "").partition(" ")[2]
    given = (sent, key, parts.password, unquote(parts.password or ""), parts.username)
    return tuple(sorted({secret for secret in given if secret}, key=len, reverse=True))


def _authorization(parts: SplitResult, key: str | None) -> dict[str, str]:
    if key is not None:
        return {"Authorization": f"Bearer {key}"}
    if parts.username is None:
        return {}
    credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {base64.b64encode(credentials.encode()).decode()}"}


def _dimension(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or int(text) == 0:
        raise UsageError(f"dimension {text!r} is not a positive whole number")
    return int(text)


def _excerpt(body: bytes) -> str:
    text = " ".join(body.decode("utf-8", "replace").split())
    return f": {text if len(text) <= 120 else text[:117] + '…'}" if text else ""


def _status_hint(status: int) -> str:
    if status in (401, 403):
        return "Name the environment variable that holds a key: --embedder-option key=VARIABLE."
    if status in (404, 405):
        return "It must answer POST /embed; check the option url."
    if status in _MOMENTARY:
        return (
            "Look at the server's log, and run the same command again: finished vectors are kept."
        )
    return 'It must answer {"texts": [string, …]} with {"embeddings": [[number, …]]}.'
