"""Lines of JSON from a file or from standard input; plain, gzip or xz, told apart by content."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import jsonlines
import msgspec

from harness.errors import InputError

STANDARD_INPUT = "-"
_GZIP_MAGIC, _XZ_MAGIC = b"\x1f\x8b", b"\xfd7zXZ\x00"


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One line, counted from 1: its value, or what keeps it from being JSON."""

    number: int
    value: Any = None
    fault: str | None = None


class JsonLines:
    """The lines of `source`, one at a time; lines of white space alone are skipped.

    A line that is not JSON or not UTF-8 is given with its fault, and the next ones are read all the
    same. NaN and infinities are let through, so that a reader can name the field that holds them.
    Raises `InputError` where the source cannot be read, or is compressed and damaged or cut short.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.name = "standard input" if source == STANDARD_INPUT else source
        self._digest = hashlib.sha256()
        self._number = 0

    @property
    def sha256(self) -> str:
        """Hex SHA-256 of the bytes read, unpacked; of all once every line was asked for."""
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[JsonLine]:
        with _opened(self.source, self.name) as stream:
            lines = jsonlines.Reader(self._counted(stream), loads=_decode)
            while True:
                try:
                    value = lines.read(allow_none=True, skip_empty=True)
                except jsonlines.InvalidLineError as error:
                    yield JsonLine(self._number, fault=_reason(error.__cause__))
                except EOFError:
                    return
                else:
                    yield JsonLine(self._number, value)

    def _counted(self, stream: Iterable[bytes]) -> Iterator[bytes]:
        self._number = 0
        try:
            for line in stream:
                self._number += 1
                self._digest.update(line)
                yield line
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise InputError(
                f"{self.name}: the compressed data is damaged or ends early, after line "
                f"{self._number} ({error})",
                "Copy or fetch the file again.",
            ) from error


def _decode(text: str | bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except (msgspec.DecodeError, UnicodeEncodeError):
        return json.loads(text)  # admits NaN, infinities and lone surrogates


def _reason(cause: BaseException | None) -> str:
    if isinstance(cause, UnicodeDecodeError):
        return f"is not UTF-8 (byte {cause.start + 1} of the line: {cause.reason})"
    if isinstance(cause, json.JSONDecodeError):
        return f"is not JSON (at character {cause.pos + 1}: {cause.msg})"
    return f"is not JSON ({cause})"


@contextmanager
def _opened(source: str, name: str) -> Iterator[Iterable[bytes]]:
    stream: io.BufferedReader
    with ExitStack() as stack:
        if source == STANDARD_INPUT:
            stream = io.BufferedReader(cast(io.RawIOBase, sys.stdin.buffer))
            stack.callback(stream.detach)
        else:
            try:
                stream = stack.enter_context(Path(source).open("rb"))
                stream.peek(1)
            except OSError as error:
                raise InputError(
                    f"cannot read {name}: {error.strerror}", "Check the path."
                ) from error
        magic = stream.peek(len(_XZ_MAGIC))
        if magic.startswith(_GZIP_MAGIC):
            yield stack.enter_context(gzip.open(stream, "rb"))
        elif magic.startswith(_XZ_MAGIC):
            yield stack.enter_context(lzma.open(stream, "rb"))
        else:
            yield stream
