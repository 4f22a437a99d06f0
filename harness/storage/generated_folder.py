"""The folder of a report: which files are ours, and how they are replaced.

`report.json` lists the files that a report wrote, by hash, and says of which run. It is written
last. A file that it does not list is someone else's and is never written over or removed; a listed
file that was changed by hand is written over only with `force`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

from harness.decode import Check, Format, decode
from harness.errors import Faults, InputError

from .atomic import write_text
from .hashing import sha256_of_file, sha256_of_text
from .lock import FolderLock

INDEX_NAME = "report.json"
REPORT_SCHEMA = "harness.report/1"


@dataclass(frozen=True, slots=True)
class ReportSubject:
    """What a report is of: a recording, a part of its cases, and points."""

    recording: str
    part: str
    split_sha256: str | None
    points: tuple[str, ...]
    run_sha256: str


def _outside(files: Mapping[str, str]) -> str | None:
    for name in files:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            return f"lists {name!r}, which is not inside the folder"
    return None


@dataclass(frozen=True, slots=True)
class ReportIndex:
    """What a report wrote: its subject, and the hashes of its files by relative path."""

    subject: ReportSubject
    files: Annotated[Mapping[str, str], Check(_outside)]


_INDEX = Format(
    REPORT_SCHEMA, ReportIndex, hint="Choose another --out, or write over it with --force."
)


@dataclass(frozen=True, slots=True)
class Written:
    """How many files were written, were the same already, and were removed."""

    written: int
    same: int
    removed: int


def write_folder(
    out: Path, subject: ReportSubject, pages: Mapping[str, str], *, force: bool = False
) -> Written:
    """Write `pages` (relative POSIX path to text) to `out`, then `report.json`.

    Files that a former report wrote and this one does not are removed, with folders that become
    empty. Raises `InputError` where `out` holds the report of another recording or cohort, or of
    points that this one lacks, or where a file of ours was changed by hand; `force` goes over that.
    A file in the way that is not ours is always refused.
    """
    _check_folders(out, pages)
    lock = FolderLock(out)
    try:
        return _write(out, subject, pages, force=force)
    finally:
        lock.release()


def _write(out: Path, subject: ReportSubject, pages: Mapping[str, str], *, force: bool) -> Written:
    former = _former(out, force=force)
    if former is not None and not force:
        _check_subject(out, former.subject, subject)
    known = {} if former is None else dict(former.files)
    _check_in_the_way(out, known, pages, force=force)
    written = same = 0
    for name, text in pages.items():
        path = out / name
        if path.is_file() and sha256_of_file(path) == sha256_of_text(text):
            same += 1
            continue
        write_text(path, text)
        written += 1
    # the index last: an interrupted report still lists, in the old index, what it may replace
    removed = _remove_stale(out, known, pages)
    _write_index(out, subject, pages)
    return Written(written, same, removed)


def _former(out: Path, *, force: bool) -> ReportIndex | None:
    """Return the index of an earlier report; with `force` a damaged one counts as none."""
    path = out / INDEX_NAME
    if not path.exists():
        return None
    try:
        return read_index(path)
    except InputError:
        if force:
            return None
        raise


def read_index(path: Path) -> ReportIndex:
    """Read the `report.json` of a folder; raises `InputError`."""
    return decode(_INDEX, path.read_bytes(), place=f"{path} is not the index of a report")


def _check_subject(out: Path, earlier: ReportSubject, subject: ReportSubject) -> None:
    hint = "Choose another --out, or replace it with --force."
    for key in ("recording", "part", "split_sha256"):
        before, value = getattr(earlier, key), getattr(subject, key)
        if before != value:
            raise InputError(
                f"{out} holds a report of another {key} ({before}, this run has {value})",
                hint,
            )
    lost = [point for point in earlier.points if point not in subject.points]
    if lost:
        examples = ", ".join(lost[:5]) + (f" and {len(lost) - 5} more" if len(lost) > 5 else "")
        raise InputError(f"{out} holds a report with points that this run lacks: {examples}", hint)


def _check_folders(out: Path, pages: Mapping[str, str]) -> None:
    folders = dict.fromkeys([out, *((out / name).parent for name in pages)])
    for folder in folders:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise InputError(
                f"{folder} exists and is not a plain folder", "Move it, or choose another --out."
            )


def _check_in_the_way(
    out: Path, known: Mapping[str, str], pages: Mapping[str, str], *, force: bool
) -> None:
    """Refuse files that are neither as a former report left them nor as this one will: an
    interrupted report leaves both."""
    foreign, changed = Faults(limit=10), Faults(limit=10)
    for name, text in pages.items():
        path = out / name
        if not path.exists() and not path.is_symlink():
            continue
        if not path.is_file() or path.is_symlink():
            foreign.add(f"{name} is not a plain file")
        elif sha256_of_file(path) in (known.get(name), sha256_of_text(text)):
            continue
        elif name not in known:
            foreign.add(f"{name} was not written by a report")
        elif not force:
            changed.add(f"{name} was changed since it was written")
    where = f"{out} holds files that are in the way"
    foreign.raise_if_any(where, "Move them, or choose another --out.")
    changed.raise_if_any(where, "Move them, or write over them with --force.")


def _remove_stale(out: Path, known: Mapping[str, str], pages: Mapping[str, str]) -> int:
    """Remove what a former report wrote and nobody changed since; return how many files."""
    removed = 0
    for name, digest in known.items():
        path = out / name
        ours = path.is_file() and not path.is_symlink() and sha256_of_file(path) == digest
        if name in pages or not ours:
            continue
        path.unlink()
        removed += 1
        for folder in path.parents:
            if folder == out or any(folder.iterdir()):
                break
            folder.rmdir()
    return removed


def _write_index(out: Path, subject: ReportSubject, pages: Mapping[str, str]) -> None:
    value = {
        "schema": REPORT_SCHEMA,
        "subject": {
            "recording": subject.recording,
            "part": subject.part,
            "split_sha256": subject.split_sha256,
            "run_sha256": subject.run_sha256,
            "points": list(subject.points),
        },
        "files": {name: sha256_of_text(pages[name]) for name in sorted(pages)},
    }
    write_text(out / INDEX_NAME, json.dumps(value, indent=1, ensure_ascii=False) + "\n")
