"""`harness grades audit`: a blinded file for people, and how far they agree."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from harness.cli.main import run

from ..make.answered import Answered, grade, right
from ..make.project import DEV_IDS
from ..make.trial import ONE, TWO

A, B, C, D = DEV_IDS


@pytest.fixture
def graded(answered: Answered) -> Answered:
    """Of two points: one is wrong about two questions, two about none; a third answer is shared."""
    answered.store(ONE, "dev", right(DEV_IDS, A, B))
    answered.store(TWO, "dev", right(DEV_IDS))
    assert grade("--grader", "contains") == 0
    return answered


def audit(*options: str) -> int:
    return run(["grades", "audit", f"graded/{ONE}", f"graded/{TWO}", *options])


def rows_of(path: str = "audit.csv") -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def label(says: Callable[[Mapping[str, str]], str], path: str = "audit.csv") -> None:
    """Write what people say of each row."""
    rows = [{**row, "right": says(row)} for row in rows_of(path)]
    with Path(path).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def test_people_see_question_gold_answer_and_response_alone(graded: Answered) -> None:
    assert audit("--write", "audit.csv") == 0
    rows = rows_of()
    assert list(rows[0]) == ["id", "question", "gold_answer", "response", "right"]
    # four right answers, which both points share where both are right, and two wrong ones
    assert sorted((row["gold_answer"], row["response"]) for row in rows) == sorted(
        [(name, f"You are {name}.") for name in DEV_IDS]
        + [(name, "I cannot say.") for name in (A, B)]
    )
    text = Path("audit.csv").read_text("utf-8")
    for hidden in ("count-curve", "contains", "a-reader", "true", "false", "dev"):
        assert hidden not in text
    assert {row["right"] for row in rows} == {""}


def test_the_order_and_the_sample_are_seeded(graded: Answered) -> None:
    assert audit("--write", "audit.csv") == 0
    assert audit("--write", "again.csv") == 0
    assert Path("again.csv").read_bytes() == Path("audit.csv").read_bytes()
    assert audit("--write", "other.csv", "--seed", "1") == 0
    ids = [[row["id"] for row in rows_of(name)] for name in ("audit.csv", "other.csv")]
    assert ids[0] != ids[1]
    assert sorted(ids[0]) == sorted(ids[1])
    assert audit("--write", "small.csv", "--sample", "2") == 0
    assert len({row["gold_answer"] for row in rows_of("small.csv")}) == 2


def test_agreement_with_people(graded: Answered, capsys: pytest.CaptureFixture[str]) -> None:
    """People find one right answer wrong, and leave one question without a word."""
    assert audit("--write", "audit.csv") == 0
    words = {A: "no", B: "YES ", C: "yes", D: ""}
    label(lambda row: "no" if "cannot" in row["response"] else words[row["gold_answer"]])
    capsys.readouterr()
    assert audit("--labels", "audit.csv", "--json") == 0
    one, two = json.loads(capsys.readouterr().out)
    assert (one["point"], one["first_judge"], one["second_judge"]) == (ONE, "contains/1", "people")
    # one: A and B wrong by both, C right by both. two: A right by the rule alone, B and C by both
    counts = ("compared", "both_right", "first_only", "second_only", "neither")
    assert [one[name] for name in counts] == [3, 1, 0, 0, 2]
    assert [two[name] for name in counts] == [3, 2, 1, 0, 0]
    assert (one["agreement"], one["kappa"]) == (1.0, 1.0)
    assert two["agreement"] == pytest.approx(2 / 3)
    assert two["kappa"] == pytest.approx(0.0)  # p 2/3, e (3*2 + 0*1)/9
    assert (round(two["lower"], 4), round(two["upper"], 4)) == (0.2077, 0.9385)


def test_the_verdict_of_each_judge(graded: Answered, capsys: pytest.CaptureFixture[str]) -> None:
    graded.project.register("plan", False, point=TWO, control=ONE)
    assert audit("--write", "audit.csv") == 0
    label(lambda row: "yes")
    capsys.readouterr()
    registration = ("--registration", "registrations/plan.json")
    assert audit("--labels", "audit.csv", *registration, "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["judge"], row["n"], row["wins"], row["losses"]) for row in rows] == [
        ("contains/1", 4, 2, 0),
        ("people", 4, 0, 0),
    ]
    assert [row["difference"] for row in rows] == [0.5, 0.0]
    assert [row["state"] for row in rows] == ["NOT MET", "NOT MET"]
    assert audit("--labels", "audit.csv", *registration) == 0
    assert "The rules by each judge" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((lambda row: "maybe"), "right is 'maybe', expected yes or no"),
        ((lambda row: ""), "no row says yes or no"),
    ],
)
def test_labels_that_cannot_be_read(
    graded: Answered,
    change: Callable[[Mapping[str, str]], str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert audit("--write", "audit.csv") == 0
    label(change)
    assert audit("--labels", "audit.csv") == 2
    assert message in capsys.readouterr().err


def test_rows_of_other_answers_are_refused(
    graded: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("audit.csv").write_text("id,right\nabc,yes\n")
    assert audit("--labels", "audit.csv") == 2
    assert "line 2: no answer has the id 'abc'" in capsys.readouterr().err
    Path("audit.csv").write_text("id,verdict\nabc,yes\n")
    assert audit("--labels", "audit.csv") == 2
    assert "has no column 'right'" in capsys.readouterr().err


def test_without_a_second_view_there_is_nothing_to_compare(
    graded: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit() == 2
    assert "--second-judge" in capsys.readouterr().err


def test_imported_grades_have_no_answers_to_show(
    graded: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = graded.project.rows(DEV_IDS, DEV_IDS)
    graded.project.grade("imported", TWO, rows, "--part", "dev")
    assert run(["grades", "audit", "grades/imported", "--write", "audit.csv"]) == 2
    assert "its answers are not at hand" in capsys.readouterr().err
