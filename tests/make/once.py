"""Folders that are made once per session, by what they are made of."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

_MADE: dict[Path, dict[str, str]] = {}
"""Folder -> the hash of each file that was made in it."""


def once(build: Callable[[Path], object], *content: str) -> Path:
    """The folder that `build` fills from `content`, filled at the first call for that content.

    Whoever asks for the same content gets the same folder, so it must stay as it is; `copied` gives
    one that may be changed.
    """
    parts = (build.__module__, build.__qualname__, *content)
    key = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    folder = _root() / key[:24]
    if folder not in _MADE:
        # left by a build that failed
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        build(folder)
        _MADE[folder] = _hashes(folder)
    return folder


def copied(folder: Path, to: Path) -> Path:
    """A copy of a shared folder, at `to`, which a test may change."""
    return shutil.copytree(folder, to)


def changed_files() -> list[str]:
    """Name the files of shared folders that are not as they were made."""
    return [
        f"{folder}/{name}"
        for folder, made in _MADE.items()
        for name, _ in sorted(made.items() ^ _hashes(folder).items())
    ]


def remove_all() -> None:
    if _MADE:
        shutil.rmtree(_root())
        _MADE.clear()
        _root.cache_clear()


@cache
def _root() -> Path:
    return Path(tempfile.mkdtemp(prefix="made-"))


def _hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }
