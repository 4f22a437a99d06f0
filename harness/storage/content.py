"""The bytes of a dataset file, unpacked when they are packed.

Packing is recognised by the first bytes of the file, never by its name, so a renamed file still
opens.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from harness.decode.lines import check_unpacked
from harness.errors import InputError

CHUNK_BYTES = 2 << 20
"""How much is read at a time: large enough for few calls, small enough to stay in the cache."""

_GZIP_MAGIC = b"\x1f\x8b"
_XZ_MAGIC = b"\xfd7zXZ\x00"
_OTHER_ARCHIVES = {b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
_TRUNCATED = "The file is cut off or damaged: fetch it again, or copy it again from its source."


class ByteSource(Protocol):
    """Bytes that are read from front to back."""

    def read(self, size: int, /) -> bytes:
        """Read at most `size` bytes; an empty result means the end."""


class _Unpacked:
    """A packed stream whose errors name the file and the place where its content stops."""

    def __init__(
        self,
        path: Path,
        packed: BinaryIO,
        stream: gzip.GzipFile | lzma.LZMAFile,
        packing: str,
    ) -> None:
        self._path = path
        self._packed = packed
        self._stream = stream
        self._packing = packing
        self._position = 0

    def read(self, size: int, /) -> bytes:
        try:
            data = self._stream.read(size)
        except EOFError as error:
            raise InputError(
                f"{self._path}: the {self._packing} stream ends early, "
                f"after byte {self._position:,} of its content",
                _TRUNCATED,
            ) from error
        except (gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
            raise InputError(
                f"{self._path}: the {self._packing} stream is damaged "
                f"after byte {self._position:,} of its content ({error})",
                _TRUNCATED,
            ) from error
        self._position += len(data)
        check_unpacked(str(self._path), self._packed.tell(), self._position)
        return data


@contextmanager
def open_content(path: Path) -> Iterator[ByteSource]:
    """Open the unpacked bytes of `path`; raises `InputError` where it cannot be read as what it
    is."""
    try:
        stream = path.open("rb")
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist", "Check the path.") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder", "Name the dataset's file.") from error
    with stream:
        magic = stream.read(len(_XZ_MAGIC))
        stream.seek(0)
        for prefix, archive in _OTHER_ARCHIVES.items():
            if magic.startswith(prefix):
                raise InputError(
                    f"{path} is a {archive} archive", "Unpack it first; gzip and xz are read as is."
                )
        if magic.startswith(_GZIP_MAGIC):
            with gzip.open(stream) as unpacked:
                yield _Unpacked(path, stream, unpacked, "gzip")
        elif magic == _XZ_MAGIC:
            with lzma.open(stream) as unpacked:
                yield _Unpacked(path, stream, unpacked, "xz")
        else:
            yield stream


def is_packed(path: Path) -> bool:
    """Return whether the file is gzip or xz."""
    with path.open("rb") as stream:
        magic = stream.read(len(_XZ_MAGIC))
    return magic.startswith(_GZIP_MAGIC) or magic == _XZ_MAGIC


def content_size_and_sha256(path: Path) -> tuple[int, str]:
    """Return bytes and hex SHA-256 of the unpacked content."""
    digest = hashlib.sha256()
    size = 0
    with open_content(path) as content:
        while data := content.read(CHUNK_BYTES):
            digest.update(data)
            size += len(data)
    return size, digest.hexdigest()
