"""Grading sets of answers: each becomes a folder of grades, with all that a verdict checks.

No answer is ever wrong because something failed: a question without an answer is missing, one that
the reader or the judge failed on is an error, and a grader that cannot grade questions that have no
answer leaves them out by rule.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.datasets.cohort import Cohort
from harness.datasets.question_list import NO_TYPE
from harness.datasets.split import Part, Split, read_split
from harness.errors import InputError, UsageError
from harness.readers.entry import AnswerEntry
from harness.readers.store import AnswerStore
from harness.replay.run import Run
from harness.storage.folder import FolderState, open_output
from harness.storage.hashing import sha256_of_file, sha256_of_text
from harness.trial.answer_in_context import NOT_IN_DATA, GoldAnswer
from harness.trial.clearance import cleared
from harness.trial.grade import (
    API,
    ESTIMATED,
    Clearance,
    Grade,
    GradedAnswers,
    GradeSource,
    Outcome,
    Status,
)
from harness.trial.grades import GRADES_SCHEMA, TABLES, GradeHeader, Grades, write_grades
from harness.trial.importing import graded_cohort

from .answer_estimate import AnswerEstimate
from .answer_set import AnswerSet, PromptedQuestion
from .answer_sets import store_of
from .gold import ANYWHERE, GoldPlace, GoldSource, read_gold
from .graders import Answered, ChosenGrader, Grader
from .judging import NO_LIMITS, Judge, JudgingLimits, judging_estimate, judgments

FORMAT = "answers"
SECOND_JUDGE = "second-judge"
"""Folder of the grades that the second judge gave, next to those of the points."""

NOT_ASKED, NO_ANSWER, NO_JUDGMENT = "not answered", "the reader failed", "the judge failed"
NOT_SAMPLED = "not in the sample"

NOT_IN_SET = None, None

Place = tuple[str, int]
"""A question's id, and the number of the repeat."""


@dataclass(frozen=True, slots=True)
class Sample:
    """So many questions of the part, drawn by a seed: the same at every point."""

    questions: int
    seed: int

    def of(self, ids: Sequence[str]) -> frozenset[str]:
        """Draw from the ids, whatever order they are in."""
        drawn = random.Random(self.seed)  # noqa: S311 (a fixed draw)
        return frozenset(drawn.sample(sorted(ids), min(self.questions, len(ids))))


@dataclass(frozen=True, kw_only=True)
class GradingRequest:
    """What is asked for: `sets` are of different points. A `judge` where the grader asks one, and
    a second one on a sample. Judgments are kept in `store`, by default that of the answers."""

    sets: Sequence[AnswerSet]
    grader: ChosenGrader
    judge: Judge | None = None
    second_judge: Judge | None = None
    sample: Sample = Sample(100, 0)
    gold: GoldPlace = ANYWHERE
    limits: JudgingLimits = NO_LIMITS
    quiet: bool = False


@dataclass(frozen=True)
class _Sheet:
    """A set of answers next to the gold answers: what is to be graded, and why the rest is not."""

    answers: AnswerSet
    split: Split
    header: GradeHeader
    gold: GoldSource
    entries: dict[Place, AnswerEntry] = field(default_factory=dict)
    answered: dict[Place, Answered] = field(default_factory=dict)
    ungraded: dict[Place, tuple[Status, str]] = field(default_factory=dict)

    @property
    def sealed(self) -> bool:
        return self.answers.part != Part.DEV.value

    @property
    def places(self) -> Iterator[Place]:
        """Every question in every pass, in the order of a folder's rows."""
        for repeat in range(1, self.answers.repeats + 1):
            for question_id in self.header.cohort.ids:
                yield question_id, repeat

    @cached_property
    def rows(self) -> Mapping[str, tuple[int, PromptedQuestion]]:
        """Question of the set, and its row from 1, by id."""
        numbered = enumerate(self.answers.questions, 1)
        return {question.question_id: (row, question) for row, question in numbered}


