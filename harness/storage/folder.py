"""Folders that the harness writes: a start record first, the manifest last.

A folder with a start record and no manifest is unfinished work: the same work continues it, any
other is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Any

from harness.decode import Format, JsonObject, decode, json_of_file
from harness.errors import InputError

from .atomic import is_temporary, remove_temporaries, storage_error, write_text
from .lock import HOLDER, FolderLock
from .manifest import MANIFEST_NAME, kind_of_folder, read_manifest, verify_files

START_NAME = "started.json"


@dataclass(frozen=True, slots=True)
class _StartRecord:
    schema: str
    work: JsonObject


_STARTED = Format("start record", _StartRecord, hint="Start over with --force.")


class FolderState(Enum):
    """What an output folder was when it was opened."""

    NEW = "new"
    UNFINISHED = "unfinished"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """An output folder, opened for work of one kind: `start`, write, `finish`.

    `entries`: the names that such work writes at the top of the folder. `replace`: whether existing
    ones are removed first.
    """

    path: Path
    schema: str
    work: Mapping[str, Any]
    entries: tuple[str, ...]
    state: FolderState
    replace: bool = False
    seen: frozenset[tuple[str, int]] = frozenset()
    _lock: list[FolderLock] = field(default_factory=list, compare=False, repr=False)

    def start(self) -> None:
        """Lock the folder, make it ready to be written, and write the start record.

        Raises `InputError` where another process writes it, or has since it was opened.
        """
        lock = FolderLock(self.path)
        self._lock.append(lock)
        if _records_of(self.path) != self.seen:
            self.release()
            raise InputError(
                f"{self.path} was written by another process in the meantime",
                "Run the same command again.",
            )
        remove_temporaries(self.path)  # a killed process cannot
        lock.say_who()
        if self.state is FolderState.NEW:
            if self.replace:
                # the records go last: what an interrupt leaves is still known as ours
                _remove(self.path, self.entries)
            value = {"schema": self.schema, "work": dict(self.work)}
            text = json.dumps(value, indent=1, ensure_ascii=False)
            write_text(self.path / START_NAME, text + "\n")

    def finish(self) -> None:
        """Remove the start record; call after the manifest is written."""
        (self.path / START_NAME).unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Let other processes write the folder; what is unfinished stays so."""
        while self._lock:
            self._lock.pop().release()


def open_output(
    path: Path,
    schema: str,
    work: Mapping[str, Any],
    entries: Sequence[str],
    *,
    force: bool = False,
    growing: bool = False,
) -> OutputFolder:
    """Open `path` for the given work; nothing is written before `OutputFolder.start`.

    New or empty: it is for this work. The same work unfinished: it continues. The same work
    finished: `FolderState.FINISHED`, nothing to do. Other work of the same kind is refused, unless
    `force`, which removes `entries` and the harness's records, and nothing else. A folder that the
    harness did not write, and one of another kind of work, is refused always. A `growing` folder
    may hold finished work that this work adds to; whether it fits is the caller's to check.
    """
    if path.is_symlink() and not path.exists():
        raise InputError(
            f"{path} is a link to {path.readlink()}, which does not exist",
            "Make that folder, or choose another --out.",
        )
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} exists and is not a folder", "Choose another --out.")
    contents = {entry.name for entry in path.iterdir()} if path.exists() else set()
    _refuse_other_kinds(path, contents, schema)
    state = FolderState.NEW
    if MANIFEST_NAME in contents and not growing and not force:
        _check_finished(path, schema, work)
        state = FolderState.FINISHED
    elif START_NAME in contents and not force:
        _check_same(path, schema, work)
        state = FolderState.UNFINISHED
    folder = OutputFolder(path, schema, dict(work), tuple(entries), state, force, _records_of(path))
    if state is FolderState.FINISHED:
        forget_start(path)
    return folder


def forget_start(path: Path) -> None:
    """Remove what is left of work that was killed after its manifest was written."""
    if (path / START_NAME).exists() or (path / HOLDER).exists():
        lock = FolderLock(path)
        (path / START_NAME).unlink(missing_ok=True)
        lock.release()


def started_work(path: Path) -> Mapping[str, Any] | None:
    """Return the work that the start record of `path` names; None without one, or if it is
    damaged."""
    started = json_of_file(path / START_NAME)
    work = started.get("work") if isinstance(started, dict) else None
    return work if isinstance(work, dict) else None


