"""One question as two points answered it: both answers and verdicts, and which evidence each
context held."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError, UsageError, nearest
from harness.evidence.case_evidence import merge
from harness.grading.graded_answers import answer_text
from harness.model import Case, Range
from harness.recording.recording import Recording
from harness.trial.checks import run_rows
from harness.trial.grade import Status
from harness.trial.not_registered import shown_evidence
from harness.trial.verdict import ShownEvidence

from .flips import Side
from .subject import recording_of
from .turns import Key, evidence_turns, quoted_ranges


@dataclass(frozen=True, slots=True)
class QuotedTurn:
    """An evidence turn of the question, and how many of its characters a context quotes."""

    record_id: str
    start: int
    end: int
    text: str
    quoted: int


@dataclass(frozen=True, slots=True)
class AnsweredSide:
    """What a point made of the question. `correct` is None unless it was graded, `reason` says why
    it was not; `answer` where the harness did not ask for it; `turns` without the recording."""

    point: str
    status: str
    reason: str | None
    correct: bool | None
    answer: str | None
    reader: str | None
    judge: str | None
    context_sha256: str
    context_tokens: int | None
    prompt_tokens_api: int | None
    shown: ShownEvidence | None
    turns: tuple[QuotedTurn, ...] | None
    caveats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnsweredCase:
    """A question and both of its sides; `gold` is None without an answer text, or without the
    recording."""

    case_id: str
    question_type: str | None
    question: str
    gold: str | None
    sides: tuple[AnsweredSide, AnsweredSide]


def answered_case(
    case_id: str, first: Side, second: Side, recording: Path | None = None
) -> AnsweredCase:
    """Return a question of both sides; `recording` is where their runs' recording is looked for.

    Raises `UsageError` for a question that the grades do not have, with the nearest that they do.
    """
    known = first.grades.expected_ids
    if case_id not in known:
        raise UsageError(
            f"{first.grades.folder} has no question {case_id!r}{nearest(case_id, known)}",
            f"To see all: harness grades show {shlex.quote(str(first.grades.folder))} --cases",
        )
    cases = [_case(side, case_id, recording) for side in (first, second)]
    listed = {
        row["case_id"]: row
        for row in first.run.cases().select(["case_id", "question", "category"]).to_pylist()
    }
    if case_id not in listed:
        raise InputError(f"{first.run.folder} has no question {case_id!r}", "Name its run.")
    gold = None if cases[0] is None or cases[0].gold is None else cases[0].gold.answer
    written = None if gold is None else str(gold)
    left, right = (
        _side(side, case_id, case) for side, case in zip((first, second), cases, strict=True)
    )
    question = listed[case_id]
    return AnsweredCase(case_id, question["category"], question["question"], written, (left, right))


def _case(side: Side, case_id: str, folder: Path | None) -> Case | None:
    """Read the question from the recording; None where that is not at hand and was not named."""
    try:
        recording: Recording = recording_of(side.run, folder)
    except InputError:
        if folder is not None:
            raise
        return None
    return next(recording.cases([recording.number_of(case_id)]))


def _side(side: Side, case_id: str, case: Case | None) -> AnsweredSide:
    point, grades = side.answers.point, side.grades
    row = next(row for row in side.answers.rows if row.question_id == case_id)
    context = (run_rows(side.run, point) or {})[case_id]
    turns = None
    if case is not None:
        turns = tuple(_turns(case, quoted_ranges(side.run, [point], [case_id])[point]))
    return AnsweredSide(
        point=str(grades.point),
        status=row.status.value,
        reason=row.reason,
        correct=side.answers.correct.get(case_id),
        answer=answer_text(grades, case_id) if row.status is Status.GRADED else None,
        reader=row.reader or grades.reader,
        judge=row.judge or ", ".join(grades.judges) or None,
        context_sha256=context.context_sha256,
        context_tokens=context.context_tokens,
        prompt_tokens_api=row.prompt_tokens_api,
        shown=shown_evidence(side.run, [point])[point].get(case_id),
        turns=turns,
        caveats=side.answers.caveats,
    )


def _turns(case: Case, quoted: Mapping[Key, list[Range]]) -> Iterable[QuotedTurn]:
    texts = {record.record_id: record.text for record in case.records}
    for turn in evidence_turns(case):
        text = texts.get(turn.record_id, "")[turn.start : turn.end]
        overlaps = [
            max(0, min(end, turn.end) - max(start, turn.start))
            for start, end in merge(quoted.get(turn.key, []))
        ]
        yield QuotedTurn(turn.record_id, turn.start, turn.end, text, sum(overlaps))
