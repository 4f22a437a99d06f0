"""Writes that either happen whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from harness.errors import HarnessError

_PREFIX = "."
_SUFFIX = ".part"


@contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """A temporary path beside `target` that takes its name when the block ends without an error.

    The file is flushed to disk before it is renamed, and the folder after; on any error or
    interrupt the temporary file is removed and `target` is as it was.
    """
    temporary = _temporary_beside(target)
    try:
        yield temporary
        _default_permissions(temporary)
        _flush(temporary)
        temporary.replace(target)
        _flush(target.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise storage_error(error, target) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_text(target: Path) -> Iterator[IO[str]]:
    """Like `atomic_path`, with the temporary file open for UTF-8 text with `\\n` line ends."""
    with (
        atomic_path(target) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        yield stream


def write_text(target: Path, text: str) -> None:
    """Write `text` to `target` atomically."""
    with atomic_text(target) as stream:
        stream.write(text)


def storage_error(error: OSError, path: Path) -> HarnessError:
    """What to tell the person at the terminal when the file system refuses."""
    if _is_full(error):
        return HarnessError(
            f"no room left on the disk while writing {path}",
            "Free some space and run the same command again: finished parts are kept.",
        )
    reason = error.strerror or str(error)
    return HarnessError(f"cannot write {path}: {reason}", "Check the path and its permissions.")


def is_temporary(name: str) -> bool:
    """Whether a file name is one that `atomic_path` gives before the final one."""
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def remove_temporaries(folder: Path) -> None:
    """Remove what killed processes left behind in `folder` and below it."""
    for path in folder.rglob(f"{_PREFIX}*{_SUFFIX}"):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(error, path) from error


def _temporary_beside(target: Path) -> Path:
    folder = target.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(error, folder) from error
    try:
        descriptor, name = tempfile.mkstemp(
            prefix=f"{_PREFIX}{target.name}.", suffix=_SUFFIX, dir=folder
        )
    except OSError as error:
        raise storage_error(error, target) from error
    os.close(descriptor)
    return Path(name)


def _is_full(error: OSError) -> bool:
    full = (errno.ENOSPC, errno.EDQUOT)
    return error.errno in full or "No space left on device" in str(error)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _default_permissions(path: Path) -> None:
    """`mkstemp` makes private files; give the file what a plain `open` would have given."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
