"""Freezing a folder of Markdown files into a world: one corpus file, tasks, rubric, a manifest.

The same files give the same bytes: the manifest has no time in it, and no code version.
"""

from __future__ import annotations

import re
from pathlib import Path

from harness.errors import Faults, UsageError
from harness.storage.atomic import atomic_path
from harness.storage.folder import FolderState, open_output
from harness.storage.hashing import sha256_of_text
from harness.storage.manifest import Manifest, file_entries

from .corpus import CORPUS_NAME, corpus_text
from .identity import frozen_content
from .lint import findings
from .model import Form
from .opening import RUBRIC_NAME, TASKS_NAME, WORLD_SCHEMA, OpenedWorld, open_world
from .packing import SUFFIXES, pack

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SOURCE = re.compile(r"mark://[^/\s?#@]+")
_EMPTY = {TASKS_NAME: b"[]\n", RUBRIC_NAME: b"{}\n"}


def freeze(
    folder: Path,
    out: Path,
    *,
    world_id: str | None = None,
    source: str | None = None,
    suffix: str = "",
    force: bool = False,
) -> tuple[FolderState, OpenedWorld]:
    """Write the world of `folder` to `out`; the state that `out` was in, and what was frozen.

    `world_id` defaults to the folder's name, `source` to `mark://` and that. `suffix`: how the
    corpus is packed. Raises `InputError` naming every fault of the world, and writes nothing then.
    """
    opened = open_world(folder)
    if opened.world.form is not Form.FOLDER:
        raise UsageError(
            f"{folder} is frozen already ({opened.world.form.value})",
            "Give a folder of Markdown files.",
        )
    name, authority = _names(opened.world.world_id, world_id, source)
    _refuse_faults(opened)
    work = {
        "world_id": name,
        "source": authority,
        "packing": suffix,
        "corpus_sha256": opened.corpus.sha256,
        **{file: sha256_of_text(content.decode("utf-8")) for file, content in _texts(folder)},
    }
    names = [f"{CORPUS_NAME}{suffix}" for suffix in SUFFIXES]
    output = open_output(out, WORLD_SCHEMA, work, (*names, *_EMPTY), force=force)
    if output.state is FolderState.FINISHED:
        return output.state, opened
    output.start()
    corpus = f"{CORPUS_NAME}{suffix}"
    documents = (opened.world.documents or {}).values()
    _write(out / corpus, pack(corpus_text(documents).encode("utf-8"), suffix))
    for file, content in _texts(folder):
        _write(out / file, content)
    content_of = frozen_content(name, authority, opened.corpus, len(opened.world.tasks))
    files = file_entries(out, (corpus, *_EMPTY))
    Manifest(WORLD_SCHEMA, work, content_of, files).write(out)
    output.finish()
    return output.state, opened


def _texts(folder: Path) -> list[tuple[str, bytes]]:
    """Return tasks and rubric, byte for byte; empty ones where the folder has none."""
    return [
        (name, (folder / name).read_bytes() if (folder / name).is_file() else empty)
        for name, empty in _EMPTY.items()
    ]


def _names(folder_name: str, world_id: str | None, source: str | None) -> tuple[str, str]:
    name = world_id or folder_name
    if not _ID.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name a world", "Give --id with letters, digits, `.`, `_` and `-`."
        )
    authority = source or f"mark://{name}"
    if not _SOURCE.fullmatch(authority):
        raise UsageError(
            f"{authority!r} is not a source of documents", "Give --source like mark://name."
        )
    return name, authority


def _refuse_faults(opened: OpenedWorld) -> None:
    faults = Faults()
    for finding in findings(opened):
        faults.add(finding)
    faults.raise_if_any(str(opened.world.folder), "Fix them and run the same command again.")


def _write(path: Path, content: bytes) -> None:
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
