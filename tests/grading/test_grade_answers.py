"""`harness grade` by rules: what becomes of each answer, and what the grades carry."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.main import run
from harness.grading.answer_set import AnswerSet
from harness.storage.hashing import sha256_of_text
from harness.trial.grade import Status
from harness.trial.grades import Grades

from ..make.answered import STORE, Answered, grade, make_answered, right
from ..make.project import DEV_IDS
from ..make.trial import ONE, TWO

FIRST, SECOND, THIRD, *_ = DEV_IDS


def graded(point: str = TWO, out: str = "graded") -> Grades:
    return Grades.open(Path(out) / point)


def outcomes(grades: Grades, number: int = 1) -> dict[str, bool]:
    return {
        outcome.question_id: outcome.correct
        for outcome in grades.outcomes()
        if outcome.pass_number == number
    }


def test_right_and_wrong_answers(answered: Answered) -> None:
    answered.store(TWO, "dev", right(DEV_IDS, SECOND))
    assert grade("--grader", "contains") == 0
    grades = graded()
    assert outcomes(grades) == {name: name != SECOND for name in DEV_IDS}
    assert (grades.reader, grades.judges, grades.part) == ("a-reader", ("contains/1",), "dev")
    assert grades.counts.complete


def test_every_question_carries_what_a_verdict_checks(answered: Answered) -> None:
    path = answered.store(TWO, "dev", right(DEV_IDS))
    assert grade("--grader", "contains") == 0
    answers = AnswerSet.read(path)
    contexts = {each.question_id: each for each in answers.questions}
    for row in graded().rows():
        asked = contexts[row.question_id]
        assert row.context_sha256 == asked.context_sha256
        assert row.answer_sha256 == sha256_of_text(f"You are {row.question_id}.")
        assert (row.prompt_tokens_api, row.completion_tokens) == (900, 7)
        assert row.context_tokens == asked.context_tokens
        assert (row.reader, row.judge) == ("a-reader", "contains/1")
    made = graded().content.graded
    assert made is not None
    assert (made.answers, made.reader, made.grader, made.judge) == (
        answers.identity,
        answers.reader,
        "contains/1",
        None,
    )


def test_tokens_that_the_api_did_not_report_are_estimates(answered: Answered) -> None:
    answered.store(TWO, "dev", right(DEV_IDS), tokens=None)
    assert grade("--grader", "contains") == 0
    for row in graded().rows():
        assert row.prompt_tokens_api is None
        assert row.prompt_tokens_estimated is not None


def test_what_failed_or_is_missing_is_never_wrong(answered: Answered) -> None:
    answered.store(TWO, "dev", {**right(DEV_IDS[1:]), SECOND: None})
    assert grade("--grader", "contains") == 0
    rows = {row.question_id: (row.status, row.reason) for row in graded().rows()}
    assert rows[FIRST] == (Status.MISSING, "not answered")
    assert rows[SECOND] == (Status.ERROR, "the reader failed")
    assert sorted(outcomes(graded())) == sorted(set(DEV_IDS) - {FIRST, SECOND})
    assert not graded().counts.complete


def test_a_question_without_a_gold_answer_is_excluded_by_every_grader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = make_answered(tmp_path, without_gold_answer=[FIRST])
    made.store(TWO, "dev", right(DEV_IDS))
    for grader in ("contains", "answer-in-context"):
        assert grade("--grader", grader, out=grader) == 0
        row = next(row for row in graded(out=grader).rows() if row.question_id == FIRST)
        assert (row.status, row.reason) == (Status.EXCLUDED, "no-answer-in-evidence")
        assert FIRST not in outcomes(graded(out=grader))


def test_answers_that_came_since_are_graded_by_the_same_command(
    answered: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    answered.store(TWO, "dev", right(DEV_IDS[1:]))
    assert grade("--grader", "contains") == 0
    answered.store(TWO, "dev", right(DEV_IDS))
    assert grade("--grader", "contains") == 0
    assert graded().counts.complete
    before = graded().sha256
    assert grade("--grader", "contains") == 0
    assert graded().sha256 == before
    # another grader is other work
    assert grade("--grader", "exact") == 2
    assert "holds other finished work (grader" in capsys.readouterr().err
    assert grade("--grader", "exact", "--force") == 0
    assert graded().judges == ("exact/1",)


def test_repeats_are_passes(answered: Answered) -> None:
    answered.store(TWO, "dev", right(DEV_IDS, FIRST), right(DEV_IDS, SECOND))
    assert grade("--grader", "contains") == 0
    assert graded().passes == (1, 2)
    assert outcomes(graded(), 1) == {name: name != FIRST for name in DEV_IDS}
    assert outcomes(graded(), 2) == {name: name != SECOND for name in DEV_IDS}


def test_each_point_has_its_folder(answered: Answered) -> None:
    answered.store(ONE, "dev", right(DEV_IDS, *DEV_IDS))
    answered.store(TWO, "dev", right(DEV_IDS))
    assert grade("--grader", "contains") == 0
    assert sorted(each.name for each in Path("graded").iterdir()) == [ONE, TWO]
    assert grade("--grader", "contains", "--point", TWO, out="other") == 0
    assert [each.name for each in Path("other").iterdir()] == [TWO]


def test_settings_of_a_grader_are_part_of_what_judged(answered: Answered) -> None:
    answered.store(TWO, "dev", right(DEV_IDS))
    # one of three tokens is the answer: P 1/3, R 1, F1 1/2
    assert grade("--grader", "token-f1(threshold=0.5)") == 0
    assert all(outcomes(graded()).values())
    assert graded().judges == ("token-f1/1(threshold=0.5)",)
    assert grade("--grader", "token-f1(threshold=0.51)", "--force") == 0
    assert not any(outcomes(graded()).values())


def test_answer_in_context_is_the_stand_in(answered: Answered) -> None:
    """With no word of the answer, as `harness grades answer-in-context` grades the same contexts:
    one item does not hold it, two do."""
    for point in (ONE, TWO):
        answered.store(point, "dev", right(DEV_IDS, *DEV_IDS))
    assert grade("--grader", "answer-in-context") == 0
    assert not any(outcomes(graded(ONE)).values())
    assert all(outcomes(graded(TWO)).values())
    assert graded(TWO).judges == ("answer-in-context/1",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--grader", "contians"), "no grader 'contians'; did you mean 'contains'?"),
        (("--grader", "judge"), "Name it: --judge READER."),
        (("--grader", "exact", "--judge", "x"), "--judge is for a grader that asks a reader"),
        (("--grader", "exact", "--point", ONE), f"has no answers of {ONE}"),
        (("--grader", "exact", "--part", "test"), "has no answers of these options"),
        (("--grader", "exact", "--max-cost", "much"), "is not an amount, such as 2.50"),
        (("--grader", "exact", "--data", "split.json"), "both say what the gold answers are"),
    ],
)
def test_what_cannot_be_graded(
    answered: Answered,
    options: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answered.store(TWO, "dev", right(DEV_IDS))
    assert grade(*options) == 2
    assert message in capsys.readouterr().err
    assert not Path("graded").exists()


def test_two_sets_of_one_point_are_told_apart(
    answered: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    path = answered.store(TWO, "dev", right(DEV_IDS))
    answered.store(TWO, "test", {})
    assert grade("--grader", "contains") == 2
    assert "has several sets of answers of count-curve(k=2)" in capsys.readouterr().err
    assert grade("--grader", "contains", answers=[str(path)]) == 0
    assert graded().passes == (1,)


def test_of_two_sets_that_ask_alike_the_one_with_more_repeats_is_graded(answered: Answered) -> None:
    fewer = answered.store(TWO, "dev", right(DEV_IDS))
    answered.store(TWO, "dev", right(DEV_IDS), right(DEV_IDS))
    assert grade("--grader", "contains") == 0
    assert graded().passes == (1, 2)
    assert grade("--grader", "contains", answers=[str(fewer)], out="fewer") == 0
    assert graded(out="fewer").passes == (1,)


def test_gold_answers_of_another_recording_are_refused(
    answered: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    answered.store(TWO, "dev", right(DEV_IDS))
    assert run(["export", "cases", "recording", "--case", FIRST, "--out", "c.jsonl", "-q"]) == 0
    assert run(["import", "cases", "c.jsonl", "--out", "other", "-q"]) == 0
    command = ["grade", str(STORE), "--grader", "exact", "--recording", "other", "--out", "g"]
    assert run(command) == 2
    assert "the run was made from" in capsys.readouterr().err
