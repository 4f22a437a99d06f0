"""`harness answers flips` and `harness answers show`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.trial.grades import Grades

from ..make.answered import Answered, grade, make_answered, right
from ..make.project import DEV_IDS, TEST_IDS
from ..make.trial import ONE, TWO

FIRST, SECOND, THIRD, FOURTH = DEV_IDS


@pytest.fixture
def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answered:
    """One item: the first two questions wrong; two items, with all evidence: the last one wrong."""
    monkeypatch.chdir(tmp_path)
    made = make_answered(tmp_path)
    made.store(ONE, "dev", right(DEV_IDS, FIRST, SECOND))
    made.store(TWO, "dev", right(DEV_IDS, FOURTH))
    assert grade("--grader", "contains") == 0
    return made


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert run(["answers", *arguments]) == code
    output = capsys.readouterr()
    return output.err if code else output.out


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(printed(capsys, *arguments, "--json"))
    return found


@pytest.mark.usefixtures("answered")
def test_points_and_folders_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    by_point = rows(capsys, "flips", ONE, "count-curve( k=2 )", "--grades", "graded")
    assert by_point == rows(capsys, "flips", f"graded/{ONE}", f"graded/{TWO}")
    assert [(row["question_id"], row["right"], row["explanation"]) for row in by_point] == [
        (FIRST, "B", "evidence gained"),
        (SECOND, "B", "evidence gained"),
        (FOURTH, "A", "against the evidence"),
    ]
    assert [by_point[0][f"{side}_evidence_turns_touched"] for side in ("first", "second")] == [0, 1]
    assert list(by_point[0]) == KEYS
    (header, *_) = csv.reader(
        io.StringIO(printed(capsys, "flips", ONE, TWO, "--grades", "graded", "--csv"))
    )
    assert header == KEYS


KEYS = [
    *("question_id", "question_type", "right", "explanation", "contexts"),
    *(
        f"{side}_{key}"
        for side in ("first", "second")
        for key in (
            *("answer_sessions_shown", "answer_sessions"),
            *("evidence_turns_touched", "evidence_turns"),
            *("context_tokens", "context_sha256"),
        )
    ),
    "caveats",
]


@pytest.mark.usefixtures("answered")
def test_counts_have_every_compared_question(capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(capsys, "flips", ONE, TWO, "--grades", "graded", "--counts")
    assert list(found[0]) == [
        *("contexts", "compared", "first_only", "second_only", "both_right", "neither")
    ]
    by_contexts = {row["contexts"]: list(row.values())[1:] for row in found}
    assert by_contexts["B shows more evidence"] == by_contexts["all"] == [4, 1, 2, 1, 0]
    assert by_contexts["the same context"] == [0, 0, 0, 0, 0]


@pytest.mark.usefixtures("answered")
def test_the_text_has_counts_and_flips(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "flips", ONE, TWO, "--grades", "graded")
    assert f"A  {ONE}  (graded/{ONE})" in text
    assert "B shows more evidence" in text
    assert "0, 1 of 1" in text


@pytest.mark.usefixtures("answered")
def test_a_case_is_shown_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "show", FIRST, ONE, TWO, "--grades", "graded")
    assert f"question  Who am I?\ngold      {FIRST}\n" in text
    line = next(line for line in text.split("\n") if line.startswith("verdict"))
    assert line.split() == ["verdict", "wrong", "right"]
    line = next(line for line in text.split("\n") if line.startswith("answer "))
    assert "I cannot say." in line
    assert f"You are {FIRST}." in line
    one, two = rows(capsys, "show", FIRST, ONE, TWO, "--grades", "graded")
    assert (one["correct"], two["correct"]) == (False, True)
    assert (one["answer"], two["answer"]) == ("I cannot say.", f"You are {FIRST}.")
    assert one["prompt_tokens_api"] == 900
    # the evidence is the seven characters "I am q0" of the record's second item
    assert [turn["quoted_characters"] for turn in one["turns"]] == [0]
    assert [turn["quoted_characters"] for turn in two["turns"]] == [7]
    assert two["turns"][0]["text"] == f"I am {FIRST}"[:7]


def test_a_question_that_failed_on_one_side(
    answered: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    answered.store("items", "dev", {**right(DEV_IDS), FIRST: None})
    assert grade("--grader", "contains") == 0
    _, items = rows(capsys, "show", FIRST, ONE, "items", "--grades", "graded")
    assert (items["status"], items["correct"], items["answer"]) == ("error", None, None)
    text = printed(capsys, "show", FIRST, ONE, "items", "--grades", "graded")
    assert "error (the reader failed)" in text


@pytest.mark.usefixtures("answered")
def test_what_is_not_there_suggests(capsys: pytest.CaptureFixture[str]) -> None:
    error = printed(capsys, "show", "q2", ONE, TWO, "--grades", "graded", code=2)
    assert "has no question 'q2'; did you mean 'q02'?" in error
    error = printed(capsys, "flips", ONE, "count-curve(k=3)", "--grades", "graded", code=2)
    assert "graded has no grades of count-curve(k=3); did you mean" in error
    error = printed(capsys, "flips", ONE, TWO, code=2)
    assert "Name a folder, or a point together with --grades DIR." in error


def test_imported_grades_need_the_run(
    answered: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    project = answered.project
    project.grade("old", ONE, project.rows([FIRST], DEV_IDS), "--part", "dev")
    error = printed(capsys, "flips", "grades/old", f"graded/{TWO}", code=2)
    assert "Name it with --run RUN." in error
    found = rows(capsys, "flips", "grades/old", f"graded/{TWO}", "--run", "run")
    assert {row["explanation"] for row in found} == {"not known"}
    assert any("do not say which context" in caveat for caveat in found[0]["caveats"])
    assert "A was judged by nobody known, B by contains/1" in found[0]["caveats"]


def test_sealed_sides_show_nothing(
    answered: Answered, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = answered.project
    for name, point in (("new", TWO), ("old", ONE)):
        project.grade(name, point, project.rows(TEST_IDS), "--exploratory")
    monkeypatch.setattr(Grades, "exploratory", False)  # as if they were of a registration
    sides = ("grades/new", "grades/old", "--run", "run")
    assert rows(capsys, "flips", *sides) == []
    counts = rows(capsys, "flips", *sides, "--counts")
    assert {value for row in counts for value in list(row.values())[1:]} == {0}
    assert "sealed" in printed(capsys, "show", TEST_IDS[0], *sides, code=2)
