"""A stand-in for a reader: an answer counts as right when the context holds the gold answer.

It needs no model, so a whole judgment can be tried offline. It says nothing of what a reader would
have answered, and is labelled `reader: none (answer-in-context)` wherever it appears.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from harness.datasets.split import Split, read_split
from harness.errors import Faults, UsageError, nearest
from harness.points import Point
from harness.replay import schema as run_schema
from harness.replay.run import Run
from harness.storage.folder import FolderState, open_output

from . import schema
from .accounting import Accounted
from .clearance import cleared
from .cohort import GradedCohort, QuestionSource, cohort_of, question_source
from .gold import GoldAnswers, dataset_of, dataset_sha256_of, read_gold_answers
from .grade import ESTIMATED, Grade, GradeSource, Outcome, Status
from .grades import Grades
from .whole_tokens import normalised, occurs, without_header_dates
from .writing import GradeHeader, write_grades

FORMAT = "answer-in-context"
READER = "none (answer-in-context)"
JUDGE = "answer-in-context/1"
"""The rule and its version: another way to compare texts gets another number."""

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
class _Shown:
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
    """Grade the run's contexts at the point into `out`; returns the grades, and what `out` was.

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
    cohort = cohort_of(split, request.part, _source(split, request, gold))
    subject = GradeHeader(request.point, split, request.split.as_posix(), cohort, clearance, FORMAT)
    sha256 = run.manifest.content_sha256
    work = {**subject.work(), "run": sha256, "dataset_sha256": gold.sha256, "rule": JUDGE}
    folder = open_output(out, schema.GRADES_SCHEMA, work, schema.TABLES, force=force)
    if folder.state is FolderState.FINISHED:
        return Grades.open(out), folder.state
    shown = _shown(run, request.point)
    _check_questions(shown, gold, run)
    accounted = _graded(cohort, gold, shown, sha256)
    size = sum(entry.bytes for entry in run.manifest.files.values())
    write_grades(
        folder,
        subject,
        accounted,
        sources=[GradeSource(request.run.as_posix(), sha256, size, len(shown), (1,))],
        described={
            "reader": READER,
            "judges": [JUDGE],
            "dataset": {"file": data.as_posix(), "sha256": gold.sha256},
        },
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


def _shown(run: Run, point: Point) -> dict[str, _Shown]:
    """What the run has at the point, by case, in the run's order."""
    cases = run.cases()
    questions = dict(zip(cases["case_id"].to_pylist(), cases["question"].to_pylist(), strict=True))
    names = ["case_id", "point", "context_tokens", "prompt_tokens_estimated"]
    table = run.table(run_schema.SELECTIONS, names)
    rows = table.filter(pc.equal(table["point"].cast(pa.string()), run.computed_as[str(point)]))
    costs = {row["case_id"]: row for row in rows.to_pylist()}
    return {
        case_id: _Shown(
            row,
            questions[case_id],
            context,
            digest,
            costs[case_id]["context_tokens"],
            costs[case_id]["prompt_tokens_estimated"],
        )
        for row, (case_id, digest, context) in enumerate(run.contexts(point), 1)
    }


def _check_questions(shown: Mapping[str, _Shown], gold: GoldAnswers, run: Run) -> None:
    """The run's cases must be the dataset's questions; a hash alone may not be known."""
    faults = Faults(limit=10)
    for case_id, case in shown.items():
        there = gold.by_id.get(case_id)
        if there is not None and there.question != case.question:
            faults.add(f"case {case_id!r} asks another question than {gold.path} under that id")
    faults.raise_if_any(str(run.folder), "Give --data the dataset that the run was recorded from.")


def _graded(
    cohort: GradedCohort, gold: GoldAnswers, shown: Mapping[str, _Shown], source_sha256: str
) -> Accounted:
    grades = tuple(_grade(name, gold, shown, source_sha256) for name in cohort.ids)
    left_out: dict[str, int] = {}
    for case_id in shown:
        if case_id in cohort.elsewhere:
            reason = cohort.elsewhere[case_id]
            left_out[reason] = left_out.get(reason, 0) + 1
    return Accounted(grades, tuple(_outcomes(grades, gold, shown)), left_out)


def _grade(
    question_id: str, gold: GoldAnswers, shown: Mapping[str, _Shown], source_sha256: str
) -> Grade:
    answer, case = gold.by_id.get(question_id), shown.get(question_id)
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
    grades: Iterable[Grade], gold: GoldAnswers, shown: Mapping[str, _Shown]
) -> Iterator[Outcome]:
    for grade in grades:
        if grade.status is Status.GRADED:
            context = normalised(without_header_dates(shown[grade.question_id].context))
            answer = gold.by_id[grade.question_id].answer
            yield Outcome(grade.question_id, grade.pass_number, occurs(answer, context))
