"""A look at attempts on test tasks, which the ledger of openings has a line of.

The line is of the same kind as one of exploratory grades: a registered test of the same tasks and
arms sees by it that their outcomes were known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.attempts.scoring.attempts import Attempt
from harness.datasets.split import Part, Split
from harness.storage.hashing import sha256_of_json
from harness.trial.ledger import (
    EXPLORATORY,
    OpenedSet,
    Opening,
    OpeningLine,
    locked_ledger,
    the_ledger,
)
from harness.trial.seal import SHOWN


def opened_set(name: str, attempts: Sequence[Attempt], role: str) -> OpenedSet:
    """Return what an opening says of an arm's attempts: which outcomes, and which costs."""
    scored = sorted(
        [each.task, each.repeat, each.score is not None and each.score.correct] for each in attempts
    )
    spent = sorted([each.task, each.repeat, each.trace.usage.total] for each in attempts)
    return OpenedSet(
        kind="attempts",
        point=name,
        role=role,
        identity=sha256_of_json(scored),
        costs=sha256_of_json(spent),
    )


def record_look(
    arms: Mapping[str, Sequence[Attempt]], split: Split, part: str, near: Path
) -> Opening | None:
    """Append a line for the attempts of arms, by name, that are about to be shown; None where they
    are of dev tasks alone, or were opened before. The line is on the disk when this returns."""
    test = frozenset(split.listed(Part.TEST.value))
    seen = {
        name: [each for each in attempts if each.task in test] for name, attempts in arms.items()
    }
    sets = tuple(opened_set(name, found, SHOWN) for name, found in seen.items() if found)
    if part == Part.DEV.value or not sets:
        return None
    with locked_ledger(the_ledger(near)) as ledger:
        known = {
            (str(point), identity)
            for opening in ledger.openings
            for point in opening.line.points
            for identity in opening.identities
        }
        if all((each.point, each.identity) in known for each in sets):
            return None
        line = OpeningLine(
            dataset_sha256=split.dataset_sha256,
            split_sha256=str(split.sha256),
            part=part,
            sets=sets,
            questions=tuple(sorted({each.task for found in seen.values() for each in found})),
        )
        return ledger.append(EXPLORATORY, line)
