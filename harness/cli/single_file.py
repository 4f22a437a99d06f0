"""Writing a single output file: refused where another is there, nothing to do where it is the
same."""

from __future__ import annotations

import filecmp
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from harness.errors import InputError
from harness.storage.atomic import atomic_path, write_text


def write_new(path: Path, text: str, *, force: bool = False, force_means: str = "") -> bool:
    """Write `text` to `path`; return False if the file holds it already.

    Raises `InputError` for a folder, and for a file that holds something else unless `force`;
    `force_means` says what replacing it does.
    """
    return write_all_new({path: text}, force=force, force_means=force_means)


def write_all_new(texts: Mapping[Path, str], *, force: bool = False, force_means: str = "") -> bool:
    """Do as `write_new` for several files, none of which is written where one is refused."""
    new = [path for path, text in texts.items() if _is_new(path, text, force, force_means)]
    for path in new:
        write_text(path, texts[path])
    return bool(new)


@contextmanager
def new_file(path: Path, *, force: bool = False) -> Iterator[Path]:
    """Open a temporary path, whose file becomes `path` when the block ends, as in `write_new`."""
    _refuse_folder(path)
    with atomic_path(path) as temporary:
        yield temporary
        if path.exists() and not force and not filecmp.cmp(temporary, path, shallow=False):
            raise _other_file(path)


def _is_new(path: Path, text: str, force: bool, force_means: str) -> bool:
    _refuse_folder(path)
    if not path.exists():
        return True
    if path.read_bytes() == text.encode("utf-8"):
        return False
    if not force:
        raise _other_file(path, force_means)
    return True


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder", "Give --out as a file.")


def _other_file(path: Path, force_means: str = "") -> InputError:
    replacing = f"Choose another --out, or replace it with --force{force_means}."
    return InputError(f"{path} exists and holds something else", replacing)
