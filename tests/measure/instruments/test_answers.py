"""Grades beside a run: sealed ones stay unread, and those of other contexts are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.datasets.split import read_split
from harness.errors import InputError, UsageError
from harness.measure.answers import read_answers
from harness.measure.measured import measured_accuracy
from harness.measure.subject import MeasuredRun, subject_of
from harness.points import parse_point
from harness.replay.run import Run
from harness.trial.grades import Grades

from ...make.splits import LONG_DEV, long_grades, long_split


def test_grades_of_test_questions_are_not_read(
    subject: MeasuredRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grades = long_grades(tmp_path, "items", LONG_DEV, part="all")

    def read(self: Grades) -> None:
        raise AssertionError("an outcome was read")

    monkeypatch.setattr(Grades, "outcomes", read)
    monkeypatch.setattr(Grades, "exploratory", False)  # as if they were of a registration
    graded = read_answers([grades.folder], subject)
    assert (graded.answers, graded.sealed) == ((), (parse_point("items"),))
    with pytest.raises(UsageError, match=r"items, which every .* has sealed grades alone"):
        measured_accuracy(
            subject, subject.run.points, graded, parse_point("items"), "context_tokens"
        )


def test_grades_that_do_not_fit_the_run(run: Run, tmp_path: Path) -> None:
    dev = subject_of(run, read_split(long_split(tmp_path)), "dev")
    other = long_grades(tmp_path, "whole(budget=2800)", LONG_DEV)
    with pytest.raises(UsageError, match=r"whole\(budget=2800\), which the run .* does not have"):
        read_answers([other.folder], dev)
    elsewhere = long_grades(tmp_path, "items", LONG_DEV, context_sha256="0" * 64)
    with pytest.raises(InputError, match=r"4 faults\n.*'question 1' was answered from another"):
        read_answers([elsewhere.folder], dev)


def test_unknown_contexts_are_counted(run: Run, tmp_path: Path) -> None:
    dev = subject_of(run, read_split(long_split(tmp_path)), "dev")
    grades = long_grades(tmp_path, "items", ["question 4"])
    (answers,) = read_answers([grades.folder], dev).answers
    assert len(answers.correct) == 4
    assert answers.caveats == (
        "for 4 of 4 questions the grades do not say which context was answered",
    )
    assert answers.wrong == {"question 1", "question 3", "question 6"}
