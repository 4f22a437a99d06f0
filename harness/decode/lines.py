"""Lines of JSON from a file or from standard input; plain, gzip or xz, told apart by content."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from harness.errors import Faults, InputError
from harness.words import counted

from .format import Format, decode

STANDARD_INPUT = "-"
_GZIP_MAGIC, _XZ_MAGIC = b"\x1f\x8b", b"\xfd7zXZ\x00"

Value = TypeVar("Value")

LONGEST_LINE = 64 << 20
"""Bytes; what a line is read into takes several times as many."""
MOST_UNPACKED = 500
UNPACKED_FREELY = 64 << 20
"""What is packed may unpack to so many times its bytes, and to so many bytes in any case."""


def check_unpacked(name: str, packed: int, unpacked: int) -> None:
    """Refuse what unpacks to far more than it is; raise `InputError`."""
    if unpacked > UNPACKED_FREELY and unpacked > MOST_UNPACKED * packed:
        raise InputError(
            f"{name}: {counted(packed, 'packed byte')} have given {unpacked:,}, more than "
            f"{MOST_UNPACKED} times as many",
            "Unpack it yourself, if it is what it should be.",
        )


def _bounded(stream: _Opened, name: str) -> Iterator[bytes]:
    """Yield the lines, none of them longer than is read at once."""
    unpacked, number = 0, 0
    while line := stream.lines.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise InputError(
                f"{name}: line {number:,} is longer than {LONGEST_LINE >> 20} MB",
                "A line holds one object.",
            )
        unpacked += len(line)
        if stream.packed is not None:
            check_unpacked(name, stream.packed.tell(), unpacked)
        yield line


@dataclass(frozen=True, slots=True)
class _Opened:
    """Bytes as lines, and the packed stream below them, if there is one that tells its place."""

    lines: io.BufferedIOBase
    packed: io.BufferedReader | None = None


class SourceLines:
    """The lines of `source`, one at a time, with their numbers from 1; lines of white space alone
    are skipped.

    Raises `InputError` where the source cannot be read, or is compressed and damaged or cut short.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.name = "standard input" if source == STANDARD_INPUT else source
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Hex SHA-256 of the bytes read, unpacked; of all once every line was asked for."""
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        number = 0
        try:
            with _opened(self.source, self.name) as stream:
                for number, line in enumerate(_bounded(stream, self.name), start=1):
                    self._digest.update(line)
                    if number == 1:
                        line = line.removeprefix(codecs.BOM_UTF8)
                    if line and not line.isspace():
                        yield number, line
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise InputError(
                f"{self.name}: the compressed data is damaged or ends early, after line "
                f"{number} ({error})",
                "Copy or fetch the file again.",
            ) from error


def decode_lines(
    form: Format[Value],
    source: str | SourceLines,
    *,
    faults: Faults | None = None,
    identity: Callable[[Value], str] | None = None,
    needed: str = "",
) -> Iterator[tuple[int, Value]]:
    """Yield the number and value of each line of JSON.

    After a faulty line the rest is read for faults alone; they are added to `faults`, each after
    its line, or raised at the end as one `InputError`. Two lines of the same `identity`, which is
    how messages name it, are a fault, and so is a source without a line where one is `needed`: the
    word for what it lacks.
    """
    lines = SourceLines(source) if isinstance(source, str) else source
    noted = Faults() if faults is None else faults
    before, number = len(noted), 0
    first_lines: dict[str, int] = {}
    try:
        for number, line in lines:
            value = decode(form, line, place=f"line {number}", faults=noted)
            if value is not None and identity is not None:
                name = identity(value)
                first = first_lines.setdefault(name, number)
                if first != number:
                    noted.add(f"line {number}: {name} is already in line {first}")
            if value is not None and len(noted) == before:
                yield number, value
    except InputError as error:
        if faults is None and len(noted):
            noted.add(error.message.removeprefix(f"{lines.name}: "))
            noted.raise_if_any(lines.name, form.hint)
        raise
    if needed and not number:
        raise InputError(f"{lines.name} holds no {needed}", form.hint)
    if faults is None:
        noted.raise_if_any(lines.name, form.hint)


@contextmanager
def _opened(source: str, name: str) -> Iterator[_Opened]:
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
            yield _Opened(stack.enter_context(gzip.open(stream, "rb")), _telling(stream))
        elif magic.startswith(_XZ_MAGIC):
            yield _Opened(stack.enter_context(lzma.open(stream, "rb")), _telling(stream))
        else:
            yield _Opened(stream)


def _telling(stream: io.BufferedReader) -> io.BufferedReader | None:
    """Return the stream, if it knows how many of its bytes were read; a pipe does not."""
    return stream if stream.seekable() else None
