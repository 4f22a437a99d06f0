"""What keeps outcomes of test questions unread: a set is shown only after an opening that holds its
identity. Showing an exploratory set is such an opening."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.register import find_register, read_register
from harness.datasets.split import Part, read_split
from harness.errors import HarnessError

from .grade import Outcome, Status
from .grades import KIND, Grades
from .history import openings_elsewhere
from .ledger import (
    EXPLORATORY,
    OpenedSet,
    Opening,
    OpeningLine,
    locked_ledger,
    read_ledger,
    the_ledger,
)

SHOWN = "shown"


@dataclass(frozen=True, slots=True)
class Seal:
    """Whether the outcomes of grades may be shown: those of dev questions always, others where the
    `opening` that holds them is known. `ledger` is where it is looked for."""

    grades: Grades
    ledger: Path
    opening: Opening | None

    @property
    def is_dev(self) -> bool:
        return self.grades.part == Part.DEV.value

    @property
    def holds(self) -> bool:
        """Whether nothing may be shown yet."""
        return not self.is_dev and self.opening is None

    @property
    def outcomes(self) -> tuple[Outcome, ...] | None:
        """Outcomes, for every verb but `judge`; None, and none read, while they are sealed."""
        return None if self.holds else self.grades.outcomes()


def seal_of(grades: Grades) -> Seal:
    """Look for the last opening that holds the grades, in the ledger, then in others.

    Raises `InputError` where the chain of one is broken.
    """
    ledger = the_ledger(grades.folder)
    if grades.part == Part.DEV.value:
        return Seal(grades, ledger, None)
    here = list(read_ledger(ledger))
    opening = _holding(grades, here)
    if opening is None:
        opening = _holding(grades, [*openings_elsewhere(ledger, _registration(grades)), *here])
    return Seal(grades, ledger, opening)


def _holding(grades: Grades, openings: Sequence[Opening]) -> Opening | None:
    """Return the last opening that has a pass of the grades, where every pass was opened."""
    left = set(grades.identities.values()) if openings else {""}
    last = None
    for opening in reversed(openings):
        holds = opening.holds(grades)
        if holds or left & opening.identities:
            last = last or opening
            left = set() if holds else left - opening.identities
    return None if left else last


def looked_at(grades: Grades) -> Seal:
    """Return the seal of grades that are about to be shown; exploratory ones are opened by that,
    and the ledger has a line of it before one outcome is read."""
    seal = seal_of(grades)
    if not seal.holds or not grades.exploratory:
        return seal
    with locked_ledger(seal.ledger) as ledger:
        opening = _holding(grades, ledger.openings)  # somebody else may have looked meanwhile
        if opening is not None:
            return Seal(grades, seal.ledger, opening)
        return Seal(grades, seal.ledger, ledger.append(EXPLORATORY, _line(grades)))


def _line(grades: Grades) -> OpeningLine:
    graded = {row.question_id for row in grades.rows() if row.status is Status.GRADED}
    return OpeningLine(
        dataset_sha256=_dataset_sha256(grades),
        split_sha256=grades.split_sha256,
        part=grades.part,
        sets=tuple(
            OpenedSet(
                kind=KIND,
                point=str(grades.point),
                role=SHOWN,
                identity=identity,
                costs=grades.cost_inputs(number),
            )
            for number, identity in grades.identities.items()
        ),
        questions=tuple(sorted(graded)),
    )


def _dataset_sha256(grades: Grades) -> str | None:
    """Return the dataset that the split is of, where the register knows it; a split alone may say
    anything."""
    try:
        split = read_split(Path(grades.content.split.file))
        known = {dataset.sha256 for dataset in read_register(find_register(None)).datasets}
    except HarnessError:
        return None
    is_sure = split.sha256 == grades.split_sha256 and split.dataset_sha256 in known
    return split.dataset_sha256 if is_sure else None


def _registration(grades: Grades) -> Path | None:
    return None if grades.registration is None else Path(grades.registration.path)
