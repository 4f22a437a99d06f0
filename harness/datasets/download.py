"""One download over HTTP: the part file that grows, and one request that makes it grow."""

from __future__ import annotations

import fcntl
import hashlib
import http.client
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import harness
from harness.errors import HarnessError, InputError, UsageError
from harness.storage.atomic import storage_error

Report = Callable[[int], None]
"""Told the number of bytes at hand whenever it changes."""

_READ_BYTES = 1 << 18
_TIMEOUT_SECONDS = 30.0
_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
_PASSING_STATUSES = (408, 425, 429, 500, 502, 503, 504)


class TransferError(Exception):
    """The transfer stopped for a reason that may pass; what came before is kept."""


class PartialDownload:
    """The bytes of a download so far, in a file, with their running SHA-256."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.path = path
        self.length = 0
        self._stream = stream
        self._digest = hashlib.sha256()
        stream.seek(0)
        while data := stream.read(_READ_BYTES):
            self._digest.update(data)
            self.length += len(data)

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def append(self, data: bytes) -> None:
        try:
            written = self._stream.write(data)
            while written < len(data):  # an unbuffered stream may take less than it is given
                written += self._stream.write(data[written:])
        except OSError as error:
            raise storage_error(error, self.path) from error
        self._digest.update(data)
        self.length += len(data)

    def restart(self) -> None:
        """Forget every byte."""
        self._stream.truncate(0)
        self._digest = hashlib.sha256()
        self.length = 0

    def sync(self) -> None:
        """Have the bytes on the disk."""
        os.fsync(self._stream.fileno())


@contextmanager
def open_part(path: Path) -> Iterator[PartialDownload]:
    """Open the part file, hashed from its start if it exists, locked against a second download.

    It stays when the block ends, unless it is empty.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Unbuffered: what was received is in the file even if the process is killed.
        stream = path.open("ab+", buffering=0)
    except OSError as error:
        raise storage_error(error, path) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise HarnessError(
                f"another download is writing {path}", "Wait until it has finished."
            ) from error
        part = PartialDownload(path, stream)
        try:
            yield part
        finally:
            if not part.length:
                path.unlink(missing_ok=True)


class DownloadSource:
    """A file of known size at an address."""

    def __init__(self, url: str, size: int) -> None:
        try:
            scheme = urlsplit(url).scheme
        except ValueError as error:
            raise UsageError(f"{url!r} is not an address ({error})", "Check --url.") from error
        if scheme not in ("http", "https"):
            raise UsageError(f"{url!r} is not an http or https address", "Check --url.")
        self._url = url
        self._size = size
        self._entity_tag: str | None = None

    def continue_into(self, part: PartialDownload, report: Report) -> None:
        """Ask once for what `part` lacks, and append it.

        Raises `TransferError` when the rest may come another time, `HarnessError` when it will not.
        """
        try:
            with self._open(part.length) as response:
                self._place(response, part)
                report(part.length)
                while data := response.read1(_READ_BYTES):
                    part.append(data)
                    report(part.length)
                    if part.length > self._size:
                        part.restart()
                        raise self._other_size("more")
        except urllib.error.HTTPError as error:
            self._refused(error, part)
        except urllib.error.URLError as error:
            raise TransferError(f"cannot reach {self._url}: {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise TransferError(
                f"the connection was lost ({error or type(error).__name__})"
            ) from error
        if part.length < self._size:
            raise TransferError("the connection was closed early")

    def _open(self, start: int) -> http.client.HTTPResponse:
        headers = {
            "Accept-Encoding": "identity",
            "User-Agent": f"evidence-harness/{harness.__version__}",
        }
        if start:
            headers["Range"] = f"bytes={start}-"
            # Known within one call only. Between calls the hash of the whole is the check.
            if self._entity_tag:
                headers["If-Range"] = self._entity_tag
        request = urllib.request.Request(self._url, headers=headers)  # noqa: S310 (checked above)
        response: http.client.HTTPResponse = urllib.request.urlopen(  # noqa: S310
            request, timeout=_TIMEOUT_SECONDS
        )
        return response

    def _place(self, response: http.client.HTTPResponse, part: PartialDownload) -> None:
        """Check that what comes continues the part; restart the part if all of it comes."""
        if response.status == http.client.PARTIAL_CONTENT:
            match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if match is None or int(match.group(1)) != part.length:
                part.restart()
                raise TransferError("the server sent another range than the one asked for")
            total = match.group(2)
        else:
            total = response.headers.get("Content-Length", "*")
        if total not in ("*", str(self._size)):
            raise self._other_size(total)
        if response.status != http.client.PARTIAL_CONTENT and part.length:
            part.restart()
        tag = response.headers.get("ETag")
        self._entity_tag = tag if tag and not tag.startswith("W/") else None

    def _refused(self, error: urllib.error.HTTPError, part: PartialDownload) -> None:
        with error:
            if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and part.length:
                part.restart()
                raise TransferError("the server does not have the range asked for") from error
            if error.code in _PASSING_STATUSES:
                raise TransferError(f"the server answers {error.code} {error.reason}") from error
            raise HarnessError(
                f"{self._url}: the server answers {error.code} {error.reason}",
                "Check the address; another one with the same file can be given with --url.",
            ) from error

    def _other_size(self, actual: str) -> InputError:
        return InputError(
            f"{self._url} has {actual} bytes, the register says {self._size}: it is another file",
            "Give an address of the registered file with --url.",
        )
