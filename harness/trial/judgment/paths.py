"""Paths as a ledger and a verdict hold them: relative to a folder, the same on every machine."""

from __future__ import annotations

import os
from pathlib import Path


def relative_to(folder: Path, path: Path) -> str:
    """`path` as seen from `folder`, with forward slashes; `..` where it is not below."""
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
