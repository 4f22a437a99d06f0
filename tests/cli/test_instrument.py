"""`harness instrument`, on runs small enough to compute by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.trial.grades import Grades

from ..make.recordings import labelled_run, small_run
from ..make.splits import LONG_DEV, LONG_IDS, long_grades, long_split

MOVES = """\
What moved where, from items

point             from    to                  evidence turns
----------------  ------  ----------------  ----------------
count-curve(k=1)  quoted  no passage taken                 2

3 evidence turns of 2 of 3 questions, in the window or not.
Definitions: docs/instruments.md.
"""


@pytest.fixture(scope="module")
def folder() -> Path:
    return small_run()


@pytest.fixture(scope="module")
def long_run() -> Path:
    return labelled_run().folder


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(["instrument", *arguments]) == 0
    return capsys.readouterr().out


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(printed(capsys, *arguments, "--json"))
    return found


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(["instrument", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    return output.err


def test_losses_of_three_small_questions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["loss", str(folder), "-p", "count-curve(k=1)", "--against", "items"]
    table, further = printed(capsys, *arguments).split("\n\n", 1)
    row = table.splitlines()[-1].split("  ")
    assert [cell.strip() for cell in row if cell] == [
        "count-curve(k=1)",
        "3",
        "1 (33.3 %)",
        "0 (0.0 %)",
        "2 (66.7 %)",
        "0 (0.0 %)",
        "0 (0.0 %)",
        "0.0",
    ]
    assert further == MOVES


def test_loss_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["loss", str(folder), "-p", "count-curve(k=1)", "--against", "items"]
    (row,) = rows(capsys, *arguments)
    assert row["evidence_turns"] == 3
    assert (row["quoted"], row["no_passage_taken"]) == (1, 2)
    assert row["no_passage_taken_share"] == pytest.approx(2 / 3)
    assert row["outside_the_quote"] == row["cut_off"] == row["session_not_in_the_window"] == 0
    assert row["against"] == "items"
    assert row["moved"] == [{"from": "quoted", "to": "no passage taken", "turns": 2}]
    by_type = rows(capsys, *arguments[:4], "--by", "category")
    assert [(row["category"], row["evidence_turns"], row["quoted"]) for row in by_type] == [
        ("multi", 2, 1),
        ("single", 1, 0),
    ]


def test_evidence_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *_ = rows(capsys, "evidence", str(folder))
    assert first["point"] == "count-curve(k=1)"
    assert first["answer_sessions_shown"] == 0.25  # none of one, one of two
    assert first["first_item"] == {"1": 1, "2-10": 0, "11+": 0, "never": 1}
    assert first["shown"] == {
        "no answer session": 1,
        "a session, no turn": 0,
        "some turns": 1,
        "every turn": 0,
        "none labelled": 0,
    }
    assert (first["questions"], first["unlabelled"]) == (3, 1)
    assert first["wrong"] is first["wrong_by_shown"] is None
    table = printed(capsys, "evidence", str(folder), "-p", "count-curve(k=1)")
    assert "Questions by what their context showed" in table
    assert "Wrong answers" not in table


def test_curve_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["curves", str(folder), "--curve", "count-curve"]
    first, second = rows(capsys, *arguments)
    assert (first["value"], first["difference"]) == (0.25, -0.75)
    assert (first["scored"], first["losses"]) == (2, 2)
    assert (first["holds"], first["smallest"]) == (False, False)
    assert (second["is_full"], second["difference"]) == (False, 0.0)
    assert (second["band_lower"], second["holds"], second["smallest"]) == (None, True, True)
    assert second["margin"] == "lower >= -2 points"
    text = printed(capsys, *arguments, "--metric", "answer_sessions_shown")
    sentence = next(line for line in text.splitlines() if line.startswith("count-curve: "))
    assert sentence == (
        "count-curve: the smallest point that holds −2 points is count-curve(k=2); by the band of "
        "all points it is none."
    )
    assert "† No interval is shown, since it would mislead: fewer than 10 pairs differ (2)" in text
    assert "none: 2 differ" in text
    assert "Scored: 2 of 3 questions; 1 without the labels that it needs." in text


def test_rank_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = rows(capsys, "rank", str(folder), "-p", "items")
    assert row["ranks"]["1"] == row["turns_in_quoted_records"] == 3  # whole records, one passage
    assert row["quoted_records"] == row["reproduced"] == 5
    assert (row["divided_heads"], row["explained"]) == (0, 0)
    assert row["ranking"] == "evidence(budget=2800)"


def test_the_curves_of_long_records_are_compared_at_equal_cost(
    long_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "curves", str(long_run))
    assert "\nAt equal cost, on the curve count-curve\n" in text
    assert "the band holds for all 5 points at once.\nDefinitions: docs/instruments.md.\n" in text
    found = rows(capsys, "curves", str(long_run))
    quotes = [row for row in found if row["curve"] == "quote-curve"]
    assert all(row["at_equal_cost"]["nearest"]["point"].startswith("count") for row in quotes)
    assert all(row["at_equal_cost"] is None for row in found if row["curve"] == "count-curve")


def test_the_same_figures_of_a_run_and_of_its_recording(
    long_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = str(long_run.parent / "recording")
    for verb in ("loss", "rank", "evidence"):
        point = ["-p", "quote-curve(head=320, tail=160)"]
        assert rows(capsys, verb, recording, *point) == rows(capsys, verb, str(long_run), *point)
    given = ["--curve", "count-curve", "--full", "count-curve(k=full)"]
    assert len(rows(capsys, "curves", recording, *given)) == 9


def test_csv_has_the_rows_of_json(long_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for verb in ("curves", "evidence", "loss", "rank"):
        found = rows(capsys, verb, str(long_run))
        table = list(csv.DictReader(io.StringIO(printed(capsys, verb, str(long_run), "--csv"))))
        assert [row["point"] for row in table] == [row["point"] for row in found]
        assert list(table[0]) == list(found[0])


def test_wrong_answers_and_accuracies_of_dev_questions(
    long_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grades = [
        str(long_grades(tmp_path, point, right).folder)
        for point, right in (("items", LONG_DEV), ("count-curve(k=1)", LONG_DEV[:1]))
    ]
    given = ["--split", str(long_split(tmp_path)), "--part", "dev"]
    given += [part for each in grades for part in ("--grades", each)]
    (row,) = rows(capsys, "evidence", str(long_run), "-p", "count-curve(k=1)", *given)
    assert (row["graded"], row["wrong"], row["wrong_unlabelled"]) == (4, 3, 1)
    assert sum(row["wrong_by_shown"].values()) == 2
    (point,) = rows(capsys, "curves", str(long_run), *given)
    assert (point["measure"], point["value"], point["difference"]) == ("accuracy", 0.25, -0.75)
    assert "exact percentile bootstrap" in printed(capsys, "curves", str(long_run), *given)


def test_sealed_grades_show_nothing(
    long_run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Grades, "exploratory", False)  # as if they were of a registration
    sealed = long_grades(tmp_path, "items", LONG_IDS, part="all")
    given = ["--grades", str(sealed.folder)]
    (row,) = rows(capsys, "evidence", str(long_run), "-p", "items", *given)
    assert (row["graded"], row["wrong"], row["wrong_by_shown"]) == (None, None, None)
    capsys.readouterr()
    assert run(["instrument", "evidence", str(long_run), "-p", "items", *given]) == 0
    output = capsys.readouterr()
    assert "sealed, and not read: the grades of items" in output.err
    assert "Wrong answers" not in output.out
    assert "items, which every point" in refused(capsys, "curves", str(long_run), *given)


def test_what_is_refused(folder: Path, long_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = str(folder)
    assert "has no point of quote-curve" in refused(capsys, "curves", one)
    assert "no unit" in refused(capsys, "curves", str(long_run), "--margin", "-2")
    assert "--part dev needs to know the split" in refused(capsys, "loss", one, "--part", "dev")
    assert "has no point whole(budget=2800)" in refused(
        capsys, "loss", one, "-p", "whole(budget=2800)"
    )
    assert "items has no order of passages" in refused(capsys, "rank", one, "--ranking", "items")
    assert "exclude each other" in refused(capsys, "rank", one, "--json", "--csv")
    assert "is another recording" in refused(
        capsys, "loss", one, "--recording", str(long_run.parent / "recording")
    )


@pytest.mark.parametrize("verb", ["curves", "evidence", "loss", "rank"])
def test_help_has_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"  harness instrument {verb} " in printed(capsys, verb, "--help")
