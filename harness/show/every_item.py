"""What a point shows less, and more, of than every item would: case by case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from harness.points import Point

from .figures import Figures


@dataclass(frozen=True, slots=True)
class Count:
    """A count of the cases table that is compared, and the count that makes a case comparable."""

    name: str
    of: str
    noun: str


COUNTS = (
    Count("answer_sessions_shown", "answer_sessions", "answer sessions"),
    Count("evidence_turns_touched", "evidence_turns", "evidence turns"),
)


@dataclass(frozen=True, slots=True)
class LossesAndGains:
    """The cases in which a point has a smaller and a greater count than the point of every item.

    `scored` cases are labelled for this count; the others cannot differ. Ids are in code point
    order. `by_category` has lost, gained and scored cases of every category of the cohort.
    """

    count: Count
    scored: int
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    by_category: Mapping[str | None, tuple[int, int, int]]


def compare(figures: Figures, base: Point, point: Point) -> tuple[LossesAndGains, ...]:
    """Subtract `base` from `point`, one comparison per count of `COUNTS`."""
    return tuple(_comparison(figures, count, base, point) for count in COUNTS)


def _comparison(figures: Figures, count: Count, base: Point, point: Point) -> LossesAndGains:
    cohort = figures.cohort
    counts = cohort.counts[count.name]
    ours, theirs = (counts[:, cohort.points.index(str(spelled))] for spelled in (point, base))
    scored = (cohort.counts["labelled"][:, 0] == 1) & (cohort.counts[count.of][:, 0] > 0)
    lost, gained = scored & (ours < theirs), scored & (ours > theirs)
    categories = np.array(cohort.categories, dtype=object)
    ids = np.array(cohort.case_ids, dtype=object)
    by_category = {}
    for name, _ in cohort.by_category():
        inside = categories == name
        numbers = [int(np.sum(inside & mask)) for mask in (lost, gained, scored)]
        by_category[name] = (numbers[0], numbers[1], numbers[2])
    return LossesAndGains(
        count, int(np.sum(scored)), tuple(ids[lost]), tuple(ids[gained]), by_category
    )