def grade_answers(
    request: GradingRequest, out: Path, *, force: bool = False, given: Mapping[str, Any]
) -> list[tuple[Grades, FolderState]]:
    """Grade the sets into one folder each below `out`, named by its point; return the grades, and
    what their folders were.

    Raises `UsageError` for answers that cannot be graded so, and `InputError` for gold answers of
    another dataset, a judge that cannot be asked, and a folder of other work.
    """
    with AnswerStore(_store(request)) as store:
        sheets = [_sheet(answers, request, store) for answers in request.sets]
        done = _written(request, request.judge, sheets, store, out, force, given)
        if request.second_judge is not None:
            sampled = [_sampled(sheet, request.sample) for sheet in sheets]
            second = out / SECOND_JUDGE
            done += _written(request, request.second_judge, sampled, store, second, force, given)
    return done


def estimate_judging(request: GradingRequest) -> dict[str, AnswerEstimate]:
    """Say what each judge would be asked, by its model; nothing is asked or written."""
    with AnswerStore(_store(request)) as store:
        sheets = [_sheet(answers, request, store) for answers in request.sets]
        sampled = [_sampled(sheet, request.sample) for sheet in sheets]
        return {
            judge.model: judging_estimate(judge, _distinct(of_judge), store, points=len(sheets))
            for judge, of_judge in ((request.judge, sheets), (request.second_judge, sampled))
            if judge is not None
        }


def _store(request: GradingRequest) -> Path:
    stores = {store_of(answers) for answers in request.sets}
    if len(stores) > 1:
        raise UsageError("the sets lie in different stores", "Grade those of one store together.")
    return stores.pop()


def _distinct(sheets: Iterable[_Sheet]) -> list[Answered]:
    """Return every answer once, however many points share it."""
    return list(dict.fromkeys(each for sheet in sheets for each in sheet.answered.values()))


def _sheet(answers: AnswerSet, request: GradingRequest, store: AnswerStore) -> _Sheet:
    if answers.split is None:
        raise UsageError(
            f"{answers.path} is of no split, and grades are of a part of one",
            "Ask again with harness answer … --split FILE --part dev: nothing is answered twice.",
        )
    split = read_split(Path(answers.split.file))
    if split.sha256 != answers.split.sha256:
        raise InputError(
            f"{answers.split.file} is not the split that {answers.path} is of",
            f"Restore the file with sha256 {answers.split.sha256}.",
        )
    run = _run_of(answers, request)
    gold = read_gold(
        request.gold,
        answers.dataset_sha256,
        None if run is None else run.manifest.work.get("recording"),
        of=answers.run,
        quiet=request.quiet,
    )
    if run is not None:
        _check_questions(run, gold)
    source = gold.questions(split, request.gold)
    header = GradeHeader(
        answers.point,
        graded_cohort(split, answers.part, source),
        source,
        answers.split.file,
        _clearance(answers, split),
        FORMAT,
    )
    sheet = _Sheet(answers, split, header, gold)
    contexts: Mapping[str, str] = {}
    if request.grader.grader.reads_context and run is not None:
        contexts = {digest: text for _, digest, text in run.contexts(answers.point)}
    _fill(sheet, request.grader, store, contexts)
    return sheet


def _run_of(answers: AnswerSet, request: GradingRequest) -> Run | None:
    """Open the run where more is needed than the set says: contexts, the recording, or whether the
    gold answers are of the same questions."""
    known = answers.dataset_sha256 is not None and request.gold.recording is None
    if known and not request.grader.grader.reads_context:
        return None
    run = Run.open(Path(answers.run))
    if run.manifest.content_sha256 != answers.run_sha256:
        raise InputError(
            f"{answers.run} is not the run that {answers.path} is of",
            f"Restore the run with content sha256 {answers.run_sha256}.",
        )
    return run


def _check_questions(run: Run, gold: GoldSource) -> None:
    cases = run.cases()
    for case_id, question in zip(
        cases["case_id"].to_pylist(), cases["question"].to_pylist(), strict=True
    ):
        answer = gold.by_id.get(case_id)
        if answer is not None and answer.question != question:
            raise InputError(
                f"case {case_id!r} of {run.folder} asks another question than "
                f"{gold.reference.file} under that id",
                "Pass what the run was made from with --data or --recording.",
            )


