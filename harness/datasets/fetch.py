"""Fetching a registered file: resumed where it stopped, checked by hash, never half there.

The bytes go to `<target>.part` while they are hashed; the file gets its name when size and SHA-256
are those of the register. A part that a killed run left behind is hashed and continued.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from harness.errors import HarnessError, InputError
from harness.storage.atomic import atomic_path, storage_error
from harness.storage.hashing import sha256_of_file
from harness.words import counted

from .download import DownloadSource, PartialDownload, Report, TransferError, open_part
from .register import Dataset

Say = Callable[[str], None]
"""Told what a person who waits should know."""


class FetchResult(Enum):
    """What a fetch found and did."""

    FETCHED = "fetched"
    COPIED = "copied"
    THERE = "there already"


@dataclass(frozen=True, slots=True)
class Patience:
    """How often an interrupted transfer is tried again, and how long it waits before the first."""

    retries: int = 3
    first_wait_seconds: float = 1.0


def fetch(
    dataset: Dataset,
    target: Path,
    *,
    url: str | None = None,
    force: bool = False,
    patience: Patience | None = None,
    report: Report = lambda length: None,
    say: Say = lambda message: None,
) -> FetchResult:
    """Have the dataset's file at `target`, from `url` or the register's address.

    Raises `HarnessError`: another file is there (replaced with `force`), the transfer stopped (the
    part is kept; call again), the bytes are wrong (the part is removed), or the disk is full.
    """
    if target.is_dir():
        raise InputError(f"{target} is a folder", "Choose another --out.")
    if target.exists():
        if _is_right(dataset, target):
            return FetchResult.THERE
        if not force:
            raise InputError(
                f"{target} exists and is another file than the registered {dataset.name}",
                "Choose another --out, or replace it with --force.",
            )
    address = url or dataset.url
    if address is None:
        _copy(dataset, target)
        return FetchResult.COPIED
    source = DownloadSource(address, dataset.size)
    with open_part(target.with_name(f"{target.name}.part")) as part:
        _complete(source, part, dataset, patience or Patience(), report, say)
        if part.sha256 != dataset.sha256:
            part.path.unlink()
            raise InputError(
                f"{address} sent wrong bytes: sha256 {part.sha256}, "
                f"the register says {dataset.sha256}; they were removed",
                "Run it again; if that changes nothing, give another address with --url.",
            )
        part.sync()
        _rename(part.path, target)
    return FetchResult.FETCHED


def _complete(
    source: DownloadSource,
    part: PartialDownload,
    dataset: Dataset,
    patience: Patience,
    report: Report,
    say: Say,
) -> None:
    """Fill the part to its size, trying again where the transfer is interrupted."""
    if part.length > dataset.size or (
        part.length == dataset.size and part.sha256 != dataset.sha256
    ):
        say(f"{part.path} is not a part of the registered file; starting over")
        part.restart()
    elif part.length:
        say(f"continuing after {part.length:,} of {counted(dataset.size, 'byte')}")
    report(part.length)
    wait = patience.first_wait_seconds
    for retries_left in range(patience.retries, -1, -1):
        if part.length == dataset.size:
            return
        try:
            source.continue_into(part, report)
        except TransferError as error:
            if not retries_left:
                kept = f"; they are kept in {part.path}" if part.length else ""
                raise HarnessError(
                    f"{error}, at {part.length:,} of {counted(dataset.size, 'byte')}{kept}",
                    "Run the same command again: it continues where it stopped.",
                ) from error
            say(f"{error}, at {counted(part.length, 'byte')}; trying again in {wait:g} s")
            time.sleep(wait)
            wait *= 2


def _copy(dataset: Dataset, target: Path) -> None:
    """Copy a bundled file."""
    bundled = dataset.path
    if bundled is None or not bundled.is_file():
        raise InputError(f"{bundled}, the bundled file of {dataset.name}, is missing")
    if not _is_right(dataset, bundled):
        raise InputError(
            f"{bundled} is not what the register says of {dataset.name}",
            "Restore it: git checkout, or unpack the release again.",
        )
    with atomic_path(target) as temporary:
        shutil.copyfile(bundled, temporary)


def _is_right(dataset: Dataset, path: Path) -> bool:
    return path.stat().st_size == dataset.size and sha256_of_file(path) == dataset.sha256


def _rename(part: Path, target: Path) -> None:
    try:
        part.replace(target)
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise storage_error(error, target) from error
