"""Corpus files: as they are, or packed with gzip or Zstandard.

Packing is recognised by the first bytes when reading, and by the name when writing.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa

from harness.errors import InputError
from harness.storage.content import CHUNK_BYTES, open_content
from harness.words import counted

MAX_PACKED_BYTES = 256 << 20
MAX_UNPACKED_BYTES = 1 << 30
"""What a corpus may have, as in the reference: a small file must not fill the memory."""

PACKINGS = {"none": "", "gz": ".gz", "zst": ".zst"}
"""By the name of a packing, the suffix of a file that is packed so."""

SUFFIXES = tuple(PACKINGS.values())
_ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
_GZIP_LEVEL = 9


def unpacked(path: Path) -> bytes:
    """Return the content of a corpus file.

    Raises `InputError` for a file that is damaged, cut off, or larger than a corpus may be.
    """
    try:
        with path.open("rb") as stream:
            magic = stream.read(len(_ZSTANDARD_MAGIC))
        size = path.stat().st_size
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "Check the path.") from error
    if size > (MAX_UNPACKED_BYTES if magic[:1] == b"{" else MAX_PACKED_BYTES):
        raise InputError(f"{path} has {counted(size, 'byte')}, more than a corpus may have")
    return _from_zstandard(path) if magic == _ZSTANDARD_MAGIC else _from_content(path)


def pack(content: bytes, suffix: str) -> bytes:
    """Pack `content` for a file of that suffix; the same content gives the same bytes."""
    if suffix == ".gz":
        return gzip.compress(content, _GZIP_LEVEL, mtime=0)
    if suffix == ".zst":
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, "zstd") as stream:
            stream.write(content)
        return bytes(sink.getvalue().to_pybytes())
    return content


def _from_content(path: Path) -> bytes:
    parts, size = [], 0
    with open_content(path) as content:
        while data := content.read(CHUNK_BYTES):
            size += len(data)
            _check_size(path, size)
            parts.append(data)
    return b"".join(parts)


def _from_zstandard(path: Path) -> bytes:
    parts, size = [], 0
    try:
        with pa.OSFile(str(path)) as packed, pa.CompressedInputStream(packed, "zstd") as stream:
            while data := stream.read(CHUNK_BYTES):
                size += len(data)
                _check_size(path, size)
                parts.append(bytes(data))
    except OSError as error:
        raise InputError(
            f"{path}: the zstd stream is damaged or cut off ({error})",
            "Copy it again from its source.",
        ) from error
    return b"".join(parts)


def _check_size(path: Path, size: int) -> None:
    if size > MAX_UNPACKED_BYTES:
        raise InputError(f"{path} unpacks to more than {MAX_UNPACKED_BYTES:,} bytes")