def _clearance(answers: AnswerSet, split: Split) -> Clearance:
    registration = answers.registration
    return cleared(
        answers.part,
        answers.point,
        split,
        registration=None if registration is None else Path(registration.path),
        exploratory=None,
    )


def _fill(
    sheet: _Sheet, chosen: ChosenGrader, store: AnswerStore, contexts: Mapping[str, str]
) -> None:
    for place in sheet.places:
        question_id, repeat = place
        _, question = sheet.rows.get(question_id, NOT_IN_SET)
        gold = sheet.gold.by_id.get(question_id)
        entry = None
        if question is not None:
            entry = store.get(sheet.answers.key(question, repeat))
        if entry is not None:
            sheet.entries[place] = entry
        why = _why_ungraded(chosen, sheet.answers, gold, question, entry, store, repeat)
        if why is not None:
            sheet.ungraded[place] = why
        elif gold is not None and question is not None and entry is not None:
            kind = gold.listed.question_type
            sheet.answered[place] = Answered(
                question=gold.question,
                gold=gold.written or "",
                response=entry.answer or "",
                question_type=None if kind == NO_TYPE else kind,
                abstention=gold.abstention,
                context=contexts.get(question.context_sha256),
            )


def _why_ungraded(
    chosen: ChosenGrader,
    answers: AnswerSet,
    gold: GoldAnswer | None,
    question: PromptedQuestion | None,
    entry: AnswerEntry | None,
    store: AnswerStore,
    repeat: int,
) -> tuple[Status, str] | None:
    # what the dataset says comes first, so that exclusions do not depend on the answers
    if gold is None:
        return Status.MISSING, NOT_IN_DATA
    if gold.excluded is not None and (
        gold.written is None
        or chosen.grader.reads_context
        or (gold.abstention and not chosen.grader.grades_abstention)
    ):
        return Status.EXCLUDED, gold.excluded
    if question is None:
        return Status.MISSING, NOT_ASKED
    if entry is None:
        failed = store.last_error(answers.key(question, repeat)) is not None
        return (Status.ERROR, NO_ANSWER) if failed else (Status.MISSING, NOT_ASKED)
    return None


def _sampled(sheet: _Sheet, sample: Sample) -> _Sheet:
    """Return the sheet with the sample's questions alone."""
    cohort = sheet.header.cohort
    drawn = sample.of(cohort.ids)
    rest = [question_id for question_id in cohort.ids if question_id not in drawn]
    header = replace(sheet.header, cohort=cohort.without(rest, NOT_SAMPLED))
    answered = {place: each for place, each in sheet.answered.items() if place[0] in drawn}
    return replace(sheet, header=header, answered=answered)


def _written(
    request: GradingRequest,
    judge: Judge | None,
    sheets: Sequence[_Sheet],
    store: AnswerStore,
    out: Path,
    force: bool,
    given: Mapping[str, Any],
) -> list[tuple[Grades, FolderState]]:
    """Write the grades of each sheet that are not there yet, or are there and incomplete: an answer
    may have come since, and complete ones cannot change, since an answer is never replaced."""
    works = [_work(sheet, request.grader, judge) for sheet in sheets]
    folders = [
        open_output(out / str(sheet.answers.point), GRADES_SCHEMA, work, TABLES, force=force)
        for sheet, work in zip(sheets, works, strict=True)
    ]
    finished = [
        Grades.open(folder.path) if folder.state is FolderState.FINISHED else None
        for folder in folders
    ]
    pending = [
        sheet
        for sheet, grades in zip(sheets, finished, strict=True)
        if grades is None or not grades.counts.complete
    ]
    outcomes = _outcomes(request, judge, pending, store)
    done = []
    for sheet, work, folder, grades in zip(sheets, works, folders, finished, strict=True):
        if grades is not None and grades.counts.complete:
            done.append((grades, FolderState.FINISHED))
            continue
        if grades is not None:
            folder = open_output(folder.path, GRADES_SCHEMA, work, TABLES, force=True)
        _write(sheet, request, judge, outcomes, folder, given)
        done.append((Grades.open(folder.path), folder.state))
    return done


