"""Folders that the harness writes: a start record first, the manifest last.

A folder with a start record and no manifest is unfinished work: the same work continues it, any
other is refused.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from harness.decode import Format, JsonObject, decode, json_of_file
from harness.errors import InputError

from .atomic import is_temporary, remove_temporaries, storage_error, write_text
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

    def start(self) -> None:
        """Make the folder ready to be written, and write the start record."""
        remove_temporaries(self.path)  # a killed process cannot
        if self.state is FolderState.NEW:
            if self.replace:
                # the records go last: what an interrupt leaves is still known as ours
                _remove(self.path, (*self.entries, MANIFEST_NAME, START_NAME))
            value = {"schema": self.schema, "work": dict(self.work)}
            text = json.dumps(value, indent=1, ensure_ascii=False)
            write_text(self.path / START_NAME, text + "\n")

    def finish(self) -> None:
        """Remove the start record; call after the manifest is written."""
        (self.path / START_NAME).unlink(missing_ok=True)


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
    folder = OutputFolder(path, schema, dict(work), tuple(entries), state, replace=force)
    if state is FolderState.FINISHED:
        folder.finish()  # killed between its last two steps
    return folder


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


def _remove(path: Path, names: Sequence[str]) -> None:
    for name in names:
        entry = path / name
        try:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(error, entry) from error


def _first_difference(existing: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    for key in [*wanted, *existing]:
        if existing.get(key) != wanted.get(key):
            return f"{key}: stored {_short(existing.get(key))}, asked for {_short(wanted.get(key))}"
    return "another kind of folder"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"
