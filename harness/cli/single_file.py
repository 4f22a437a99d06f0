"""Writing a single output file: refused where another is there, nothing to do where it is the
same."""

from __future__ import annotations

from pathlib import Path

from harness.errors import InputError
from harness.storage.atomic import write_text


def write_new(path: Path, text: str, *, force: bool = False, force_means: str = "") -> bool:
    """Write `text` to `path`; return False if the file holds it already.

    Raises `InputError` for a folder, and for a file that holds something else unless `force`;
    `force_means` says what replacing it does.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder", "Give --out as a file.")
    if path.exists():
        if path.read_bytes() == text.encode("utf-8"):
            return False
        if not force:
            replacing = f"Choose another --out, or replace it with --force{force_means}."
            raise InputError(f"{path} exists and holds something else", replacing)
    write_text(path, text)
    return True