def _work(sheet: _Sheet, chosen: ChosenGrader, judge: Judge | None) -> dict[str, Any]:
    return {
        **sheet.header.work(),
        "answers": sheet.answers.identity,
        "gold_sha256": sheet.gold.reference.sha256,
        "grader": chosen.identity,
        "judge": None if judge is None else judge.reader.identity,
        "templates_sha256": None if judge is None else judge.templates.sha256,
    }


def _outcomes(
    request: GradingRequest, judge: Judge | None, sheets: Sequence[_Sheet], store: AnswerStore
) -> Mapping[Answered, bool | None]:
    """Grade every distinct answer; None where the judge failed."""
    answered = _distinct(sheets)
    if judge is not None:
        sealed = any(sheet.sealed for sheet in sheets)
        return judgments(
            judge, answered, store, sealed=sealed, limits=request.limits, quiet=request.quiet
        )
    grader = request.grader.grader
    if not isinstance(grader, Grader):
        raise UsageError(f"the grader {grader.name} asks a reader", "Name it: --judge READER.")
    return {each: grader.right(each, request.grader.values) for each in answered}


def _write(
    sheet: _Sheet,
    request: GradingRequest,
    judge: Judge | None,
    outcomes: Mapping[Answered, bool | None],
    folder: Any,
    given: Mapping[str, Any],
) -> None:
    answers, path = sheet.answers, sheet.answers.path
    if path is None:
        raise ValueError("the set was not read from a store")
    source = sha256_of_file(path)
    named = request.grader.identity if judge is None else judge.model
    grades, right = [], []
    for place in sheet.places:
        each = sheet.answered.get(place)
        correct = None if each is None else outcomes[each]
        why = sheet.ungraded.get(place)
        if why is None and correct is None:
            why = Status.ERROR, NO_JUDGMENT
        grades.append(_grade(sheet, place, why, source, named))
        if why is None and correct is not None:
            right.append(Outcome(*place, correct))
    write_grades(
        folder,
        sheet.header,
        grades,
        right,
        left_out=_left_out(answers, sheet.header.cohort),
        sources=[
            GradeSource(
                path.as_posix(),
                source,
                path.stat().st_size,
                len(answers.questions),
                tuple(range(1, answers.repeats + 1)),
            )
        ],
        reader=str(answers.reader_about["model"]),
        judges=(named,),
        dataset=sheet.gold.reference,
        graded=GradedAnswers(
            answers=answers.identity,
            reader=answers.reader,
            grader=request.grader.identity,
            judge=None if judge is None else judge.reader.identity,
            templates_sha256=None if judge is None else judge.templates.sha256,
        ),
        arguments={"verb": "grade", "given": dict(given), "resolved": folder.work},
    )


def _grade(
    sheet: _Sheet, place: Place, why: tuple[Status, str] | None, source: str, judge: str
) -> Grade:
    question_id, repeat = place
    row, question = sheet.rows.get(question_id, NOT_IN_SET)
    entry = sheet.entries.get(place)
    status, reason = (Status.GRADED, None) if why is None else why
    if question is None:
        return Grade(question_id, repeat, status, reason)
    reported = None if entry is None else entry.usage.input
    prompt_tokens = reported or question.prompt_tokens_estimated
    tokens_source = None if prompt_tokens is None else API if reported else ESTIMATED
    return Grade(
        question_id=question_id,
        pass_number=repeat,
        status=status,
        reason=reason,
        source_sha256=source,
        row=row,
        reader=str(sheet.answers.reader_about["model"]),
        judge=judge,
        prompt_tokens=prompt_tokens,
        completion_tokens=None if entry is None else entry.usage.output,
        tokens_source=tokens_source,
        context_tokens=question.context_tokens,
        context_sha256=question.context_sha256,
        answer_sha256=_answer_sha256(entry),
    )


def _answer_sha256(entry: AnswerEntry | None) -> str | None:
    return None if entry is None or entry.answer is None else sha256_of_text(entry.answer)


def _left_out(answers: AnswerSet, cohort: Cohort) -> dict[str, int]:
    """Count the questions of the set that are not of the cohort, by reason."""
    counts: dict[str, int] = {}
    for question in answers.questions:
        reason = cohort.left_out.get(question.question_id)
        if reason is not None:
            counts[reason] = counts.get(reason, 0) + 1
    return counts
