"""Whether a file is committed in git, by which commit, and whether it is still as it was then."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Commitment:
    """`commit`: the first commit, in the history of what is checked out, that has the file.
    `modified`: whether the file now differs from what that commit has."""

    commit: str
    modified: bool


def in_checkout(path: Path) -> bool:
    """Whether the file's folder is in a git checkout, where an order of acts can be shown.

    A shallow clone has no history to show it by, and counts as none.
    """
    inside = _git(path, "rev-parse", "--is-inside-work-tree") == "true"
    return inside and _git(path, "rev-parse", "--is-shallow-repository") != "true"


def committed(path: Path) -> Commitment | None:
    """The commit that added the file; None outside a git checkout, and for a file that is not in
    the history: ignored, untracked, or only staged.

    A file that was taken away and added again counts from its first commit, so that doing so
    cannot make an edited file an unmodified one.
    """
    path = path.resolve()
    added = _git(
        path, "log", "--full-history", "--diff-filter=A", "--format=%H", "--", f"./{path.name}"
    )
    if not added:
        return None
    first = added.splitlines()[-1]
    then = _git(path, "rev-parse", "--verify", f"{first}:./{path.name}")
    now = _git(path, "hash-object", f"./{path.name}")
    return Commitment(first, modified=then is None or then != now)


def _git(path: Path, *arguments: str) -> str | None:
    """What git says in the file's folder; None where it fails or is not installed."""
    try:
        finished = subprocess.run(
            ["git", "-C", str(path.parent), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return None
    return finished.stdout.strip() if finished.returncode == 0 else None
