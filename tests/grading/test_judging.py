"""`harness grade` by a judge: what it is shown, how often, and what becomes of its replies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.trial.grade import Status
from harness.trial.grades import Grades

from ..make.answered import Answered, judged, prompts_of, right, write_judge
from ..make.project import DEV_IDS
from ..make.trial import ONE, TWO

A, B, C, D = DEV_IDS


def graded(point: str = TWO, out: str = "graded") -> Grades:
    return Grades.open(Path(out) / point)


def outcomes(grades: Grades) -> dict[str, bool]:
    return {outcome.question_id: outcome.correct for outcome in grades.outcomes()}


def test_yes_is_right_and_no_is_wrong(answered: Answered) -> None:
    answered.store(TWO, "dev", right(DEV_IDS, B))
    write_judge("one")
    assert judged("one") == 0
    grades = graded()
    assert outcomes(grades) == {name: name != B for name in DEV_IDS}
    assert grades.judges == ("one-model",)
    made = grades.content.graded
    assert made is not None
    assert made.grader == "judge/1"
    assert None not in (made.judge, made.templates_sha256)


def test_the_judge_is_shown_question_gold_answer_and_response(answered: Answered) -> None:
    answered.store(TWO, "dev", right(DEV_IDS, B))
    write_judge("one")
    assert judged("one") == 0
    assert sorted(prompts_of("one")) == sorted(
        f"Who am I?|{name}|{'I cannot say.' if name == B else f'You are {name}.'}"
        for name in DEV_IDS
    )


def test_equal_answers_are_judged_once_and_points_are_asked_in_one_shuffled_order(
    answered: Answered,
) -> None:
    answered.store(ONE, "dev", right(DEV_IDS, A, B))
    answered.store(TWO, "dev", right(DEV_IDS))
    write_judge("one")
    assert judged("one") == 0
    prompts = prompts_of("one")
    assert len(prompts) == len(set(prompts)) == 6  # four right answers, two of them at both points
    assert outcomes(graded(ONE)) == {name: name not in (A, B) for name in DEV_IDS}
    # judged again, into another folder or with answers that came since: nothing is asked twice
    answered.store(TWO, "dev", right(DEV_IDS), right(DEV_IDS, C))
    sets = [
        str(path) for path in Path("answers/sets").glob("*") if '"repeats": 2' in path.read_text()
    ]
    command = ["grade", *sets, "--recording", "recording", "--grader", "judge", "--out", "again"]
    asked = ["--judge", "judges/one.toml", "--template", "judges/template.txt", "-q"]
    assert run([*command, *asked]) == 0
    assert len(prompts_of("one")) == 7
    assert graded(out="again").passes == (1, 2)


def test_a_reply_that_is_neither_is_an_error_and_asked_again(answered: Answered) -> None:
    answered.store(TWO, "dev", right(DEV_IDS))
    write_judge("one", f'{{"answer": "perhaps" if gold == "{A}" else "Yes."}}')
    assert judged("one") == 0
    rows = {row.question_id: (row.status, row.reason) for row in graded().rows()}
    assert rows[A] == (Status.ERROR, "the judge failed")
    assert outcomes(graded()) == dict.fromkeys((B, C, D), True)
    assert not graded().counts.complete
    # the same command asks for that one alone; the program has learned a word
    write_judge("one", '{"answer": "no"}')
    before = len(prompts_of("one"))
    assert judged("one") == 0
    assert prompts_of("one")[before:] == [f"Who am I?|{A}|You are {A}."]
    assert outcomes(graded()) == {A: False, B: True, C: True, D: True}


def test_a_judge_that_fails_on_everything_stops(
    answered: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    answered.store(TWO, "dev", right(DEV_IDS))
    write_judge("one", '{"error": "out of paper"}', "stop_after = 2\n")
    assert judged("one") == 2
    assert "out of paper" in capsys.readouterr().err
    assert not Path("graded").exists()


def test_a_dry_run_says_what_judging_would_take(
    answered: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    answered.store(ONE, "dev", right(DEV_IDS, A, B))
    answered.store(TWO, "dev", right(DEV_IDS))
    price = "[parameters]\nmax_tokens = 5\n[price]\ninput = 1\noutput = 2\n"
    write_judge("one", more=price)
    write_judge("two")
    asked = ["--judge", "judges/one.toml", "--template", "judges/template.txt"]
    command = ["grade", "answers", "--recording", "recording", "--grader", "judge", *asked]
    second = ["--second-judge", "judges/two.toml", "--sample", "1"]
    assert run([*command, *second, "--dry-run", "--json"]) == 0
    one, two = json.loads(capsys.readouterr().out)
    assert (one["judge"], one["prompts"], one["in_store"], one["calls"]) == ("one-model", 6, 0, 6)
    assert one["output_tokens"] == 30
    assert one["cost"] == pytest.approx((one["prompt_tokens"] + 2 * 30) / 1e6)
    assert (two["judge"], two["cost"]) == ("two-model", None)
    assert two["prompts"] in (1, 2)  # a question that one point alone answers right has two answers
    assert prompts_of("one") == []
    assert judged("one") == 0
    capsys.readouterr()
    assert run([*command, "--dry-run", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["in_store"], one["calls"], one["prompt_tokens"], one["cost"]) == (6, 0, 0, 0)
    assert (
        run(["grade", "answers", "--recording", "recording", "--grader", "exact", "--dry-run"]) == 2
    )
    assert "a rule costs nothing" in capsys.readouterr().err
    assert run(command) == 2
    assert "Missing option '--out'" in capsys.readouterr().err


def test_limits_of_calls(answered: Answered, capsys: pytest.CaptureFixture[str]) -> None:
    answered.store(TWO, "dev", right(DEV_IDS))
    write_judge("one")
    assert judged("one", "--max-calls", "3") == 2
    assert len(prompts_of("one")) == 3
    assert judged("one", "--max-calls", "4") == 0
    assert len(prompts_of("one")) == 4


def test_abstention_questions_are_judged(answered: Answered) -> None:
    """Their template says what a right answer is; rules leave them out."""
    assert "q22_abs" not in DEV_IDS
    registration = "registrations/made.json"
    answered.project.register("made", True, point=TWO, control=ONE, head="# made")
    ids = answered.run.cohort.ids
    answered.store(TWO, "test", right(ids), registration=registration)
    write_judge("one")
    assert judged("one") == 0
    rows = {row.question_id: row.status for row in graded().rows()}
    assert rows["q22_abs"] is Status.GRADED
    command = ["grade", "answers", "--recording", "recording", "--grader", "exact", "-q"]
    assert run([*command, "--out", "by-rule"]) == 0
    rows = {row.question_id: row.status for row in graded(out="by-rule").rows()}
    assert rows["q22_abs"] is Status.EXCLUDED


def test_another_text_is_another_judge(
    answered: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    answered.store(TWO, "dev", right(DEV_IDS))
    write_judge("one")
    assert judged("one") == 0
    first = graded().content.graded
    Path("judges/template.txt").write_text("Now: {question}|{answer}|{response}")
    assert judged("one") == 2
    assert "holds other finished work (templates_sha256" in capsys.readouterr().err
    assert judged("one", "--force") == 0
    second = graded().content.graded
    assert first is not None
    assert second is not None
    assert first.judge == second.judge
    assert first.templates_sha256 != second.templates_sha256


def test_a_second_judge_judges_a_sample(
    answered: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    answered.store(ONE, "dev", right(DEV_IDS, A, B))
    answered.store(TWO, "dev", right(DEV_IDS))
    write_judge("one")
    write_judge("two", '{"answer": "yes"}')
    second = ("--second-judge", "judges/two.toml", "--sample", "3", "--seed", "5")
    assert judged("one", *second) == 0
    sampled = {point: Grades.open(Path("graded/second-judge") / point) for point in (ONE, TWO)}
    ids = sampled[ONE].expected_ids
    assert len(ids) == 3
    assert ids == sampled[TWO].expected_ids
    assert all(outcomes(sampled[ONE]).values())
    assert len(prompts_of("one")) == 6
    assert {prompt.split("|")[1] for prompt in prompts_of("two")} == set(ids)
    capsys.readouterr()
    assert run(["grades", "audit", f"graded/{ONE}", f"graded/{TWO}", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["second_judge"], row["compared"]) for row in rows] == [("two-model", 3)] * 2
    wrong = sum(name in (A, B) for name in ids)
    assert (rows[0]["second_only"], rows[0]["both_right"]) == (wrong, 3 - wrong)
    assert (rows[1]["agreement"], rows[1]["kappa"]) == (1.0, None)