def _refuse_other_kinds(path: Path, contents: set[str], schema: str) -> None:
    foreign = f"{path} holds files that the harness did not write"
    hint = "Choose another --out, or remove them yourself."
    record = next((name for name in (MANIFEST_NAME, START_NAME) if name in contents), None)
    if record is None:
        if not all(is_temporary(name) for name in contents):
            raise InputError(foreign, hint)
        return
    kind = kind_of_folder(path / record)
    wanted = schema.split("/")[0].removeprefix("harness.")
    if kind is None and record == MANIFEST_NAME:  # a damaged start record is nobody else's
        raise InputError(f"{foreign}, or its {MANIFEST_NAME} is damaged", hint)
    if kind not in (None, wanted):
        raise InputError(f"{path} holds a {kind}, not a {wanted}", hint)


def _check_finished(path: Path, schema: str, work: Mapping[str, Any]) -> None:
    manifest = read_manifest(path, schema)
    if dict(manifest.work) != dict(work):
        raise InputError(
            f"{path} holds other finished work ({_first_difference(manifest.work, work)})",
            "Choose another --out, or replace it with --force.",
        )
    verify_files(path, manifest)


def _check_same(path: Path, schema: str, work: Mapping[str, Any]) -> None:
    record = path / START_NAME
    started = decode(_STARTED, record.read_bytes(), place=f"{record} is damaged")
    if started.schema != schema or started.work != dict(work):
        raise InputError(
            f"{path} holds other work, unfinished ({_first_difference(started.work, work)})",
            "Finish it with its own command, choose another --out, or replace it with --force.",
        )


def _records_of(path: Path) -> frozenset[tuple[str, int]]:
    """Return the records that are there, with the times at which they were written."""
    found = set()
    for name in (MANIFEST_NAME, START_NAME):
        try:
            found.add((name, (path / name).stat().st_mtime_ns))
        except (FileNotFoundError, NotADirectoryError):
            continue
    return frozenset(found)


_PART = re.compile(r"[0-9]{3}(-[0-9]{5})?\.parquet")
"""The names of the parts of a table: a start record does not list them one by one."""


def _remove(path: Path, entries: Sequence[str]) -> None:
    """Remove what the manifest lists, and of unfinished work the `entries` that it writes; the
    records last, and nothing else: who kept a file of their own there keeps it."""
    listed = set(_listed(path))
    if (path / START_NAME).exists() or not listed:
        listed |= set(_unfinished(path, entries))
    folders = set()
    for name in sorted(listed):
        entry = path / name
        try:
            entry.unlink(missing_ok=True)
        except (IsADirectoryError, PermissionError) as error:
            if not entry.is_dir():
                raise storage_error(error, entry) from error
        except OSError as error:
            raise storage_error(error, entry) from error
        folders |= {parent for parent in entry.parents if parent != path and path in parent.parents}
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
            folder.rmdir()
    for name in (MANIFEST_NAME, START_NAME):
        (path / name).unlink(missing_ok=True)


def _listed(path: Path) -> Iterator[str]:
    """Yield the files of a manifest, and of the manifests that it lists."""
    value = json_of_file(path / MANIFEST_NAME)
    files = value.get("files") if isinstance(value, dict) else None
    for name in files if isinstance(files, dict) else ():
        place = PurePosixPath(name)
        if place.is_absolute() or ".." in place.parts or not place.parts:
            continue
        yield name
        if place.name == MANIFEST_NAME and place.parent.parts:
            yield from (f"{place.parent}/{inner}" for inner in _listed(path / place.parent))


def _unfinished(path: Path, entries: Sequence[str]) -> Iterator[str]:
    """Yield what work that was not finished has written under the names of its entries."""
    for name in entries:
        entry = path / name
        if not entry.is_dir() or entry.is_symlink():
            yield name
            continue
        inner = {found.name for found in entry.iterdir()}
        yield from (f"{name}/{part}" for part in inner if _PART.fullmatch(part))
        yield from (f"{name}/{record}" for record in (MANIFEST_NAME, START_NAME))
        yield from (f"{name}/{file}" for file in _listed(entry))
        if inner & {MANIFEST_NAME, START_NAME}:  # a folder of the harness in a folder of it
            below = [found for found in inner if found not in (MANIFEST_NAME, START_NAME)]
            yield from (f"{name}/{file}" for file in _unfinished(entry, below))


def _first_difference(existing: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    for key in [*wanted, *existing]:
        if existing.get(key) != wanted.get(key):
            return f"{key}: stored {_short(existing.get(key))}, asked for {_short(wanted.get(key))}"
    return "another kind of folder"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"
