"""The questions whose outcome differs between two sets of grades, and what would explain each.

Evidence of two contexts is compared by evidence turns touched, then by answer sessions shown. A
flip has the first explanation that fits:

- evidence gained: B is right, and its context shows more evidence;
- evidence lost: A is right, and the context of B shows less;
- same context: both answered the same text, so the difference is noise of the reader or the judge;
- as much evidence: the contexts differ, and show the same amount of evidence;
- against the evidence: the side that is right shows less of it;
- not known: the grades do not say which context was answered, or the question has no labels.

Two points that one reader answered through one store cannot differ where their contexts are the
same: they share the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from harness.grading.graded_answers import run_of
from harness.replay.run import Run
from harness.trial.agreement import pairings
from harness.trial.by_type import types_of
from harness.trial.checks import run_rows
from harness.trial.grade import Grade
from harness.trial.grades import Grades
from harness.trial.not_registered import shown_evidence
from harness.trial.seal import looked_at, seal_of
from harness.trial.verdict import ShownEvidence

from .answers import AnswersByPoint, read_answers
from .subject import every_question


class Contexts(Enum):
    """How the contexts of a question compare; the value is what tables print, in their order."""

    FIRST_MORE = "A shows more evidence"
    SECOND_MORE = "B shows more evidence"
    AS_MUCH = "other contexts, as much evidence"
    SAME = "the same context"
    NOT_KNOWN = "not known"


class FlipReason(Enum):
    """What would explain a flip, in the order of their lists."""

    GAINED = "evidence gained"
    LOST = "evidence lost"
    SAME_CONTEXT = "same context: noise of the reader or the judge"
    AS_MUCH = "other context, as much evidence"
    AGAINST = "against the evidence"
    NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Side:
    """Open grades at a point, with the run whose contexts were answered."""

    grades: Grades
    run: Run
    answers: AnswersByPoint


@dataclass(frozen=True, slots=True)
class AnsweredContext:
    """What one side answered a question from, and whether the answer was right; None where not
    known."""

    correct: bool
    context_sha256: str | None
    context_tokens: int | None
    shown: ShownEvidence | None


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """A question that both sides graded."""

    question_id: str
    question_type: str | None
    first: AnsweredContext
    second: AnsweredContext

    @property
    def flipped(self) -> bool:
        return self.first.correct != self.second.correct

    @property
    def contexts(self) -> Contexts:
        first, second = self.first, self.second
        if first.context_sha256 is None or second.context_sha256 is None:
            return Contexts.NOT_KNOWN
        if first.context_sha256 == second.context_sha256:
            return Contexts.SAME
        if first.shown is None or second.shown is None:
            return Contexts.NOT_KNOWN
        left, right = _amount(first.shown), _amount(second.shown)
        if left == right:
            return Contexts.AS_MUCH
        return Contexts.FIRST_MORE if left > right else Contexts.SECOND_MORE

    @property
    def explanation(self) -> FlipReason:
        """What would explain the flip that the question is."""
        contexts = self.contexts
        if contexts is Contexts.FIRST_MORE:
            return FlipReason.LOST if self.first.correct else FlipReason.AGAINST
        if contexts is Contexts.SECOND_MORE:
            return FlipReason.GAINED if self.second.correct else FlipReason.AGAINST
        return _WITHOUT_A_DIFFERENCE[contexts]


_WITHOUT_A_DIFFERENCE = {
    Contexts.AS_MUCH: FlipReason.AS_MUCH,
    Contexts.SAME: FlipReason.SAME_CONTEXT,
    Contexts.NOT_KNOWN: FlipReason.NOT_KNOWN,
}


def _amount(shown: ShownEvidence) -> tuple[int, int]:
    return shown.evidence_turns_touched, shown.answer_sessions_shown


def opened_sides(
    first: Grades, second: Grades, run: Path | None = None
) -> tuple[Side, Side] | None:
    """Open two sets of grades; None, and nothing read, while either is sealed. Exploratory ones are
    opened by this, on record.

    `run` is that of both, by default where the answers say it is. Raises `InputError` where the
    grades are not of the same questions, or of other contexts than the run's.
    """
    pairings(first, second)  # what cannot be compared opens nothing
    runs = [run_of(grades, run) for grades in (first, second)]
    if any(seal_of(grades).holds and not grades.exploratory for grades in (first, second)):
        return None
    if any(looked_at(grades).holds for grades in (first, second)):
        return None
    left, right = (
        Side(grades, opened, read_answers([grades.folder], every_question(opened)).answers[0])
        for grades, opened in zip((first, second), runs, strict=True)
    )
    return left, right


def compared_questions(first: Side, second: Side) -> tuple[ComparedQuestion, ...]:
    """Return the questions that both sides graded in their first pass, in the grades' order."""
    types = types_of(first.grades) or {}
    left, right = _contexts(first), _contexts(second)
    return tuple(
        ComparedQuestion(name, types.get(name), left[name], right[name])
        for name in first.grades.expected_ids
        if name in left and name in right
    )


def flips_of(compared: Sequence[ComparedQuestion]) -> tuple[ComparedQuestion, ...]:
    """Return the questions with another outcome, those that evidence explains first."""
    order = list(FlipReason)
    flipped = [question for question in compared if question.flipped]
    return tuple(sorted(flipped, key=lambda question: order.index(question.explanation)))


def _contexts(side: Side) -> Mapping[str, AnsweredContext]:
    point = side.answers.point
    shown = shown_evidence(side.run, [point])[point]
    in_run = run_rows(side.run, point) or {}
    rows: dict[str, Grade] = {row.question_id: row for row in side.answers.rows}
    return {
        name: AnsweredContext(
            correct,
            rows[name].context_sha256,
            in_run[name].context_tokens,
            shown.get(name),
        )
        for name, correct in side.answers.correct.items()
    }
