"""A stand-in for a reader: an answer counts as right when the context holds the gold answer.

It needs no model, so a whole judgment can be tried offline. It says nothing of what a reader would
have answered, and is labelled `reader: none (answer-in-context)` wherever it appears.

Gold answers, and whether a question's own evidence holds its answer, are a matter of the dataset
alone, so they are the same for every point and every recall. A recording holds the sessions of its
windows only, which is why the dataset itself is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from harness.datasets.cohort import Cohort, QuestionSource, question_source
from harness.datasets.layout import Question, read_questions
from harness.datasets.question_list import ListedQuestion
from harness.datasets.register import find_register, read_register
from harness.datasets.session_text import session_text
from harness.datasets.split import Split, read_split
from harness.errors import Faults, InputError, UsageError, nearest
from harness.points import Point
from harness.progress import progress
from harness.replay import schema as run_schema
from harness.replay.run import Run
from harness.storage.content import content_size_and_sha256
from harness.storage.folder import FolderState, open_output

from .clearance import cleared
from .grade import ESTIMATED, Grade, GradeSource, Outcome, Status
from .grade import STAND_IN as FORMAT
from .grade import STAND_IN_JUDGE as JUDGE
from .grade import STAND_IN_READER as READER
from .grades import GRADES_SCHEMA, TABLES, DatasetReference, GradeHeader, Grades, write_grades
from .importing import graded_cohort
from .plan import ExclusionRule
from .whole_tokens import normalised, occurs, without_header_dates

NOT_IN_RUN = "not in the run"
NOT_IN_DATA = "not in the dataset file"


@dataclass(frozen=True, slots=True)
class StandInRequest:
    """What is asked for. `data` is the dataset that the run was recorded from; where it is given,
    its questions are the cohort's."""

    run: Path
    point: Point
    split: Path
    part: str = "all"
    registration: Path | None = None
    exploratory: bool = False
    data: Path | None = None
    register: Path | None = None


@dataclass(frozen=True, slots=True)
class _RunCase:
    """What the run has of one case at the point."""

    row: int
    question: str
    context: str
    context_sha256: str
    context_tokens: int | None
    prompt_tokens: int | None


