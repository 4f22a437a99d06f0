"""The embedder `http`: any server that answers `POST /embed`.

The request is `{"texts": [string]}`, one text each, over one kept connection; the answer is
`{"embeddings": [[number…]]}`.
"""

from __future__ import annotations

import base64
import http.client
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec
import numpy as np
from numpy.typing import NDArray

from harness.errors import InputError, UsageError
from harness.storage.hashing import sha256_of_json

from .embedder import check_options

OPTIONS = {
    "url": "address of the server, such as http://127.0.0.1:8080 (required)",
    "identity": "what the vectors depend on, such as a model and its version; default: the url",
    "name": "name to show in results; default: http",
    "dimension": "number of components; default: asked of the server",
    "licence": "licence of the model; default: unknown",
}
PROBE = "dimension"
TIMEOUT_SECONDS = 60.0
PAUSES_SECONDS = (0.5, 1.0, 2.0)  # before each new try of a request that failed for the moment
_MOMENTARY = frozenset({408, 425, 429, 500, 502, 503, 504})


class _Answer(msgspec.Struct):
    embeddings: list[list[float]]


@dataclass(frozen=True, slots=True)
class Server:
    """Where to send requests. `shown` is the address without credentials."""

    secure: bool
    host: str
    port: int | None
    path: str
    shown: str
    headers: Mapping[str, str] = field(repr=False)


class HttpEmbedder:
    """Vectors from a server, one text a request.

    The fingerprint is over the identity and the dimension: name the model and its version in
    `identity`, so that the cache knows its vectors wherever the server runs, and does not mistake
    another model's for them.
    """

    def __init__(
        self, server: Server, *, name: str, identity: str, licence: str, dimension: int | None
    ) -> None:
        self.name = name
        self.licence = licence
        self._server = server
        self._connection: http.client.HTTPConnection | None = None
        self.dimension = dimension or len(self._ask(PROBE))
        self.fingerprint = sha256_of_json(
            {"embedder": "http", "version": 1, "identity": identity, "dimension": self.dimension}
        )

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text; raises `InputError` when the server cannot give it."""
        components = self._ask(text)
        if len(components) != self.dimension:
            raise self._fault(
                f"gave {len(components)} components, expected {self.dimension}",
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
                f"gave {len(answer.embeddings)} vectors for one text"
                if len(answer.embeddings) != 1
                else "gave an empty vector",
                "It must give one vector for each text, in order.",
            )
        return answer.embeddings[0]

    def _post(self, body: bytes) -> tuple[int, bytes]:
        """Return the status and body of the answer, after new tries of what failed for the
        moment."""
        for pause in PAUSES_SECONDS:
            try:
                status, answer = self._post_once(body)
            except (OSError, http.client.HTTPException):
                self._disconnect()
            else:
                if status not in _MOMENTARY:
                    return status, answer
            time.sleep(pause)
        try:
            return self._post_once(body)
        except (OSError, http.client.HTTPException) as error:
            self._disconnect()
            raise self._fault(
                f"cannot be reached ({error or type(error).__name__})",
                "Start the server, or check the option url.",
            ) from error

    def _post_once(self, body: bytes) -> tuple[int, bytes]:
        connection = self._connection = self._connection or self._connect()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        connection.request("POST", self._server.path, body, headers | dict(self._server.headers))
        response = connection.getresponse()
        return response.status, response.read()

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._server.secure else http.client.HTTPConnection
        return kind(self._server.host, self._server.port, timeout=TIMEOUT_SECONDS)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _fault(self, what: str, hint: str) -> InputError:
        return InputError(f"the embedding server {self._server.shown} {what}", hint)


def create(options: Mapping[str, str]) -> HttpEmbedder:
    """Create the embedder; ask the server for the dimension unless an option says it.

    Raises `UsageError` for bad options, `InputError` when the server cannot be used.
    """
    check_options("http", options, OPTIONS)
    if not options.get("url"):
        raise UsageError("the embedder http needs the option url", f"url: {OPTIONS['url']}.")
    server = parse_url(options["url"])
    return HttpEmbedder(
        server,
        name=options.get("name") or "http",
        identity=options.get("identity") or server.shown,
        licence=options.get("licence") or "unknown",
        dimension=_dimension(options.get("dimension")),
    )


def parse_url(url: str) -> Server:
    """Parse an address; add `/embed` to its path unless it ends so."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"url {_without_credentials(url)!r}: {error}", OPTIONS["url"]) from error
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(
            f"url {_without_credentials(url)!r} is not the address of a server",
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
        headers=_authorization(parts),
    )


def _authorization(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {base64.b64encode(credentials.encode()).decode()}"}


def _without_credentials(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"


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
        return "Put credentials into the url: http://USER:PASSWORD@HOST."
    if status in (404, 405):
        return "It must answer POST /embed; check the option url."
    if status in _MOMENTARY:
        return (
            "Look at the server's log, and run the same command again: finished vectors are kept."
        )
    return 'It must answer {"texts": [string, …]} with {"embeddings": [[number, …]]}.'
