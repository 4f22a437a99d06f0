"""Asking git about a folder, and whether git shows the whole of its history."""

from __future__ import annotations

import subprocess
from pathlib import Path

GIT = ("git", "--no-replace-objects")
"""What was committed is looked at, never what `git replace` puts in its place."""

_PARTIAL = r"^(remote\..*\.promisor|extensions\.partialclone)$"


def ask_git(folder: Path, *arguments: str) -> str | None:
    """Return what git prints in the folder, without line breaks at its ends; None where it fails or
    is not installed."""
    try:
        finished = subprocess.run(
            [*GIT, "-C", str(folder), *arguments], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return finished.stdout.strip("\n") if finished.returncode == 0 else None


def hidden_history(folder: Path) -> str | None:
    """Say what hides a part of the history of the repository that holds the folder; None where git
    shows all of it."""
    if ask_git(folder, "rev-parse", "--is-shallow-repository") != "false":
        return "this is a shallow clone"
    if ask_git(folder, "config", "--get-regexp", _PARTIAL):
        return "this is a partial clone"
    grafts = ask_git(folder, "rev-parse", "--path-format=absolute", "--git-path", "info/grafts")
    if grafts is not None and Path(grafts).exists():
        return "grafts (info/grafts) take the place of what was committed"
    if ask_git(folder, "for-each-ref", "--count=1", "refs/replace/"):
        return "replacements (git replace) take the place of what was committed"
    return None
