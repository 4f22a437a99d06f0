"""Whether a ledger still begins with what git has of it: lines are never taken from the end."""

from __future__ import annotations

import subprocess
from pathlib import Path

from harness.storage.git import ask_git

from .ledger import LEDGER_NAME


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


def other_ledgers(ledger: Path, registration: Path) -> list[Path]:
    """Other ledgers that may know of an opening: beside the registration, and wherever the git
    checkout has one, but for ignored files."""
    folder = registration.resolve().parent
    found = {folder / LEDGER_NAME}
    top = ask_git(folder, "rev-parse", "--show-toplevel")
    if top is not None:
        listed = ask_git(
            Path(top), "ls-files", "-z", "-co", "--exclude-standard", "--", f"*{LEDGER_NAME}"
        )
        found |= {Path(top) / name for name in (listed or "").split("\0") if name}
    found.discard(ledger.resolve())
    return sorted(path for path in found if path.is_file())


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
