"""What the context of each question showed of its evidence, and which of the answers were wrong.

Every question with an answer session is in one class at every point, the first that fits:

- no answer session: no character of any answer session is quoted;
- none labelled: an answer session is quoted, and the question has no labelled evidence turn;
- a session, no turn: an answer session is quoted, and no character of an evidence turn;
- some turns: at least one evidence turn is touched, and not all of them;
- every turn: every evidence turn is touched, that is, at least one character of it is quoted.

A question without labels or without answer sessions is in no class and is counted apart. Wrong
answers are those of graded questions; a question that is not graded is in no count of them.

Source: the table of wrong answers of the published quote curve, restated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from harness.evidence import CohortCounts, first_item_histogram
from harness.points import Point

from .answers import AnswersByPoint


class ShownClass(Enum):
    """What a context showed; the value is what tables print, in their order."""

    NO_SESSION = "no answer session"
    NO_TURN = "a session, no turn"
    SOME_TURNS = "some turns"
    EVERY_TURN = "every turn"
    NONE_LABELLED = "none labelled"


CLASSES = tuple(ShownClass)
_UNCLASSED = -1


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A point: how many questions are in each class, of all of them and of the wrong answers.

    `expected` questions are `unlabelled` or in one of the classes. `first_item` counts the classed
    ones by the place of the first item that quotes an answer session. `graded` and `wrong` are
    None without grades that may be shown; `wrong_unlabelled` are wrong answers in no class.
    """

    point: Point
    category: str | None
    expected: int
    unlabelled: int
    classes: Mapping[ShownClass, int]
    first_item: Mapping[str, int]
    graded: int | None = None
    wrong: Mapping[ShownClass, int] | None = None
    wrong_unlabelled: int = 0

    @property
    def all_wrong(self) -> int | None:
        """Every wrong answer."""
        if self.wrong is None:
            return None
        return sum(self.wrong.values()) + self.wrong_unlabelled


def shown_classes(cohort: CohortCounts) -> NDArray[np.int8]:
    """Return the class of each case (down) at each point (across), as a place in `CLASSES`, else
    -1."""
    counts = cohort.counts
    session = counts["answer_sessions_shown"] > 0
    turns, touched = counts["evidence_turns"], counts["evidence_turns_touched"]
    first_that_fits = [
        (~session, ShownClass.NO_SESSION),
        (turns == 0, ShownClass.NONE_LABELLED),
        (touched == 0, ShownClass.NO_TURN),
        (touched < turns, ShownClass.SOME_TURNS),
        (np.ones_like(session), ShownClass.EVERY_TURN),
    ]
    classes = np.select(
        [applies for applies, _ in first_that_fits],
        [CLASSES.index(name) for _, name in first_that_fits],
    ).astype(np.int8)
    labelled = (counts["labelled"] == 1) & (counts["answer_sessions"] > 0)
    classes[~labelled] = _UNCLASSED
    return classes


def shown_rows(
    cohort: CohortCounts,
    points: Sequence[Point],
    answers: Sequence[AnswersByPoint] = (),
    *,
    category: str | None = None,
) -> tuple[ShownRow, ...]:
    """Return one row per point of the cohort, in its order; with the wrong answers of the points
    that have answers."""
    classes = shown_classes(cohort)
    histograms = first_item_histogram(cohort)
    by_point = {of_point.point: of_point for of_point in answers}
    return tuple(
        _row(cohort, point, classes[:, place], histograms[place], by_point.get(point), category)
        for place, point in enumerate(points)
    )


def _row(
    cohort: CohortCounts,
    point: Point,
    classes: NDArray[np.int8],
    first_item: Mapping[str, int],
    answers: AnswersByPoint | None,
    category: str | None,
) -> ShownRow:
    row = ShownRow(
        point=point,
        category=category,
        expected=len(classes),
        unlabelled=int(np.sum(classes == _UNCLASSED)),
        classes=_counts(classes),
        first_item=first_item,
    )
    if answers is None:
        return row
    graded = sum(name in answers.correct for name in cohort.case_ids)
    wrong = classes[[name in answers.wrong for name in cohort.case_ids]]
    return ShownRow(
        point=row.point,
        category=row.category,
        expected=row.expected,
        unlabelled=row.unlabelled,
        classes=row.classes,
        first_item=row.first_item,
        graded=graded,
        wrong=_counts(wrong),
        wrong_unlabelled=int(np.sum(wrong == _UNCLASSED)),
    )


def _counts(classes: NDArray[np.int8]) -> dict[ShownClass, int]:
    return {name: int(np.sum(classes == place)) for place, name in enumerate(CLASSES)}
