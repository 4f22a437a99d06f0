"""Answers that were graded, matched to a run: which point they are of, and to which questions.

Of grades that hold test questions nothing is read while they are sealed: no ledger has an opening
that holds them (`harness.trial.seal`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import Faults, UsageError, nearest
from harness.points import Point
from harness.trial.by_type import AccuracyByType, accuracy_by_type, types_of
from harness.trial.caveats import caveats_of
from harness.trial.checks import run_rows
from harness.trial.grade import Grade, Status
from harness.trial.grades import Grades
from harness.trial.seal import looked_at

from .subject import MeasuredRun

SEALED = "its grades are sealed, and were not read"


@dataclass(frozen=True, slots=True)
class AnswersByPoint:
    """Whether the answer to each graded question of the subject at a point was right.

    `point` is the run's. Only the first pass is used; `rows` are what became of each question of
    the subject in it. `reader` is the model that answered, None where not known. `caveats` go with
    every number that is made of these.
    """

    point: Point
    part: str
    correct: Mapping[str, bool]
    rows: tuple[Grade, ...]
    reader: str | None
    sha256: str
    by_type: AccuracyByType
    caveats: tuple[str, ...]

    @property
    def errors(self) -> frozenset[str]:
        """Questions whose answer or judgment failed."""
        return frozenset(row.question_id for row in self.rows if row.status is Status.ERROR)

    @property
    def wrong(self) -> frozenset[str]:
        return frozenset(name for name, right in self.correct.items() if not right)


@dataclass(frozen=True, slots=True)
class GradedPoints:
    """The answers that may be shown, by point in the order given, and the points whose outcomes are
    sealed."""

    answers: tuple[AnswersByPoint, ...] = ()
    sealed: tuple[Point, ...] = ()

    def of(self, point: Point) -> AnswersByPoint | None:
        """Return the answers at a point of the run."""
        return next((answers for answers in self.answers if answers.point == point), None)

    def of_policy(self, point: Point) -> AnswersByPoint | None:
        """Return the answers at a point, else those at a point that is the same policy, and so
        shows the same contexts."""
        same = (answers for answers in self.answers if answers.point.policy == point.policy)
        return self.of(point) or next(same, None)

    def caveats_of(self, point: Point) -> tuple[str, ...]:
        """Return what goes with the numbers of a point, and why there are none."""
        answers = self.of(point)
        if answers is not None:
            return answers.caveats
        return (SEALED,) if point in self.sealed else ()

    def is_sealed(self, point: Point) -> bool:
        """Return whether the outcomes of the point, or of one that is the same policy, are
        sealed."""
        return any(sealed.policy == point.policy for sealed in self.sealed)


NO_ANSWERS = GradedPoints()


def read_answers(folders: Sequence[Path], subject: MeasuredRun) -> GradedPoints:
    """Read the grades in `folders`, of points of the subject's run.

    Grades of a point that is spelled differently and is the same policy are taken for the run's.
    Raises `UsageError` for grades of a point that the run does not have or that was given twice,
    and `InputError` for answers from other contexts than the run's.
    """
    answers: dict[Point, AnswersByPoint] = {}
    sealed: list[Point] = []
    for folder in dict.fromkeys(folders):
        grades = Grades.open(folder)
        point = _point_of(grades, subject)
        if point in answers or point in sealed:
            raise UsageError(f"grades of {point} were given twice", "Give one folder per point.")
        of_point = _answers(grades, point, subject)
        if of_point is None:
            sealed.append(point)
        else:
            answers[point] = of_point
    return GradedPoints(tuple(answers.values()), tuple(sealed))


def _point_of(grades: Grades, subject: MeasuredRun) -> Point:
    points = subject.run.points
    if grades.point in points:
        return grades.point
    names = [str(point) for point in points]
    if grades.point.arm in {point.arm for point in points}:
        for point in points:
            if point.policy == grades.point.policy:
                return point
    raise UsageError(
        f"{grades.folder} has the grades of {grades.point}, which the run {subject.run.folder} "
        f"does not have{nearest(str(grades.point), names)}",
        f"Add it: harness replay RECORDING --out {subject.run.folder} --point '{grades.point}'",
    )


def _answers(grades: Grades, point: Point, subject: MeasuredRun) -> AnswersByPoint | None:
    outcomes = looked_at(grades).outcomes
    if outcomes is None:
        return None
    first = grades.passes[0]
    wanted = set(subject.case_ids)
    correct = {
        outcome.question_id: outcome.correct
        for outcome in outcomes
        if outcome.pass_number == first and outcome.question_id in wanted
    }
    if not correct:
        raise UsageError(
            f"{grades.folder} grades no question of the part {subject.part!r} of the run",
            "Give grades of these questions, or another --part.",
        )
    rows = tuple(
        row for row in grades.rows() if row.pass_number == first and row.question_id in wanted
    )
    caveats = list(caveats_of(grades, first))
    if len(grades.passes) > 1:
        caveats.append(f"the first of {len(grades.passes)} passes")
    if unknown := _check_contexts(grades, point, subject, rows):
        questions = f"{unknown:,} of {len(correct):,} questions"
        caveats.append(f"for {questions} the grades do not say which context was answered")
    errors = grades.errors(first) & wanted
    types = types_of(grades) or subject.types
    known = {name: types.get(name) for name in (*correct, *errors)}
    return AnswersByPoint(
        point=point,
        part=grades.part,
        correct=correct,
        rows=rows,
        reader=grades.reader,
        sha256=grades.sha256,
        by_type=accuracy_by_type(correct, known if any(known.values()) else None, errors),
        caveats=tuple(caveats),
    )


def _check_contexts(
    grades: Grades, point: Point, subject: MeasuredRun, answered: Sequence[Grade]
) -> int:
    """Return how many graded questions do not say what was answered; answers from other contexts
    are refused."""
    rows = run_rows(subject.run, point) or {}
    faults = Faults(limit=10)
    unknown = 0
    for grade in answered:
        if grade.status is not Status.GRADED:
            continue
        if grade.context_sha256 is None:
            unknown += 1
            continue
        if rows[grade.question_id].context_sha256 != grade.context_sha256:
            faults.add(f"question {grade.question_id!r} was answered from another context")
    faults.raise_if_any(
        f"{grades.folder} ({grades.point})",
        f"Give the run whose contexts were answered; this is {subject.run.folder}.",
    )
    return unknown
