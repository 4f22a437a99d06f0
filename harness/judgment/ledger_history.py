"""Whether a ledger still begins with what git has of it: lines are never taken from the end."""

from __future__ import annotations

import subprocess
from pathlib import Path


def committed_problem(ledger: Path) -> str | None:
    """How the file differs from its last commit other than by added lines; None where it does not,
    and where git has nothing of it."""
    committed = _committed(ledger)
    if not committed:
        return None
    try:
        found = ledger.read_bytes()
    except FileNotFoundError:
        found = b""
    if found.startswith(committed):
        return None
    lines = committed.count(b"\n")
    return (
        f"{ledger} does not begin with the {lines} line{'s' if lines != 1 else ''} that its last "
        f"commit has: git checkout -- {ledger} restores it"
    )


def _committed(path: Path) -> bytes | None:
    try:
        finished = subprocess.run(
            ["git", "-C", str(path.resolve().parent), "show", f"HEAD:./{path.name}"],
            capture_output=True,
            check=False,
        )
    except OSError:
        return None
    return finished.stdout if finished.returncode == 0 else None
