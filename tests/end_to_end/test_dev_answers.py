"""The committed report of 40 dev questions is of the grades that are committed with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.datasets.split import Part, read_split
from harness.trial.grades import Grades

from ..show.test_report import table_under

POINTS = ("2.6.5a1(budget=2800)", "count-curve(k=4)")


@pytest.fixture
def folder(checkout: Path) -> Path:
    return checkout / "reports" / "longmemeval-s-dev-answers"


@pytest.mark.parametrize("point", POINTS)
def test_the_figures_are_those_of_the_grades(folder: Path, point: str) -> None:
    grades = Grades.open(folder / "grades" / point)
    right = sum(outcome.correct for outcome in grades.outcomes())
    row = table_under((folder / "report/README.md").read_text("utf-8"), "## Answers")[point]
    assert row["graded"] == f"{grades.counts.graded} of {grades.counts.expected}"
    assert row["right"] == str(right)
    assert row["accuracy (%)"].startswith(f"{100 * right / grades.counts.graded:.2f} (")
    tokens = [grade.prompt_tokens_api for grade in grades.rows() if grade.status.value == "graded"]
    mean = sum(count or 0 for count in tokens) / len(tokens)
    assert row["prompt tokens (API)"] == f"{mean:,.1f}"


@pytest.mark.parametrize("point", POINTS)
def test_no_question_is_a_test_question(checkout: Path, folder: Path, point: str) -> None:
    split = read_split(checkout / "datasets/splits/longmemeval-s.json")
    ids = Grades.open(folder / "grades" / point).expected_ids
    assert len(ids) == 40
    assert {split.part_of(question_id) for question_id in ids} == {Part.DEV}
    assert ids == read_split(folder / "split.json").dev_ids


def test_the_first_line_says_how_small_the_reader_is(folder: Path) -> None:
    first = (folder / "README.md").read_text("utf-8").split("\n", 1)[0]
    assert "135 million parameters" in first
