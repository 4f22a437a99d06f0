"""Asking git about a folder."""

from __future__ import annotations

import subprocess
from pathlib import Path


def ask_git(folder: Path, *arguments: str) -> str | None:
    """Return what git prints in the folder, without line breaks at its ends; None where it fails or
    is not installed."""
    try:
        finished = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return finished.stdout.strip("\n") if finished.returncode == 0 else None
