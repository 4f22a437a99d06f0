"""Folders that the harness writes: a start record first, the manifest last.

A folder with a start record and no manifest is unfinished work: the same work continues it, any
other is refused.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from harness.errors import InputError

from .atomic import storage_error, write_text
from .manifest import MANIFEST_NAME, read_manifest

START_NAME = "started.json"


class State(Enum):
    """What an output folder was when it was opened."""

    NEW = "new"
    UNFINISHED = "unfinished"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """An output folder that is ready to be written, or already holds the finished work."""

    path: Path
    state: State

    def finish(self) -> None:
        """Remove the start record; call after the manifest is written."""
        (self.path / START_NAME).unlink(missing_ok=True)


def open_output(
    path: Path, schema: str, work: Mapping[str, Any], *, force: bool = False, growing: bool = False
) -> OutputFolder:
    """Open `path` for the given work.

    New or empty: a start record is written. The same work unfinished: it continues. The same work
    finished: `State.FINISHED`, nothing to do. Anything else is refused, unless `force`, which
    removes what the harness itself wrote there. A `growing` folder may hold finished work that
    this work adds to; whether it fits is the caller's to check.
    """
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise InputError(f"{path} exists and is not a folder", "Choose another --out.")
    contents = {entry.name for entry in path.iterdir()} if path.exists() else set()
    ours = MANIFEST_NAME in contents or START_NAME in contents
    if contents and not ours and not _only_temporary(contents):
        raise InputError(
            f"{path} holds files that the harness did not write",
            "Choose another --out; --force removes only what the harness wrote.",
        )
    if not force:
        if MANIFEST_NAME in contents and not growing:
            return _finished(path, schema, work)
        if START_NAME in contents:
            _check_same(path, schema, work)
            return OutputFolder(path, State.UNFINISHED)
    elif contents:
        shutil.rmtree(path)
    _start(path, schema, work)
    return OutputFolder(path, State.NEW)


def _finished(path: Path, schema: str, work: Mapping[str, Any]) -> OutputFolder:
    manifest = read_manifest(path, schema)
    if dict(manifest.work) != dict(work):
        raise InputError(
            f"{path} holds other finished work ({_first_difference(manifest.work, work)})",
            "Choose another --out, or replace it with --force.",
        )
    (path / START_NAME).unlink(missing_ok=True)
    return OutputFolder(path, State.FINISHED)


def _check_same(path: Path, schema: str, work: Mapping[str, Any]) -> None:
    record = path / START_NAME
    try:
        started = json.loads(record.read_text(encoding="utf-8"))
        same = started["schema"] == schema and started["work"] == dict(work)
        difference = _first_difference(started["work"], work)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{record} is damaged ({error})", "Start anew with --force.") from error
    if not same:
        raise InputError(
            f"{path} holds other work, unfinished ({difference})",
            "Finish it with its own command, choose another --out, or replace it with --force.",
        )


def _start(path: Path, schema: str, work: Mapping[str, Any]) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(error, path) from error
    value = {"schema": schema, "work": dict(work)}
    write_text(path / START_NAME, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def _only_temporary(contents: set[str]) -> bool:
    return all(name.startswith(".") and name.endswith(".part") for name in contents)


def _first_difference(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    for key in [*wanted, *there]:
        if there.get(key) != wanted.get(key):
            return f"{key}: there {_short(there.get(key))}, asked for {_short(wanted.get(key))}"
    return "another kind of folder"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"
