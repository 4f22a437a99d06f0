"""The questions whose outcome differs between two points, with values known by hand.

Of the made-up project one item shows no evidence of a question, two items and more show all of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import InputError
from harness.measure.flips import (
    AnsweredContext,
    ComparedQuestion,
    Contexts,
    FlipReason,
    compared_questions,
    flips_of,
    opened_sides,
)
from harness.trial.grades import Grades
from harness.trial.verdict import ShownEvidence

from ..make.answered import Answered, grade, make_answered, right
from ..make.project import DEV_IDS, TEST_IDS
from ..make.trial import ONE, TWO

FIRST, SECOND, THIRD, FOURTH = DEV_IDS


@pytest.fixture
def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answered:
    monkeypatch.chdir(tmp_path)
    return make_answered(tmp_path)


def grades_of(point: str, root: str = "graded") -> Grades:
    return Grades.open(Path(root) / point)


def compared(first: Grades, second: Grades) -> tuple[ComparedQuestion, ...]:
    sides = opened_sides(first, second)
    assert sides is not None
    return compared_questions(*sides)


def test_evidence_on_both_sides(answered: Answered) -> None:
    """Of four questions two items win two, of which evidence explains both, and lose one."""
    answered.store(ONE, "dev", right(DEV_IDS, FIRST, SECOND))
    answered.store(TWO, "dev", right(DEV_IDS, FOURTH))
    assert grade("--grader", "contains") == 0
    questions = compared(grades_of(ONE), grades_of(TWO))
    assert [each.question_id for each in questions] == list(DEV_IDS)
    assert {each.contexts for each in questions} == {Contexts.SECOND_MORE}
    assert [(each.question_id, each.explanation) for each in flips_of(questions)] == [
        (FIRST, FlipReason.GAINED),
        (SECOND, FlipReason.GAINED),
        (FOURTH, FlipReason.AGAINST),
    ]
    one, two = questions[0].first, questions[0].second
    assert one.shown == ShownEvidence(0, 1, 0, 1)
    assert two.shown == ShownEvidence(1, 1, 1, 1)
    assert one.context_tokens == answered.counts(ONE)[FIRST][0]
    back = compared(grades_of(TWO), grades_of(ONE))
    assert [each.explanation for each in flips_of(back)] == [
        FlipReason.LOST,
        FlipReason.LOST,
        FlipReason.AGAINST,
    ]


def context(
    correct: bool, digest: str | None, turns: int | None, sessions: int = 0
) -> AnsweredContext:
    shown = None if turns is None else ShownEvidence(sessions, 2, turns, 3)
    return AnsweredContext(correct, digest, 10, shown)


@pytest.mark.parametrize(
    ("first", "second", "contexts", "explanation"),
    [
        (context(False, "a", 1), context(True, "b", 2), "SECOND_MORE", "GAINED"),
        (context(True, "a", 2), context(False, "b", 1), "FIRST_MORE", "LOST"),
        (context(False, "a", 2), context(True, "b", 1), "FIRST_MORE", "AGAINST"),
        (context(False, "a", 1, 0), context(True, "b", 1, 1), "SECOND_MORE", "GAINED"),
        (context(False, "a", 2, 0), context(True, "b", 1, 2), "FIRST_MORE", "AGAINST"),
        (context(False, "a", 1), context(True, "b", 1), "AS_MUCH", "AS_MUCH"),
        (context(False, "a", 1), context(True, "a", 1), "SAME", "SAME_CONTEXT"),
        (context(False, "a", None), context(True, "a", None), "SAME", "SAME_CONTEXT"),
        (context(False, "a", None), context(True, "b", None), "NOT_KNOWN", "NOT_KNOWN"),
        (context(False, None, 1), context(True, "b", 2), "NOT_KNOWN", "NOT_KNOWN"),
    ],
)
def test_what_explains_a_flip(
    first: AnsweredContext, second: AnsweredContext, contexts: str, explanation: str
) -> None:
    question = ComparedQuestion("q", None, first, second)
    assert question.flipped
    assert (question.contexts.name, question.explanation.name) == (contexts, explanation)


def test_explained_flips_come_first() -> None:
    questions = [
        ComparedQuestion("against", None, context(False, "a", 2), context(True, "b", 1)),
        ComparedQuestion("same", None, context(False, "a", 1), context(True, "a", 1)),
        ComparedQuestion("lost", None, context(True, "a", 2), context(False, "b", 1)),
        ComparedQuestion("no flip", None, context(True, "a", 2), context(True, "b", 1)),
        ComparedQuestion("gained", None, context(False, "a", 1), context(True, "b", 2)),
    ]
    found = [each.question_id for each in flips_of(questions)]
    assert found == ["gained", "lost", "same", "against"]


def test_questions_that_one_side_alone_graded_are_not_compared(answered: Answered) -> None:
    answered.store(ONE, "dev", {**right(DEV_IDS), FIRST: None})
    answered.store(TWO, "dev", right(DEV_IDS))
    assert grade("--grader", "contains") == 0
    questions = compared(grades_of(ONE), grades_of(TWO))
    assert [each.question_id for each in questions] == [SECOND, THIRD, FOURTH]


def test_nothing_is_read_while_a_side_is_sealed(
    answered: Answered, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = answered.project
    project.grade("new", TWO, project.rows(TEST_IDS), "--exploratory")
    project.grade("old", ONE, project.rows(TEST_IDS), "--exploratory")
    monkeypatch.setattr(Grades, "exploratory", False)  # as if they were of a registration
    monkeypatch.setattr(Grades, "outcomes", None)  # reading them would be a TypeError
    assert opened_sides(grades_of("new", "grades"), grades_of("old", "grades"), Path("run")) is None


def test_what_cannot_be_compared_opens_nothing(answered: Answered) -> None:
    project = answered.project
    project.grade("new", TWO, project.rows(TEST_IDS), "--exploratory")
    project.grade("dev", ONE, project.rows(DEV_IDS, DEV_IDS), "--part", "dev")
    with pytest.raises(InputError, match="different questions"):
        opened_sides(grades_of("new", "grades"), grades_of("dev", "grades"), Path("run"))
    assert project.openings() == []
