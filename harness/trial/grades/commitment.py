"""Whether a file is committed in git, by which commit, and whether it is still as it was then."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.storage.git import ask_git


@dataclass(frozen=True, slots=True)
class FirstCommit:
    """`commit`: the first commit, in the history of what is checked out, that has the file.
    `modified`: whether the file now differs from what that commit has."""

    commit: str
    modified: bool


def in_checkout(path: Path) -> bool:
    """Whether the file's folder is in a git checkout, where an order of acts can be shown.

    A shallow clone has no history to show it by, and counts as none.
    """
    inside = ask_git(path.parent, "rev-parse", "--is-inside-work-tree") == "true"
    return inside and ask_git(path.parent, "rev-parse", "--is-shallow-repository") != "true"


def committed(path: Path) -> FirstCommit | None:
    """The commit that added the file; None outside a git checkout, and for a file that is not in
    the history: ignored, untracked, or only staged.

    A file that was taken away and added again counts from its first commit, so that doing so
    cannot make an edited file an unmodified one.
    """
    path = path.resolve()
    added = ask_git(
        path.parent,
        "log",
        "--full-history",
        "--diff-filter=A",
        "--format=%H",
        "--",
        f"./{path.name}",
    )
    if not added:
        return None
    first = added.splitlines()[-1]
    then = ask_git(path.parent, "rev-parse", "--verify", f"{first}:./{path.name}")
    now = ask_git(path.parent, "hash-object", f"./{path.name}")
    return FirstCommit(first, modified=then is None or then != now)
