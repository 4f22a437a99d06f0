"""Importing recorded grades: every row checked, every question accounted for, then one folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.datasets.cohort import Cohort, QuestionSource, question_source
from harness.datasets.split import Split, read_split
from harness.decode import KEEP, Format, Sha256, Text
from harness.errors import Faults, InputError, nearest
from harness.points import Point
from harness.storage.folder import FolderState, open_output
from harness.storage.hashing import sha256_of_file
from harness.words import counted

from .clearance import cleared
from .formats import FORMATS
from .formats.rows import GradeFile, GradeRow, ReadGrades, grade_files, lines_of
from .grade import Grade, Outcome, Status
from .grades import GRADES_SCHEMA, TABLES, GradeHeader, Grades, write_grades

NO_ROW = "no row"
_REFUSED = "these grades cannot be imported"
_HINT = "Correct these, nothing was written; the formats: docs/formats/grades.md."


@dataclass(frozen=True, slots=True)
class GradeImport:
    """What is asked for. `data`, `questions` and `register` say which questions there are; `reader`
    and `judge` are models that the files do not name, `prompts` the exported ones that were
    answered."""

    files: tuple[Path, ...]
    format: str
    point: Point
    split: Path
    part: str = "all"
    registration: Path | None = None
    exploratory: bool = False
    data: Path | None = None
    questions: Path | None = None
    register: Path | None = None
    reader: str | None = None
    judge: str | None = None
    prompts: Path | None = None


def import_grades(
    request: GradeImport,
    out: Path,
    *,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> tuple[Grades, FolderState]:
    """Import the files into `out`; return the grades, and what `out` was before.

    Raises `UsageError` for test questions without a registration, and `InputError` naming every
    faulty row of every file.
    """
    split = read_split(request.split)
    clearance = cleared(
        request.part,
        request.point,
        split,
        registration=request.registration,
        exploratory=request.exploratory,
    )
    source = question_source(
        split, data=request.data, questions=request.questions, register=request.register
    )
    cohort = graded_cohort(split, request.part, source)
    header = GradeHeader(
        request.point, cohort, source, request.split.as_posix(), clearance, request.format
    )
    faults = Faults()
    files = grade_files(request.files, faults)
    work = {
        **header.work(),
        "sources": [file.sha256 for file in files],
        "reader": request.reader,
        "judge": request.judge,
    }
    if request.prompts is not None:
        work["prompts"] = sha256_of_file(request.prompts)
    folder = open_output(out, GRADES_SCHEMA, work, TABLES, force=force)
    if folder.state is FolderState.FINISHED:
        return Grades.open(out), folder.state
    read_grades = FORMATS[request.format].read(files, source.questions, faults)
    if request.prompts is not None:
        _join(read_grades, request.prompts, files, faults)
    by_question, left_out = _by_question(read_grades, cohort, source.name, files, faults)
    _check_reader(read_grades, request.reader, faults)
    if not read_grades.rows and not faults:
        faults.add("the files hold no grade")
    faults.raise_if_any(_REFUSED, _HINT)
    reader = read_grades.reader or request.reader
    passes = sorted({number for entry in read_grades.sources for number in entry.passes})
    grades = [
        _grade(question_id, number, by_question.get((question_id, number), []), reader, request)
        for number in passes
        for question_id in cohort.ids
    ]
    write_grades(
        folder,
        header,
        grades,
        _outcomes(grades, by_question),
        left_out=left_out,
        sources=read_grades.sources,
        totals=read_grades.totals,
        arguments={"verb": "grades import", "given": dict(given or {}), "resolved": work},
    )
    return Grades.open(out), folder.state


@dataclass(frozen=True, slots=True)
class _Prompt:
    """What is needed of a line of `harness export prompts`."""

    question_id: Text
    context_sha256: Sha256


PROMPT = Format("an exported prompt", _Prompt, unknown=KEEP)


def _join(
    read_grades: ReadGrades, prompts: Path, files: Sequence[GradeFile], faults: Faults
) -> None:
    """Give every row the hash of the context that its prompt holds; a row that names another one,
    or that no prompt is of, is a fault."""
    contexts: dict[str, str] = {}
    file = GradeFile(prompts, "")
    for number, prompt in lines_of(PROMPT, file, faults):
        if prompt is None:
            continue
        if prompt.question_id in contexts:
            faults.add(f"{file.place(number)}: {prompt.question_id!r} has a prompt already")
        contexts[prompt.question_id] = prompt.context_sha256
    paths = {entry.sha256: entry for entry in files}
    for place, row in enumerate(read_grades.rows):
        where = paths[row.source_sha256].place(row.row, "row")
        known = contexts.get(row.question_id)
        if known is None:
            faults.add(f"{where}: {row.question_id!r} has no prompt in {prompts}")
        elif row.context_sha256 not in (None, known):
            faults.add(f"{where}: context_sha256 is not that of the prompt in {prompts}")
        read_grades.rows[place] = replace(row, context_sha256=row.context_sha256 or known)


def graded_cohort(split: Split, part: str, source: QuestionSource) -> Cohort:
    """Take the questions of the part that the source has and the split's data had.

    Raises `InputError` when the split is not one of these questions, or the part has none of them.
    """
    without = frozenset(split.restricted_to.missing if split.restricted_to else ())
    ids = [question.question_id for question in source.questions]
    cohort = Cohort.of_split(split, part, [name for name in ids if name not in without])
    if not cohort.ids:
        raise InputError(
            f"the part {part!r} of the split has no question of the {source.name}",
            "Choose another --part.",
        )
    return cohort


def _by_question(
    read_grades: ReadGrades,
    cohort: Cohort,
    source_name: str,
    files: Sequence[GradeFile],
    faults: Faults,
) -> tuple[Mapping[tuple[str, int], list[GradeRow]], Mapping[str, int]]:
    """Return the rows of the cohort by question and pass, and how many rows of other questions were
    left out, by reason; an id that is of no question is a fault."""
    paths = {file.sha256: file for file in files}
    known = {*cohort.ids, *cohort.left_out}
    rows: dict[tuple[str, int], list[GradeRow]] = {}
    left_out: Counter[str] = Counter()
    for row in read_grades.rows:
        if row.question_id not in known:
            faults.add(
                f"{paths[row.source_sha256].place(row.row, 'row')}: question_id "
                f"{row.question_id!r} is not a question of the "
                f"{source_name}{nearest(row.question_id, known)}"
            )
        elif row.question_id in cohort.left_out:
            left_out[cohort.left_out[row.question_id]] += 1
        else:
            rows.setdefault((row.question_id, row.pass_number), []).append(row)
    return rows, dict(sorted(left_out.items()))


def _check_reader(read_grades: ReadGrades, given: str | None, faults: Faults) -> None:
    """Check that one reader answered the point."""
    named = {row.reader for row in read_grades.rows if row.reader is not None}
    named |= {name for name in (given, read_grades.reader) if name is not None}
    if len(named) > 1:
        faults.add(f"several readers are named for one point: {', '.join(sorted(named))}")


def _grade(
    question_id: str,
    pass_number: int,
    rows: Sequence[GradeRow],
    reader: str | None,
    request: GradeImport,
) -> Grade:
    """Account for one question; the request's judge holds for a row that does not name one."""
    if len(rows) != 1:
        # which of several rows counts cannot be known, so none does
        status, reason = Status.MISSING, NO_ROW
        if rows:
            status, reason = Status.DUPLICATE, counted(len(rows), "row")
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
        judge=row.judge or request.judge,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        tokens_source=row.tokens_source,
        context_tokens=row.context_tokens,
        context_sha256=row.context_sha256,
    )


def _outcomes(
    grades: Sequence[Grade], rows: Mapping[tuple[str, int], Sequence[GradeRow]]
) -> Iterator[Outcome]:
    for grade in grades:
        if grade.status is Status.GRADED:
            correct = rows[grade.question_id, grade.pass_number][0].correct
            yield Outcome(grade.question_id, grade.pass_number, bool(correct))
