"""From the rows that were read to one grade a question and pass: nothing is dropped silently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.errors import Faults, nearest

from .cohort import GradedCohort
from .grade import Grade, Outcome, Status
from .rows import GradeFile, GradeRow, ReadGrades

NO_ROW = "no row"


@dataclass(frozen=True, slots=True)
class Accounted:
    """Every expected question in every pass, the outcomes of those that are graded, and how many
    rows of other questions were left out, by reason."""

    grades: tuple[Grade, ...]
    outcomes: tuple[Outcome, ...]
    left_out: Mapping[str, int]


def account(
    read_grades: ReadGrades,
    cohort: GradedCohort,
    files: Sequence[GradeFile],
    faults: Faults,
    *,
    reader: str | None = None,
    judge: str | None = None,
) -> Accounted:
    """Account for every question of the cohort; unknown ids and several readers are faults.

    `reader` and `judge` hold for rows that do not name one themselves.
    """
    paths = {file.sha256: file for file in files}
    known = {*cohort.ids, *cohort.elsewhere}
    found: dict[tuple[str, int], list[GradeRow]] = {}
    left_out: Counter[str] = Counter()
    for row in read_grades.rows:
        if row.question_id not in known:
            faults.add(
                f"{paths[row.source_sha256].place(row.row, 'row')}: question_id "
                f"{row.question_id!r} is not a question of the "
                f"{cohort.source}{nearest(row.question_id, known)}"
            )
        elif row.question_id in cohort.elsewhere:
            left_out[cohort.elsewhere[row.question_id]] += 1
        else:
            found.setdefault((row.question_id, row.pass_number), []).append(row)
    default_reader = read_grades.reader or reader
    _check_reader(read_grades, reader, faults)
    passes = sorted({number for source in read_grades.sources for number in source.passes})
    keys = [(question_id, number) for number in passes for question_id in cohort.ids]
    grades = tuple(
        _grade(question_id, number, found.get((question_id, number), []), default_reader, judge)
        for question_id, number in keys
    )
    return Accounted(grades, tuple(_outcomes(grades, found)), dict(sorted(left_out.items())))


def _grade(
    question_id: str,
    pass_number: int,
    rows: Sequence[GradeRow],
    reader: str | None,
    judge: str | None,
) -> Grade:
    if len(rows) != 1:
        # which of several rows counts cannot be known, so none does
        status, reason = Status.MISSING, NO_ROW
        if rows:
            status, reason = Status.DUPLICATE, f"{len(rows)} rows"
        first = rows[0] if rows else None
        return Grade(
            question_id,
            pass_number,
            status,
            reason,
            source_sha256=first.source_sha256 if first else None,
            row=first.row if first else None,
        )
    row = rows[0]
    return Grade(
        question_id=question_id,
        pass_number=pass_number,
        status=Status.ERROR if row.correct is None else Status.GRADED,
        reason=row.problem,
        source_sha256=row.source_sha256,
        row=row.row,
        reader=row.reader or reader,
        judge=row.judge or judge,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        tokens_source=row.tokens_source,
        context_tokens=row.context_tokens,
        context_sha256=row.context_sha256,
    )


def _outcomes(
    grades: Iterable[Grade], rows: Mapping[tuple[str, int], Sequence[GradeRow]]
) -> Iterator[Outcome]:
    for grade in grades:
        if grade.status is Status.GRADED:
            correct = rows[grade.question_id, grade.pass_number][0].correct
            yield Outcome(grade.question_id, grade.pass_number, bool(correct))


def _check_reader(read_grades: ReadGrades, given: str | None, faults: Faults) -> None:
    """One point is answered by one reader."""
    named = {row.reader for row in read_grades.rows if row.reader is not None}
    named |= {name for name in (given, read_grades.reader) if name is not None}
    if len(named) > 1:
        faults.add(f"several readers are named for one point: {', '.join(sorted(named))}")
