"""Writes that either happen whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from harness.errors import HarnessError

_PREFIX = "."
_SUFFIX = ".part"
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.part", re.DOTALL)


@contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """Open a temporary path next to `target`; rename it to `target` when the block ends without an
    error.

    The file is flushed to disk before it is renamed, and the folder after; on any error or
    interrupt the temporary file is removed and `target` is unchanged. What a killed process left of
    an earlier write to `target` is removed.
    """
    if target.exists() and not target.is_file():
        raise HarnessError(f"{target} is not a regular file", "Choose another name for the output.")
    _make_folder(target.parent)
    temporary = target.parent / f"{_PREFIX}{target.name}.{secrets.token_hex(8)}{_SUFFIX}"
    try:  # from before the file is there, so that an interrupt at any moment leaves none behind
        _remove_left(target)
        with _created(temporary):
            yield temporary
            # the order matters: a name must never point at data that a power cut can still lose
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
    """Open a text file that becomes `target` as `atomic_path` says; UTF-8, `\\n` line ends."""
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
    """Describe why the file system refused, for the person at the terminal."""
    if _is_full(error):
        return HarnessError(
            f"no room left on the disk while writing {path}",
            "Free some space and run the same command again: finished parts are kept.",
        )
    reason = error.strerror or str(error)
    return HarnessError(f"cannot write {path}: {reason}", "Check the path and its permissions.")


def is_temporary(name: str) -> bool:
    """Return whether a file name is one that `atomic_path` gives before the final one."""
    return _TEMPORARY.fullmatch(name) is not None


def remove_temporaries(folder: Path) -> None:
    """Remove what killed processes left behind in `folder` and below it."""
    for path in folder.rglob(f"{_PREFIX}*{_SUFFIX}"):
        try:
            if is_temporary(path.name):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(error, path) from error


def _created(temporary: Path) -> IO[bytes]:
    """Create the file, and lock it for as long as this process writes it."""
    while True:
        stream = temporary.open("xb")
        with suppress(OSError):  # a file system without locks
            fcntl.flock(stream, fcntl.LOCK_EX)
        if os.fstat(stream.fileno()).st_nlink:
            return stream
        stream.close()  # taken for one that was left, before it was locked


def _remove_left(target: Path) -> None:
    """Remove the temporary files of `target` that no process has locked any more."""
    for name in os.listdir(target.parent):
        if not (name.startswith(f"{_PREFIX}{target.name}.") and is_temporary(name)):
            continue
        path = target.parent / name
        with suppress(OSError), path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(error, folder) from error


def _is_full(error: OSError) -> bool:
    full = (errno.ENOSPC, errno.EDQUOT)
    return error.errno in full or "No space left on device" in str(error)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
