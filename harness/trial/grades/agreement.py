"""How far two sets of grades agree, question by question: the noise of answering and judging.

The noise check is that of the published studies: a point is answered again on identical contexts,
and where the two accuracies differ by more than 2 points the study is void. The difference is of
accuracies over the questions that both graded, exact; a difference of just 2 points does not void.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from harness.errors import InputError, UsageError

from .grade import Grade, Status
from .grades import Grades

VOID_ABOVE = Fraction(2)
"""Points (hundredths) by which two accuracies may differ."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two passes of the same questions, without an outcome.

    `compared`: questions that both graded, of `expected`. `contexts_known` of the compared have a
    context hash on both sides, `contexts_differ` of those another one.
    """

    first_pass: int
    second_pass: int
    expected: int
    compared: int
    contexts_known: int
    contexts_differ: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of compared questions by the two outcomes: of the first pass, then of the second."""

    both_right: int
    first_only: int
    second_only: int
    neither: int

    @property
    def compared(self) -> int:
        return self.both_right + self.first_only + self.second_only + self.neither

    @property
    def same(self) -> Fraction | None:
        """The share of compared questions with the same outcome; None where there is none."""
        return self._share(self.both_right + self.neither)

    @property
    def accuracies(self) -> tuple[Fraction | None, Fraction | None]:
        """The share of right answers of the first and of the second pass."""
        right = self.both_right
        return self._share(right + self.first_only), self._share(right + self.second_only)

    @property
    def difference(self) -> Fraction | None:
        """The second accuracy less the first, a fraction."""
        return self._share(self.second_only - self.first_only)

    def void(self, above: Fraction = VOID_ABOVE) -> bool | None:
        """Whether the accuracies differ by more than `above` points."""
        return None if self.difference is None else abs(self.difference) * 100 > above

    def _share(self, count: int) -> Fraction | None:
        return Fraction(count, self.compared) if self.compared else None


def pairings(first: Grades, second: Grades) -> list[Pairing]:
    """Every pass of the first with every pass of the second; for grades with themselves, each two
    of their passes.

    Raises `InputError` when they are not of the same questions, and `UsageError` when there is
    nothing to compare.
    """
    _check_questions(first, second)
    if first.sha256 == second.sha256:
        pairs = [(one, two) for one in first.passes for two in first.passes if one < two]
        if not pairs:
            raise UsageError(
                f"{first.folder} and {second.folder} hold the same grades, in one pass",
                "Give two sets of grades, or one with several passes, twice.",
            )
    else:
        pairs = [(one, two) for one in first.passes for two in second.passes]
    return [_pairing(first, one, second, two) for one, two in pairs]


def agreement_of(first: Grades, second: Grades, pairing: Pairing) -> Agreement:
    """The agreement of two passes; reads outcomes, so the seal comes first."""
    one = _correct(first, pairing.first_pass)
    two = _correct(second, pairing.second_pass)
    outcomes = [(one[name], two[name]) for name in one if name in two]
    return Agreement(
        both_right=outcomes.count((True, True)),
        first_only=outcomes.count((True, False)),
        second_only=outcomes.count((False, True)),
        neither=outcomes.count((False, False)),
    )


def _correct(grades: Grades, pass_number: int) -> dict[str, bool]:
    return {
        outcome.question_id: outcome.correct
        for outcome in grades.outcomes()
        if outcome.pass_number == pass_number
    }


def _pairing(first: Grades, one: int, second: Grades, two: int) -> Pairing:
    there = {row.question_id: row for row in _graded(second, two)}
    both = [
        (row, there[row.question_id]) for row in _graded(first, one) if row.question_id in there
    ]
    known = [
        (row.context_sha256, other.context_sha256)
        for row, other in both
        if row.context_sha256 is not None and other.context_sha256 is not None
    ]
    differing = sum(digest != other for digest, other in known)
    return Pairing(one, two, len(first.expected_ids), len(both), len(known), differing)


def _graded(grades: Grades, pass_number: int) -> Iterator[Grade]:
    for row in grades.rows():
        if row.pass_number == pass_number and row.status is Status.GRADED:
            yield row


def _check_questions(first: Grades, second: Grades) -> None:
    if first.split_sha256 != second.split_sha256:
        raise InputError(
            f"{first.folder} and {second.folder} are of different splits",
            "Import both with the same --split.",
        )
    one, two = set(first.expected_ids), set(second.expected_ids)
    if one != two:
        raise InputError(
            f"{first.folder} and {second.folder} are of different questions: part {first.part}, "
            f"{len(one):,}, and part {second.part}, {len(two):,}; {len(one & two):,} are in both",
            "Import both with the same --part.",
        )
