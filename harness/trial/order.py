"""Whether the registration came first: what git shows of its file, and what the grades say."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import Faults

from .clearance import committed, no_order
from .entrants import Entrant
from .registration import Registration
from .verdict import CommitEvidence


@dataclass(frozen=True, slots=True)
class Order:
    """What git shows; `not_shown` says of what it does not show that the registration came first,
    `exploratory` has the reasons for which the verdict is that."""

    committed: CommitEvidence
    not_shown: tuple[str, ...]
    exploratory: tuple[str, ...]


UNKNOWN_ORDER = Order(CommitEvidence(None, ""), not_shown=(), exploratory=())


def order_of(
    path: Path, registration: Registration, entrants: Sequence[Entrant], faults: Faults
) -> Order:
    """Establish the order of acts. A registration that is not committed, or has changes that
    are not, is a fault; so are test grades without a registration that are not said to be
    exploratory.
    """
    evidence, shown, changed = _in_git(path, faults)
    reasons = [] if changed is None else [changed]
    not_shown = [] if shown else [f"that the registration came first: {evidence.statement}"]
    for entrant in entrants:
        reasons += _reasons(path, registration, entrant, faults)
        reference = entrant.grades.registration
        imported_under = None if reference is None else reference.commit
        pinned = entrant.control is not None and entrant.control.grades_sha256 is not None
        if shown and not pinned and reference is not None and imported_under is None:
            not_shown.append(
                f"that the registration was committed before the grades of the {entrant} were "
                "imported: they were imported where git did not show it"
            )
        if None not in (imported_under, evidence.commit) and imported_under != evidence.commit:
            reasons.append(
                f"the grades of the {entrant} were imported when commit {imported_under} had added "
                f"the registration, and now commit {evidence.commit} has: the history was rewritten"
            )
    return Order(evidence, tuple(not_shown), tuple(dict.fromkeys(reasons)))


def _in_git(path: Path, faults: Faults) -> tuple[CommitEvidence, bool, str | None]:
    """Return what git shows, whether that is an order, and how the file was changed since."""
    if (reason := no_order(path)) is not None:
        statement = f"{path.name}: {reason}, and that it came before the grades cannot be shown."
        return CommitEvidence(None, statement), False, None
    first = committed(path)
    if first is None:
        faults.add(f"{path} is not committed in git: git add {path} && git commit")
        return CommitEvidence(None, "not committed"), False, None
    if _has_changes(path):
        faults.add(
            f"{path} was edited and is not as committed: git checkout -- {path} restores it (an "
            "edited registration that is committed stamps the verdict exploratory)"
        )
    short = first.commit[:12]
    if first.modified:
        evidence = CommitEvidence(first.commit, f"Added by commit {short}, changed since.")
        return evidence, True, "the registration was changed after it was committed"
    evidence = CommitEvidence(first.commit, f"Added by commit {short}, unmodified since.")
    return evidence, True, None


def _has_changes(path: Path) -> bool:
    finished = subprocess.run(
        ["git", "-C", str(path.parent), "status", "--porcelain", "--", f"./{path.name}"],
        capture_output=True,
        text=True,
        check=False,
    )
    return finished.returncode != 0 or bool(finished.stdout.strip())


def _reasons(path: Path, registration: Registration, entrant: Entrant, faults: Faults) -> list[str]:
    """Return why the judged grades of the entrant make the verdict exploratory; further passes
    judge nothing, so nothing is asked of them."""
    grades, control = entrant.grades, entrant.control
    pinned = None if control is None else control.grades_sha256
    if pinned is not None:
        if grades.sha256 != pinned:
            faults.add(
                f"{grades.folder}: sha256 is {grades.sha256}, but the registration pins {pinned} "
                f"for the {entrant}"
            )
        return []
    if grades.exploratory:
        unpinned = "" if control is None else ", and the plan does not pin them"
        return [f"the grades of the {entrant} were imported as exploratory{unpinned}"]
    reference = grades.registration
    if reference is None:
        faults.add(
            f"{grades.folder}: test grades of the {entrant} were imported without a registration; "
            f"import them with --registration {path}, or with --exploratory"
        )
        return []
    if reference.sha256 != registration.sha256:
        return [
            f"the grades of the {entrant} were imported under another registration "
            f"({reference.path}, sha256 {reference.sha256[:12]}…)"
        ]
    return []
