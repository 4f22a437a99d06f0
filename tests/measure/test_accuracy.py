"""Accuracy at graded points, against numbers computed by hand."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest

from harness.measure.accuracy import Accuracy, accuracies
from harness.measure.answers import read_answers
from harness.measure.subject import every_question
from harness.replay.run import Run
from harness.trial.caveats import EXPLORATORY

from ..make.answered import Answered, grade, make_answered, right
from ..make.project import DEV_IDS, TEST_IDS
from ..make.trial import ONE, TWO

FIRST, SECOND, THIRD, FOURTH = DEV_IDS
Z = 1.959963984540054


@pytest.fixture
def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answered:
    monkeypatch.chdir(tmp_path)
    return make_answered(tmp_path)


def found(run: Run, *folders: str, among: tuple[str, ...] = ()) -> tuple[Accuracy, ...]:
    subject = every_question(run)
    cohort = subject.cohort(run.points)
    graded = read_answers([Path(folder) for folder in folders], subject)
    return accuracies(graded, cohort.among(among) if among else cohort)


def test_right_wrong_failed_and_not_asked(answered: Answered) -> None:
    """Of four questions one is wrong, one failed and one was not asked: 1 right of 2, at 900
    reported tokens each."""
    responses = {**right((FIRST, SECOND), SECOND), THIRD: None}
    answered.store(TWO, "dev", responses)
    assert grade("--grader", "contains") == 0
    (row,) = found(answered.run, f"graded/{TWO}")
    counts = row.counts
    assert (counts.expected, row.graded, counts.error, counts.missing) == (4, 2, 1, 1)
    assert (row.correct, row.accuracy) == (1, 0.5)
    assert (row.mean_prompt_tokens_api, row.tokens_per_correct) == (900.0, 1800.0)
    assert row.interval is not None
    half = Z * sqrt(0.25 / 2 + Z**2 / 16) / (1 + Z**2 / 2)  # around one half, of two answers
    assert row.interval.lower == pytest.approx(0.5 - half, abs=1e-12)
    assert row.interval.upper == pytest.approx(0.5 + half, abs=1e-12)
    assert row.caveats == (
        "2 of 4 questions not graded: 1 missing, 1 error",
        "few: 2 graded answers",
    )
    assert row.abstention_accuracy is None


def test_the_evidence_is_that_of_the_graded_questions(answered: Answered) -> None:
    """One item shows no answer session, two show it."""
    for point in (ONE, TWO):
        answered.store(point, "dev", right((FIRST, SECOND)))
    assert grade("--grader", "contains") == 0
    one, two = found(answered.run, f"graded/{ONE}", f"graded/{TWO}")
    assert [(value.name, value.value, value.scored) for value in one.evidence] == [
        ("answer_sessions_shown", 0.0, 2),
        ("evidence_turns_touched", 0.0, 2),
    ]
    assert [value.value for value in two.evidence] == [1.0, 1.0]
    assert one.questions_sha256 == two.questions_sha256


def test_no_right_answer_and_no_reported_tokens_have_no_cost(answered: Answered) -> None:
    answered.store(ONE, "dev", right(DEV_IDS, *DEV_IDS))
    answered.store(TWO, "dev", right(DEV_IDS), tokens=None)
    assert grade("--grader", "contains") == 0
    one, two = found(answered.run, f"graded/{ONE}", f"graded/{TWO}")
    assert (one.accuracy, one.mean_prompt_tokens_api, one.tokens_per_correct) == (0.0, 900.0, None)
    assert (two.accuracy, two.mean_prompt_tokens_api, two.tokens_per_correct) == (1.0, None, None)
    assert two.mean_prompt_tokens_estimated == pytest.approx(
        sum(answered.counts(TWO)[name][1] or 0 for name in DEV_IDS) / 4
    )


def test_abstention_questions_have_an_accuracy_of_their_own(answered: Answered) -> None:
    """The last two of 20 are abstention questions; one of them is right, as are five others."""
    project = answered.project
    rows = project.rows([*TEST_IDS[:5], TEST_IDS[-1]])
    project.grade("all", TWO, rows, "--exploratory")
    (row,) = found(answered.run, "grades/all")
    assert (row.correct, row.graded, row.accuracy) == (6, 20, 0.3)
    assert (row.abstention_correct, row.abstention_graded, row.abstention_accuracy) == (1, 2, 0.5)
    assert row.caveats == (
        EXPLORATORY,
        "for 20 of 20 questions the grades do not say which context was answered",
        "few: 20 graded answers",
    )
    (part,) = found(answered.run, "grades/all", among=TEST_IDS[:8])
    assert (part.correct, part.graded, part.counts.expected) == (5, 8, 8)