def grade_by_context(
    request: StandInRequest,
    out: Path,
    *,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> tuple[Grades, FolderState]:
    """Grade the run's contexts at the point into `out`; return the grades, and what `out` was.

    Raises `UsageError` for test questions without a registration, a point that the run does not
    have, and a dataset that is not at hand, and `InputError` for a dataset that is not the run's.
    """
    split = read_split(request.split)
    clearance = cleared(
        request.part,
        request.point,
        split,
        registration=request.registration,
        exploratory=request.exploratory,
    )
    run = Run.open(request.run)
    _check_point(run, request.point)
    data = dataset_of(run, request.data, request.register)
    gold = read_gold_answers(data, dataset_sha256_of(run), quiet=quiet)
    source = _source(split, request, gold)
    cohort = graded_cohort(split, request.part, source)
    split_file = request.split.as_posix()
    header = GradeHeader(request.point, cohort, source, split_file, clearance, FORMAT)
    sha256 = run.manifest.content_sha256
    work = {**header.work(), "run": sha256, "dataset_sha256": gold.sha256, "rule": JUDGE}
    folder = open_output(out, GRADES_SCHEMA, work, TABLES, force=force)
    if folder.state is FolderState.FINISHED:
        return Grades.open(out), folder.state
    cases = _cases_at(run, request.point)
    _check_questions(cases, gold, run)
    grades = [_grade(name, gold, cases, sha256) for name in cohort.ids]
    size = sum(entry.bytes for entry in run.manifest.files.values())
    write_grades(
        folder,
        header,
        grades,
        _outcomes(grades, gold, cases),
        left_out=_left_out(cohort, cases),
        sources=[GradeSource(request.run.as_posix(), sha256, size, len(cases), (1,))],
        reader=READER,
        judges=(JUDGE,),
        dataset=DatasetReference(data.as_posix(), gold.sha256),
        arguments={
            "verb": "grades answer-in-context",
            "given": dict(given or {}),
            "resolved": work,
        },
    )
    return Grades.open(out), folder.state


def _source(split: Split, request: StandInRequest, gold: GoldAnswers) -> QuestionSource:
    if request.data is None:
        return question_source(split, register=request.register)
    questions = tuple(answer.listed for answer in gold.by_id.values())
    return QuestionSource(questions, f"data {request.data.as_posix()}")


def _check_point(run: Run, point: Point) -> None:
    if str(point) not in run.computed_as:
        raise UsageError(
            f"the run {run.folder} has no point {point}{nearest(str(point), run.computed_as)}",
            f"Add it: harness replay RECORDING --out {run.folder} --point '{point}'",
        )


def _cases_at(run: Run, point: Point) -> dict[str, _RunCase]:
    """Return what the run has at the point, by case, in the run's order."""
    cases = run.cases()
    questions = dict(zip(cases["case_id"].to_pylist(), cases["question"].to_pylist(), strict=True))
    names = ["case_id", "point", "context_tokens", "prompt_tokens_estimated"]
    table = run.table(run_schema.SELECTIONS, names)
    rows = table.filter(pc.equal(table["point"].cast(pa.string()), run.computed_as[str(point)]))
    costs = {row["case_id"]: row for row in rows.to_pylist()}
    return {
        case_id: _RunCase(
            row,
            questions[case_id],
            context,
            digest,
            costs[case_id]["context_tokens"],
            costs[case_id]["prompt_tokens_estimated"],
        )
        for row, (case_id, digest, context) in enumerate(run.contexts(point), 1)
    }


def _check_questions(cases: Mapping[str, _RunCase], gold: GoldAnswers, run: Run) -> None:
    """Check that the run's cases are the dataset's questions; the hash of its data may not be
    known."""
    faults = Faults(limit=10)
    for case_id, case in cases.items():
        answer = gold.by_id.get(case_id)
        if answer is not None and answer.question != case.question:
            faults.add(f"case {case_id!r} asks another question than {gold.path} under that id")
    faults.raise_if_any(
        str(run.folder), "Pass the dataset that the run was recorded from with --data."
    )


def _left_out(cohort: Cohort, case_ids: Iterable[str]) -> dict[str, int]:
    """Count the run's cases that are of no question of the cohort, by reason."""
    counts: dict[str, int] = {}
    for case_id in case_ids:
        if case_id in cohort.left_out:
            reason = cohort.left_out[case_id]
            counts[reason] = counts.get(reason, 0) + 1
    return counts


def _grade(
    question_id: str, gold: GoldAnswers, cases: Mapping[str, _RunCase], source_sha256: str
) -> Grade:
    answer, case = gold.by_id.get(question_id), cases.get(question_id)
    # what the dataset says comes first, so that exclusions do not depend on the run
    if answer is None:
        return Grade(question_id, 1, Status.MISSING, NOT_IN_DATA)
    if answer.excluded is None and case is None:
        return Grade(question_id, 1, Status.MISSING, NOT_IN_RUN)
    tokens = None if case is None else case.prompt_tokens
    return Grade(
        question_id=question_id,
        pass_number=1,
        status=Status.GRADED if answer.excluded is None else Status.EXCLUDED,
        reason=answer.excluded,
        source_sha256=None if case is None else source_sha256,
        row=None if case is None else case.row,
        reader=READER,
        judge=JUDGE,
        prompt_tokens=tokens,
        tokens_source=None if tokens is None else ESTIMATED,
        context_tokens=None if case is None else case.context_tokens,
        context_sha256=None if case is None else case.context_sha256,
    )


def _outcomes(
    grades: Iterable[Grade], gold: GoldAnswers, cases: Mapping[str, _RunCase]
) -> Iterator[Outcome]:
    for grade in grades:
        if grade.status is Status.GRADED:
            context = normalised(without_header_dates(cases[grade.question_id].context))
            answer = gold.by_id[grade.question_id].answer
            yield Outcome(grade.question_id, grade.pass_number, occurs(answer, context))


@dataclass(frozen=True)
class GoldAnswer:
    """A question with its gold answer, as it is written and `normalised`, None and empty where it
    is not known, and the rule by which the stand-in excludes it, if one does."""

    listed: ListedQuestion
    question: str
    written: str | None
    excluded: str | None
    abstention: bool

    @cached_property
    def answer(self) -> str:
        return "" if self.written is None else normalised(self.written)


@dataclass(frozen=True, slots=True)
class GoldAnswers:
    """The questions of a dataset file, in its order; `sha256` is of its unpacked content."""

    path: Path
    sha256: str
    by_id: Mapping[str, GoldAnswer]


def dataset_of(run: Run, data: Path | None, register: Path | None) -> Path:
    """Find the dataset file of the run, as `dataset_file` does."""
    return dataset_file(dataset_sha256_of(run), data, register, of=str(run.folder))


def dataset_file(wanted: str | None, data: Path | None, register: Path | None, *, of: str) -> Path:
    """Find the dataset file that something is of: `data`, else the bundled one of the wanted hash.

    Raises `UsageError` where the dataset is not bundled, or it is not known which it is.
    """
    if data is not None:
        return data
    for entry in read_register(find_register(register)).datasets if wanted else ():
        path = entry.path
        if path is not None and path.is_file() and content_size_and_sha256(path)[1] == wanted:
            return path
    known = f"the dataset with sha256 {wanted}" if wanted else "a dataset that it does not name"
    raise UsageError(
        f"{of} was recorded from {known}, which is needed for its gold answers",
        "Name its file with --data DATA.",
    )


def dataset_sha256_of(run: Run) -> str | None:
    """Return the content hash of the dataset that the run was recorded from; None if unknown."""
    dataset = run.manifest.content.get("dataset") or {}
    sha256 = dataset.get("sha256")
    return None if sha256 is None else str(sha256)


def read_gold_answers(path: Path, wanted_sha256: str | None, *, quiet: bool) -> GoldAnswers:
    """Read the gold answers of a dataset file, whose content must have the wanted hash, if known.

    Raises `InputError`.
    """
    if not path.is_file():
        raise InputError(f"{path} is not a file", "Check --data.")
    sha256 = content_size_and_sha256(path)[1]
    if wanted_sha256 is not None and sha256 != wanted_sha256:
        raise InputError(
            f"{path} has the content sha256 {sha256}, the run was recorded from {wanted_sha256}",
            "Pass the dataset that the run was recorded from with --data.",
        )
    questions = progress(
        read_questions(path), total=None, label="dataset", unit="question", quiet=quiet
    )
    by_id = {question.question_id: _gold_answer(question) for question in questions}
    return GoldAnswers(path, sha256, by_id)


def _gold_answer(question: Question) -> GoldAnswer:
    written = None if question.answer is None else str(question.answer)
    answer = "" if written is None else normalised(written)
    excluded: str | None = None
    if question.abstention:
        excluded = ExclusionRule.ABSTENTION.value
    elif not any(occurs(answer, text) for text in _evidence_texts(question)):
        excluded = ExclusionRule.NO_ANSWER_IN_EVIDENCE.value
    listed = ListedQuestion(question.question_id, question.question_type)
    return GoldAnswer(listed, question.question, written, excluded, question.abstention)


def _evidence_texts(question: Question) -> Iterator[str]:
    """Yield the record text of each evidence session, `normalised` and without its date."""
    for session in question.sessions:
        if session.session_id in question.answer_session_ids:
            yield normalised(without_header_dates(session_text(session).text))
