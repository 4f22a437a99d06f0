"""What stays unread until `judge` has opened a split: the accuracy of its test part."""

from __future__ import annotations

from pathlib import Path

from .grade import Outcome
from .grades import Grades

LEDGER_NAME = "ledger.jsonl"
REGISTRATIONS = Path("registrations")
"""Where registrations are kept, and their ledger, unless a path says otherwise."""

OPENING = "opening"
"""The kind of a ledger's line that opens a split for some points."""


def ledger_of(grades: Grades) -> Path:
    """The ledger beside the grades' registration; without one, that of `registrations/`."""
    if grades.registration is None:
        return REGISTRATIONS / LEDGER_NAME
    return Path(grades.registration.path).with_name(LEDGER_NAME)


def opening_of(grades: Grades, ledger: Path | None) -> int | None:
    """The number of the last opening in the ledger that covers the grades' split and point.

    None without one, and without a ledger. Raises `InputError` where the ledger's chain is broken.
    """
    from harness.judgment.chain import read_chain

    numbers = [
        line.number
        for line in (() if ledger is None else read_chain(ledger))
        if line.value.get("kind") == OPENING
        and line.value.get("split_sha256") == grades.split_sha256
        and str(grades.point) in line.value.get("points", ())
    ]
    return numbers[-1] if numbers else None


def sealed(grades: Grades, ledger: Path | None) -> bool:
    """Whether the accuracy of the grades may not be shown: they have test questions, and the ledger
    has no opening that covers their split and point."""
    return grades.part != "dev" and opening_of(grades, ledger) is None


def unsealed_outcomes(grades: Grades, ledger: Path | None) -> tuple[Outcome, ...] | None:
    """The outcomes, for every verb but `judge`; None, and none is read, while they are sealed."""
    return None if sealed(grades, ledger) else grades.outcomes()
