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
    context hash on both sides, `contexts_differ` of those another one. `first_errors` and
    `second_errors`: questions of each pass whose answer or judgment failed.
    """

    first_pass: int
    second_pass: int
    expected: int
    compared: int
    contexts_known: int
    contexts_differ: int
    first_errors: int = 0
    second_errors: int = 0


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
        """Share of compared questions with the same outcome; None where there is none."""
        return self._share(self.both_right + self.neither)

    @property
    def accuracies(self) -> tuple[Fraction | None, Fraction | None]:
        """Share of right answers of the first and of the second pass."""
        right = self.both_right
        return self._share(right + self.first_only), self._share(right + self.second_only)

    @property
    def difference(self) -> Fraction | None:
        """Second accuracy minus the first, a fraction."""
        return self._share(self.second_only - self.first_only)

    def void(self, above: Fraction = VOID_ABOVE) -> bool | None:
        """Return whether the accuracies differ by more than `above` points."""
        return None if self.difference is None else abs(self.difference) * 100 > above

    def _share(self, count: int) -> Fraction | None:
        return Fraction(count, self.compared) if self.compared else None


def pairings(first: Grades, second: Grades) -> list[Pairing]:
    """Pair every pass of the first with every pass of the second; for grades with themselves, each
    two of their passes.

    Raises `InputError` when they are not of the same questions, and `UsageError` when there is
    nothing to compare.
    """
    _check_questions(first, second)
    if first.sha256 == second.sha256:
        pairs = [(left, right) for left in first.passes for right in first.passes if left < right]
        if not pairs:
            raise UsageError(
                f"{first.folder} and {second.folder} hold the same grades, in one pass",
                "Name two sets of grades, or twice one with several passes.",
            )
    else:
        pairs = [(left, right) for left in first.passes for right in second.passes]
    return [_pairing(first, left, second, right) for left, right in pairs]


def agreement_of(first: Grades, second: Grades, pairing: Pairing) -> Agreement:
    """Count how two passes agree; reads outcomes, so the seal comes first."""
    left = _correct(first, pairing.first_pass)
    right = _correct(second, pairing.second_pass)
    outcomes = [(left[name], right[name]) for name in left if name in right]
    return Agreement(
        both_right=outcomes.count((True, True)),
        first_only=outcomes.count((True, False)),
        second_only=outcomes.count((False, True)),
        neither=outcomes.count((False, False)),
    )


def differing(first: Grades, second: Grades, pairing: Pairing) -> Iterator[tuple[str, bool]]:
    """Yield the questions with another outcome, with that of the first; the seal comes first."""
    left = _correct(first, pairing.first_pass)
    right = _correct(second, pairing.second_pass)
    for name, correct in left.items():
        if name in right and right[name] != correct:
            yield name, correct


def _correct(grades: Grades, pass_number: int) -> dict[str, bool]:
    return {
        outcome.question_id: outcome.correct
        for outcome in grades.outcomes()
        if outcome.pass_number == pass_number
    }


def _pairing(first: Grades, first_pass: int, second: Grades, second_pass: int) -> Pairing:
    others = {row.question_id: row for row in _graded(second, second_pass)}
    compared = [
        (row, others[row.question_id])
        for row in _graded(first, first_pass)
        if row.question_id in others
    ]
    known = [
        (row.context_sha256, other.context_sha256)
        for row, other in compared
        if row.context_sha256 is not None and other.context_sha256 is not None
    ]
    differing = sum(digest != other for digest, other in known)
    return Pairing(
        first_pass,
        second_pass,
        len(first.expected_ids),
        len(compared),
        len(known),
        differing,
        len(first.errors(first_pass)),
        len(second.errors(second_pass)),
    )


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
    left, right = set(first.expected_ids), set(second.expected_ids)
    if left != right:
        raise InputError(
            f"{first.folder} and {second.folder} are of different questions: part {first.part}, "
            f"{len(left):,}, and part {second.part}, {len(right):,}; "
            f"{len(left & right):,} are in both",
            "Import both with the same --part.",
        )
