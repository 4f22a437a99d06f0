"""What stays unread until `judge` has opened a split: the accuracy of its test part."""

from __future__ import annotations

from pathlib import Path

from .grade import Outcome
from .grades import Grades

REGISTRATIONS = Path("registrations")
"""Where the ledger is looked for when grades name no registration."""


def ledger_of(grades: Grades) -> Path:
    """The ledger beside the grades' registration; without one, that of `registrations/`."""
    from harness.trial.judgment.ledger import LEDGER_NAME, default_ledger

    if grades.registration is None:
        return REGISTRATIONS / LEDGER_NAME
    return default_ledger(Path(grades.registration.path))


def opening_of(grades: Grades, ledger: Path | None) -> int | None:
    """The number of the last opening in the ledger that covers the grades' split and point.

    None without one, and without a ledger. Raises `InputError` where the ledger's chain is broken.
    """
    from harness.trial.judgment.ledger import read_ledger

    numbers = [
        opening.number
        for opening in (() if ledger is None else read_ledger(ledger))
        if opening.asked.split_sha256 == grades.split_sha256
        and str(grades.point) in opening.asked.points
    ]
    return max(numbers, default=None)


def sealed(grades: Grades, ledger: Path | None) -> bool:
    """Whether the accuracy of the grades may not be shown: they have test questions, and the ledger
    has no opening that covers their split and point."""
    return grades.part != "dev" and opening_of(grades, ledger) is None


def unsealed_outcomes(grades: Grades, ledger: Path | None) -> tuple[Outcome, ...] | None:
    """The outcomes, for every verb but `judge`; None, and none is read, while they are sealed."""
    return None if sealed(grades, ledger) else grades.outcomes()
